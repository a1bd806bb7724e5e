/**
 * First in line for every request: gives it an id (the client's `x-request-id` when it is a plain
 * token, else a fresh one), and when the answer is ready counts it, times it and writes one line.
 * It reads the answer and never changes it: answers carry the id from the start (answer.ts).
 */
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { errorAnswer } from '../errors.js';
import type { LoomContext, LoomEnv, RequestScope } from '../context.js';
import type { Services } from '../services.js';

/** Longer or stranger ids are replaced: the id is echoed in a header and written to the log. */
const idShape = /^[\w.:+/=-]{1,128}$/;

export function requestScope(services: Services): MiddlewareHandler<LoomEnv> {
  const { ports } = services;
  return async (c, next) => {
    const given = c.req.header('x-request-id');
    const requestId = given !== undefined && idShape.test(given) ? given : ports.ids.next('req');
    const arrivedMs = ports.clock.now();
    const scope: RequestScope = {
      requestId,
      arrivedMs,
      route: 'unmatched',
      model: '',
      notes: null,
      failure: null,
      exchange: exchangeOf(c, services, { requestId, arrivedMs }),
    };
    c.set('scope', scope);
    await next();
    const { method } = c.req;
    const told = scope.failure === null ? null : errorAnswer(scope.failure);
    const error = c.error ?? (told === null ? undefined : asError(scope.failure));
    const outcome: Outcome = { method, status: told?.status ?? c.res.status, error };
    const elapsedMs = record(services, scope, outcome);
    if (services.spans === null) return;
    const traceparent = c.req.header('traceparent');
    services.spans.ended({ scope, ...outcome, elapsedMs, traceparent });
  };
}

/** Null where nothing records, or there is no socket. */
function exchangeOf(
  c: LoomContext,
  { traffic }: Services,
  known: Pick<RequestScope, 'requestId' | 'arrivedMs'>,
): RequestScope['exchange'] {
  if (traffic === undefined || traffic === null) return null;
  const { incoming, outgoing } = c.env as Partial<HttpBindings>;
  if (incoming === undefined || outgoing === undefined) return null;
  return traffic.arrived({ ...known, incoming, outgoing });
}

/** Whatever was thrown, as what the log can show. */
const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

interface Outcome {
  readonly method: string;
  readonly status: number;
  readonly error: Error | undefined;
}

/** Gives how long the request took. */
function record(services: Services, scope: RequestScope, outcome: Outcome): number {
  const { metrics, ports } = services;
  const elapsedMs = ports.clock.now() - scope.arrivedMs;
  const { route, model } = scope;
  metrics.add('loom_requests_total', { route, model, outcome: outcomeLabel(outcome) }, 1);
  metrics.observe('loom_request_seconds', { route, model }, elapsedMs / 1000);
  writeLine(services, scope, outcome, elapsedMs);
  return elapsedMs;
}

function outcomeLabel(outcome: Outcome): string {
  if (outcome.error !== undefined) return errorAnswer(outcome.error).body.error.code;
  return outcome.status < 400 ? 'ok' : String(outcome.status);
}

/** Answers at debug, mistakes of clients and a server that is not ready at info, ours at error. */
function writeLine(
  services: Services,
  scope: RequestScope,
  outcome: Outcome,
  elapsedMs: number,
): void {
  const { log } = services;
  const { method, status, error } = outcome;
  const fields = { requestId: scope.requestId, status, elapsedMs, ...scope.notes };
  const message = `${method} ${scope.route} ${status}`;
  if (status < 400) log.debug(fields, message);
  else if (status < 500 || scope.route === '/readyz')
    log.info({ ...fields, error: error?.message }, message);
  else log.error({ ...fields, error: error?.message, stack: error?.stack }, message);
}
