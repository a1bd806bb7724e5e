/**
 * The types that hono's context carries here, and the scope of one request: its id, when it
 * arrived, and the labels that its measurement gets. Made by middleware/request-scope.ts, filled by
 * routes, read once when the answer is ready.
 */
import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Exchange } from './traffic/traffic-recorder.js';

export interface RequestScope {
  readonly requestId: string;
  /** A point on the clock of `Ports`. */
  readonly arrivedMs: number;
  /** The route's pattern, never the path as sent: label sets must stay bounded. */
  route: string;
  /** A deployment that exists, or ''. A name that a client made up would make a label set each. */
  model: string;
  /** What the log line says besides the usual. */
  notes: object | null;
  /** An error that was told inside an answer which had begun; null: there was none. */
  failure: unknown;
  /** Told its body where traffic is recorded. */
  readonly exchange: Exchange | null;
}

export interface LoomEnv {
  Variables: { scope: RequestScope };
  /** What the Node adapter hands over; nothing where there is no socket. */
  Bindings: Partial<HttpBindings>;
}

export type LoomContext = Context<LoomEnv>;
export type LoomApp = OpenAPIHono<LoomEnv>;
