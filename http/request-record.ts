/**
 * What is known of one request: its scope, made when it arrives, and what is counted, timed and
 * written when its answer is ready. Whoever carries requests (hono's chain, or a socket directly)
 * calls each of the two once.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestScope } from './context.js';
import { errorAnswer } from './errors.js';
import type { Services } from './services.js';

/** Longer or stranger ids are replaced: the id is echoed in a header and written to the log. */
const idShape = /^[\w.:+/=-]{1,128}$/;

export interface Exchanged {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** `given` is the client's `x-request-id`; `exchanged` null where there is no socket. */
export function openScope(
  services: Services,
  given: string | undefined,
  exchanged: Exchanged | null,
): RequestScope {
  const { ports, traffic = null } = services;
  const requestId = given !== undefined && idShape.test(given) ? given : ports.ids.next('req');
  const arrivedMs = ports.clock.now();
  const isTold = traffic !== null && exchanged !== null;
  return {
    requestId,
    arrivedMs,
    route: 'unmatched',
    model: '',
    notes: null,
    failure: null,
    exchange: isTold ? traffic.arrived({ ...exchanged, requestId, arrivedMs }) : null,
  };
}

export interface RequestEnd {
  readonly method: string;
  /** As it was answered. */
  readonly status: number;
  /** What the request ended with before an answer had begun. */
  readonly error: Error | undefined;
  readonly traceparent: string | undefined;
}

export function endScope(services: Services, scope: RequestScope, end: RequestEnd): void {
  const told = scope.failure === null ? null : errorAnswer(scope.failure);
  const { method, traceparent } = end;
  const error = end.error ?? (told === null ? undefined : asError(scope.failure));
  const outcome: Outcome = { method, status: told?.status ?? end.status, error };
  const elapsedMs = record(services, scope, outcome);
  services.spans?.ended({ scope, ...outcome, elapsedMs, traceparent });
}

/** Whatever was thrown, as what the log can show. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

type Outcome = Omit<RequestEnd, 'traceparent'>;

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
  // Most answers are told to nobody.
  if (status < 400 && log.isLevelEnabled?.('debug') === false) return;
  const fields = { requestId: scope.requestId, status, elapsedMs, ...scope.notes };
  const message = `${method} ${scope.route} ${status}`;
  if (status < 400) log.debug(fields, message);
  else if (status < 500 || scope.route === '/readyz')
    log.info({ ...fields, error: error?.message }, message);
  else log.error({ ...fields, error: error?.message, stack: error?.stack }, message);
}
