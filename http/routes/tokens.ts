/** `POST /tokenize` and `/detokenize`, also below `/v1`: what a model's tokenizer does alone. */
import type { LoomApp } from '../context.js';
import { answerCall } from '../json-call.js';
import { requestBound, requestHeaders } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import {
  detokenizeAnswer,
  detokenizeRequest,
  readIds,
  readTokenized,
  tokenizeAnswer,
  tokenizeRequest,
} from '../schemas/tokens.js';
import type { Services } from '../services.js';
import type { CallOptions } from '../serving.js';
import { describe, type RouteText } from './describe.js';

const errors = [400, 404, 408, 413, 415, 429, 503, 504];

export function tokenRoutes(app: LoomApp, services: Services): void {
  for (const prefix of ['', '/v1']) {
    add(app, services, {
      path: `${prefix}/tokenize`,
      summary: 'Gives the token ids of a text, or of a conversation as its template spells it.',
      body: tokenizeRequest,
      answers: { 200: { text: 'The tokens.', schema: tokenizeAnswer } },
      answer: (body, options) => tokenize(services, body, options),
    });
    add(app, services, {
      path: `${prefix}/detokenize`,
      summary: 'Gives the text of token ids.',
      body: detokenizeRequest,
      answers: { 200: { text: 'The text.', schema: detokenizeAnswer } },
      answer: (body, options) => detokenize(services, body, options),
    });
  }
}

type Answer = (body: unknown, options: CallOptions) => Promise<object>;
type Route = Pick<RouteText, 'path' | 'summary' | 'body' | 'answers'> & { readonly answer: Answer };

function add(app: LoomApp, services: Services, { answer, ...route }: Route): void {
  const { path } = route;
  describe(app, { ...route, method: 'post', tag: 'inference', headers: requestHeaders, errors });
  app.post(path, (c) => {
    const bound = requestBound(services.limits);
    return answerCall(c, services, { path, bound, hasBody: true, answer });
  });
}

async function tokenize({ text }: Services, value: unknown, options: CallOptions): Promise<object> {
  const body = checkBody(tokenizeRequest, value);
  const tokens = await text.tokenize(body.model, readTokenized(body), options);
  return { model: body.model, count: tokens.length, tokens };
}

async function detokenize(
  { text }: Services,
  value: unknown,
  options: CallOptions,
): Promise<object> {
  const body = checkBody(detokenizeRequest, value);
  const prompt = await text.detokenize(body.model, readIds(body), options);
  return { model: body.model, prompt };
}
