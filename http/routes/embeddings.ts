/**
 * `POST /v1/embeddings`, as OpenAI has it. Decodes and checks the body, hands one call to the
 * server and encodes its rows. Rows are copies that this route owns: a slow client holds them, and
 * never memory of a device.
 */
import { StatusError } from '../../runtime/base/errors.js';
import { answerJsonText } from '../answer.js';
import type { LoomApp, LoomContext, RequestScope } from '../context.js';
import { encodeRow } from '../encode-row.js';
import type { RowFormat } from '../encode-row.js';
import { readJson } from '../json-body.js';
import { requireJson } from '../middleware/admin-access.js';
import { clientLeaves, requestHeaders, withDeadline } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import { embeddingsAnswer, embeddingsRequest, readInputs } from '../schemas/embeddings.js';
import type { CallOptions, EmbedResult } from '../serving.js';
import type { Services } from '../services.js';
import { describe } from './describe.js';

const path = '/v1/embeddings';

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
  app.post(path, (c) => {
    const scope = c.get('scope');
    scope.route = path;
    if (services.isDraining()) throw draining();
    requireJson(c.req.header('content-type'));
    return withDeadline(
      {
        ports: services.ports,
        arrivedMs: scope.arrivedMs,
        requestTimeoutMs: services.limits.requestTimeoutMs,
        header: c.req.header('x-request-timeout'),
        onLeave: clientLeaves(c),
      },
      (options) => embed(c, services, options),
    );
  });
}

async function embed(c: LoomContext, services: Services, options: CallOptions): Promise<Response> {
  const { limits, serving } = services;
  const scope = c.get('scope');
  const body = checkBody(embeddingsRequest, await readJson(c.req.raw, limits.bodyBytesMax));
  const inputs = readInputs(body.input, limits.batchMax);
  const { model, dimensions } = body;
  const call = { requestId: scope.requestId, model, inputs };
  const result = await serving.embed(
    dimensions === undefined ? call : { ...call, dimensions },
    options,
  );
  if (result.rows.length !== inputs.length) {
    throw new StatusError(
      'internal',
      `the server answered ${result.rows.length} rows for ${inputs.length} inputs`,
    );
  }
  observe(services, scope, result);
  return answerJsonText(c, answerText(result, body.encoding_format ?? 'float'));
}

function answerText(result: EmbedResult, format: RowFormat): string {
  const rows = result.rows.map(
    (row, index) => `{"object":"embedding","index":${index},"embedding":${encodeRow(row, format)}}`,
  );
  const usage = `{"prompt_tokens":${result.units},"total_tokens":${result.units}}`;
  const model = JSON.stringify(result.model);
  return `{"object":"list","data":[${rows.join(',')}],"model":${model},"usage":${usage}}`;
}

function observe(services: Services, scope: RequestScope, result: EmbedResult): void {
  const { metrics } = services;
  const labels = { model: result.model };
  const { queueMs, prepareMs, executeMs } = result.timings;
  scope.model = result.model;
  scope.notes = {
    model: result.model,
    generation: result.generation,
    rows: result.rows.length,
    units: result.units,
    cohortSize: result.cohortSize,
    queueMs,
    prepareMs,
    executeMs,
  };
  metrics.observe('loom_queue_seconds', labels, queueMs / 1000);
  metrics.observe('loom_prepare_seconds', labels, prepareMs / 1000);
  metrics.observe('loom_execute_seconds', labels, executeMs / 1000);
}

export function draining(): StatusError {
  return new StatusError('unavailable', 'the server is shutting down', { retryAfterS: 5 });
}
