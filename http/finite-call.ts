/**
 * The way of a finite call through HTTP, whatever its profile: refuses while draining, keeps the
 * deadline, hands one call to the server and records what it took. Rows are copies that the route
 * owns: a slow client holds them, and never memory of a device.
 */
import { StatusError } from '../runtime/base/errors.js';
import { memberCount } from '../runtime/profiles/finite-request.js';
import type { FiniteBody } from '../runtime/profiles/finite-request.js';
import type { LoomContext, RequestScope } from './context.js';
import { readJson } from './json-body.js';
import { requireJson } from './middleware/admin-access.js';
import { deadlineOf, requestBound, withDeadline } from './request-deadline.js';
import type { FiniteResult } from './serving.js';
import type { Services } from './services.js';

export interface FiniteRoute {
  readonly path: string;
  /** Checks a parsed body and says how its answer is encoded. */
  readonly read: (body: unknown) => FiniteReading;
}

export interface FiniteReading {
  readonly model: string;
  readonly body: FiniteBody;
  readonly encode: (result: FiniteResult) => Response;
}

export function answerFinite(
  c: LoomContext,
  services: Services,
  { path, read }: FiniteRoute,
): Promise<Response> {
  const { limits, serving } = services;
  const scope = c.get('scope');
  scope.route = path;
  if (services.isDraining()) throw draining();
  requireJson(c.req.header('content-type'));
  return withDeadline(deadlineOf(c, services, requestBound(limits)), async (options) => {
    const value = await readJson(c.req.raw, {
      bodyBytesMax: limits.bodyBytesMax,
      lists: { elementsMax: limits.batchMax, knob: '--max-batch N' },
      exchange: scope.exchange,
    });
    const { model, body, encode } = read(value);
    const call = { requestId: scope.requestId, model, body };
    const result = await serving.infer(call, options);
    const members = memberCount(body);
    if (result.rows.length !== members) {
      throw new StatusError(
        'internal',
        `the server answered ${result.rows.length} rows for ${members} inputs`,
      );
    }
    observe(services, scope, result);
    return encode(result);
  });
}

function observe(services: Services, scope: RequestScope, result: FiniteResult): void {
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
