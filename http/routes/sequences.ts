/**
 * `POST /v1/sequences`: known tokens in, what a model of the profile `sequence` makes of each of
 * them out. Nothing is generated. Each input is a row of its own, or the one goes on a session.
 */
import type { Prompt } from '../../runtime/profiles/text.js';
import { allOrNone } from '../all-or-none.js';
import { capturedOutput } from '../captured-output.js';
import type { LoomApp, LoomContext } from '../context.js';
import { answerCall } from '../json-call.js';
import { generationBound, requestHeaders } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import { readSequences, sequencesAnswer, sequencesRequest } from '../schemas/sequences.js';
import type { Services } from '../services.js';
import type { CallOptions } from '../serving.js';
import { TextMeter } from '../text-meter.js';
import type { TextBody, TextResult } from '../text-serving.js';
import { describe } from './describe.js';

const path = '/v1/sequences';

export function sequencesRoutes(app: LoomApp, services: Services): void {
  describe(app, {
    method: 'post',
    path,
    tag: 'inference',
    summary: 'Gives what a model makes of known tokens; one output an input.',
    body: sequencesRequest,
    headers: requestHeaders,
    answers: { 200: { text: 'The outputs, in order.', schema: sequencesAnswer } },
    errors: [400, 404, 408, 409, 410, 413, 415, 429, 503, 504],
  });
  app.post(path, (c) =>
    answerCall(c, services, {
      path,
      bound: generationBound(services.limits),
      hasBody: true,
      answer: (body, options) => answer(c, services, { body, options }),
    }),
  );
}

interface Asked {
  readonly body: unknown;
  readonly options: CallOptions;
}

async function answer(c: LoomContext, services: Services, asked: Asked): Promise<object> {
  const body = checkBody(sequencesRequest, asked.body);
  const { model, session } = body;
  const scope = c.get('scope');
  const prompts = readSequences(body);
  const read = (prompt: Prompt, at: number, options: CallOptions): Promise<TextResult> => {
    const { requestId: id } = scope;
    const requestId = prompts.length === 1 ? id : `${id}#${at}`;
    const call = { requestId, model, body: { ...silent, prompt, session: session ?? null } };
    return services.text.generate(call, { ...options, onDelta: () => undefined });
  };
  const results = await allOrNone(asked.options, prompts, read);
  new TextMeter(services, scope, model).ended(results.map((result) => [result]));
  const tokens = results.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  const format = body.encoding_format ?? 'float';
  return {
    object: 'list',
    model,
    data: results.map(({ promptTokens, captured }, index) => ({
      object: 'sequence',
      index,
      tokens: promptTokens,
      output: capturedOutput(captured ?? new Uint8Array(0), format),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

const silent: Omit<TextBody, 'prompt' | 'session'> = {
  profile: 'sequence',
  maxTokens: 0,
  stop: [],
  sampling: {},
  grammar: null,
  hasTools: false,
};
