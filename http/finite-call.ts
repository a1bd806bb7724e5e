/**
 * The way of a finite call through HTTP, whatever its profile: refuses while draining, keeps the
 * deadline, hands one call to the server and records what it took. Rows are copies that the route
 * owns: a slow client holds them, and never memory of a device.
 */
import { StatusError } from '../runtime/base/errors.js';
import { memberCount } from '../runtime/profiles/finite-request.js';
import type { FiniteBody } from '../runtime/profiles/finite-request.js';
import { answerJsonText } from './answer.js';
import type { LoomContext, RequestScope } from './context.js';
import { parseBody, readBody } from './json-body.js';
import { requireJson } from './middleware/admin-access.js';
import { deadlineOf, requestBound, withDeadline } from './request-deadline.js';
import type { CallOptions, FiniteResult } from './serving.js';
import type { Services } from './services.js';

export interface FiniteRoute {
  readonly path: string;
  /** Checks a parsed body and says how its answer is encoded. */
  readonly read: (body: unknown) => FiniteReading;
}

export interface FiniteReading {
  readonly model: string;
  readonly body: FiniteBody;
  /** As JSON text. */
  readonly encode: (result: FiniteResult) => string;
}

export function answerFinite(
  c: LoomContext,
  services: Services,
  route: FiniteRoute,
): Promise<Response> {
  const { limits } = services;
  const scope = c.get('scope');
  beginFinite(services, { scope, route }, c.req.header('content-type'));
  return withDeadline(deadlineOf(c, services, requestBound(limits)), async (options) => {
    const bytes = await readBody(c.req.raw, limits.bodyBytesMax);
    return answerJsonText(c, await inferFinite(services, { scope, route }, bytes, options));
  });
}

/** A request that is on its way through a route. */
export interface FiniteRequest {
  readonly scope: RequestScope;
  readonly route: FiniteRoute;
}

/** What is known before the body has come. */
export function beginFinite(
  services: Services,
  { scope, route }: FiniteRequest,
  contentType: string | undefined,
): void {
  scope.route = route.path;
  if (services.isDraining()) throw draining();
  requireJson(contentType);
}

/** The answer to a body that has come whole, as JSON text. May also throw at once. */
export function inferFinite(
  services: Services,
  { scope, route }: FiniteRequest,
  bytes: Uint8Array,
  options: CallOptions,
): Promise<string> {
  const { limits, serving } = services;
  const lists = { elementsMax: limits.batchMax, knob: '--max-batch N' };
  const reading = route.read(parseBody(bytes, { lists, exchange: scope.exchange }));
  const { model, body } = reading;
  const call = { requestId: scope.requestId, model, body };
  return serving.infer(call, options).then((result) => {
    requireRows(result, body);
    observe(services, scope, result);
    return reading.encode(result);
  });
}

function requireRows({ rows }: FiniteResult, body: FiniteBody): void {
  const members = memberCount(body);
  if (rows.length === members) return;
  const message = `the server answered ${rows.length} rows for ${members} inputs`;
  throw new StatusError('internal', message);
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
