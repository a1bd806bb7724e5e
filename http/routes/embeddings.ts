/** `POST /v1/embeddings`, as OpenAI has it: one row an input, as numbers or as base64. */
import type { LoomApp } from '../context.js';
import { encodeRow } from '../encode-row.js';
import type { RowFormat } from '../encode-row.js';
import { answerFinite, type FiniteReading, type FiniteRoute } from '../finite-call.js';
import { requestHeaders } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import { embeddingsAnswer, embeddingsRequest, readInputs } from '../schemas/embeddings.js';
import type { FiniteResult } from '../serving.js';
import type { Services } from '../services.js';
import { describe } from './describe.js';

const path = '/v1/embeddings';

export const embeddings: FiniteRoute = { path, read };

export function embeddingsRoutes(app: LoomApp, services: Services): void {
  describe(app, {
    method: 'post',
    path,
    tag: 'inference',
    summary: 'Embeds texts or token lists; one vector an input.',
    body: embeddingsRequest,
    headers: requestHeaders,
    answers: { 200: { text: 'One embedding an input, in order.', schema: embeddingsAnswer } },
    errors: [400, 404, 408, 413, 415, 429, 503, 504],
  });
  app.post(path, (c) => answerFinite(c, services, embeddings));
}

function read(value: unknown): FiniteReading {
  const { model, input, dimensions, encoding_format } = checkBody(embeddingsRequest, value);
  const inputs = readInputs(input);
  return {
    model,
    body: { profile: 'embeddings', inputs, dimensions: dimensions ?? 0 },
    encode: (result) => answerText(result, encoding_format ?? 'float'),
  };
}

function answerText(result: FiniteResult, format: RowFormat): string {
  const rows = result.rows.map(
    (row, index) => `{"object":"embedding","index":${index},"embedding":${encodeRow(row, format)}}`,
  );
  const usage = `{"prompt_tokens":${result.units},"total_tokens":${result.units}}`;
  const model = JSON.stringify(result.model);
  return `{"object":"list","data":[${rows.join(',')}],"model":${model},"usage":${usage}}`;
}
