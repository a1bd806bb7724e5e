/**
 * The way of a call that reads a JSON body and answers with one JSON value: refuses while draining,
 * keeps the deadline, and ends when the client leaves.
 */
import { answerJson } from './answer.js';
import type { LoomContext } from './context.js';
import { draining } from './finite-call.js';
import { readJson } from './json-body.js';
import { requireJson } from './middleware/admin-access.js';
import { deadlineOf, withDeadline, type Bound } from './request-deadline.js';
import type { CallOptions } from './serving.js';
import type { Services } from './services.js';

export interface JsonRoute {
  readonly path: string;
  readonly bound: Bound;
  readonly status?: number;
  /** `body` is null where the route takes none. */
  readonly answer: (body: unknown, options: CallOptions) => Promise<object>;
  readonly hasBody: boolean;
}

export function answerCall(
  c: LoomContext,
  services: Services,
  route: JsonRoute,
): Promise<Response> {
  c.get('scope').route = route.path;
  if (services.isDraining()) throw draining();
  // Without a body too: a plain form of some web page must not change anything.
  if (c.req.method === 'POST') requireJson(c.req.header('content-type'));
  const { bodyBytesMax, batchMax } = services.limits;
  const lists = { elementsMax: batchMax, knob: '--max-batch N' };
  return withDeadline(deadlineOf(c, services, route.bound), async (options) => {
    const { exchange } = c.get('scope');
    const limits = { bodyBytesMax, lists, exchange };
    const body = route.hasBody ? await readJson(c.req.raw, limits) : null;
    return answerJson(c, await route.answer(body, options), route.status);
  });
}
