/**
 * Refuses requests whose head cannot mean anything, before a route takes what is left of it for a
 * name: a path must be percent-encoded UTF-8.
 */
import type { MiddlewareHandler } from 'hono';
import type { LoomEnv } from '../context.js';
import { HttpFault } from '../errors.js';

export const requestForm: MiddlewareHandler<LoomEnv> = async (c, next) => {
  const { url } = c.req;
  if (url.includes('%')) requireDecodable(new URL(url).pathname);
  await next();
};

function requireDecodable(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    const message = `the path ${path.slice(0, 200)} is not percent-encoded UTF-8`;
    throw new HttpFault(400, 'malformed_path', message);
  }
}
