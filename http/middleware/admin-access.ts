/**
 * Who may use `/admin`. With `--admin-token` every admin request carries it as a bearer token.
 * Without one, only a server on a loopback address answers, and then a web page must not be able to
 * use the visitor's browser against it: the Host must be a loopback name (a rebound name is not),
 * an Origin must be one too, and bodies must be `application/json` (a plain form cannot be).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { LoomEnv } from '../context.js';
import { HttpFault } from '../errors.js';
import type { AdminAccess } from '../services.js';

export function adminAccess(access: AdminAccess): MiddlewareHandler<LoomEnv> {
  return async (c, next) => {
    c.get('scope').route = '/admin';
    const header = (name: string): string | undefined => c.req.header(name);
    if (access.token !== null) requireToken(header('authorization'), access.token);
    else if (!access.loopback) throw closed();
    if (access.loopback) {
      requireLoopback('Host header', header('host'));
      // A request target with a host of its own (`GET http://other/…`) goes before the header.
      requireLoopback('request target', new URL(c.req.url).host);
      const origin = header('origin');
      if (origin !== undefined) requireLoopback('Origin header', hostOfOrigin(origin));
    }
    if (c.req.method === 'POST') requireJson(header('content-type'));
    await next();
  };
}

function closed(): HttpFault {
  return new HttpFault(
    403,
    'admin_closed',
    'admin routes are closed: the server listens beyond loopback without a token. ' +
      'Start it with --admin-token T, or with --host 127.0.0.1.',
  );
}

function requireToken(authorization: string | undefined, token: string): void {
  const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1];
  if (given !== undefined && sameSecret(given, token)) return;
  const message =
    given === undefined
      ? 'admin routes need the header "Authorization: Bearer T", T being what --admin-token was given'
      : 'the admin token is not the one that --admin-token was given';
  throw new HttpFault(401, 'invalid_admin_token', message, {
    headers: { 'www-authenticate': 'Bearer realm="loom-serve admin"' },
  });
}

/** Digests have one length, so the comparison takes one time whatever was sent. */
function sameSecret(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

function requireLoopback(what: string, host: string | undefined): void {
  if (host !== undefined && isLoopbackHost(host)) return;
  throw new HttpFault(
    403,
    'forbidden_host',
    `admin routes on a loopback server take requests to localhost, 127.0.0.1 or [::1] only; ` +
      `the ${what} says ${host === undefined ? 'nothing' : JSON.stringify(host)}`,
  );
}

/** `host[:port]` whose host is a loopback name or address. */
export function isLoopbackHost(host: string): boolean {
  if (host === '::1') return true;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return (
    name === 'localhost' || name === '[::1]' || /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(name)
  );
}

function hostOfOrigin(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : origin;
}

export function requireJson(contentType: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new HttpFault(
    415,
    'unsupported_media_type',
    `the body must be application/json; the content-type header says ` +
      (contentType === undefined ? 'nothing' : JSON.stringify(contentType)),
  );
}
