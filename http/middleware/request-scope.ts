/**
 * First in line for every request of hono's: gives it a scope, and when the answer is ready ends
 * that. It reads the answer and never changes it: answers carry the id from the start (answer.ts).
 */
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { LoomContext, LoomEnv } from '../context.js';
import { endScope, openScope, type Exchanged } from '../request-record.js';
import type { Services } from '../services.js';

export function requestScope(services: Services): MiddlewareHandler<LoomEnv> {
  return async (c, next) => {
    const scope = openScope(services, c.req.header('x-request-id'), exchangedOf(c));
    c.set('scope', scope);
    await next();
    const { method } = c.req;
    const traceparent = services.spans === null ? undefined : c.req.header('traceparent');
    endScope(services, scope, { method, status: c.res.status, error: c.error, traceparent });
  };
}

/** Null where there is no socket. */
function exchangedOf(c: LoomContext): Exchanged | null {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (incoming === undefined || outgoing === undefined) return null;
  return { incoming, outgoing } as Exchanged;
}
