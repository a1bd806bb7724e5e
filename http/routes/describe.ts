/**
 * Adds a route to /openapi.json. Routes check and answer by hand (their errors and their speed are
 * not those of a generic validator); this keeps the description beside the handler all the same.
 */
import type { RouteConfig } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';
import { errorBody } from '../schemas/models.js';
import type { LoomApp } from '../context.js';

export interface AnswerText {
  readonly text: string;
  readonly schema?: z.ZodType;
  /** With `stream` it comes as events. */
  readonly isStream?: boolean;
}

export interface RouteText {
  readonly method: RouteConfig['method'];
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly headers?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly params?: z.ZodObject;
  readonly answers: Readonly<Record<number, AnswerText>>;
  /** Statuses that come with the error body. */
  readonly errors?: readonly number[];
}

const errorTexts: Readonly<Record<number, string>> = {
  400: 'The request is wrong; `param` names the field.',
  401: 'The admin token is missing or wrong.',
  403: 'Admin routes are closed to this caller.',
  404: 'No such model, session or request.',
  410: 'The session was lost and does not come back.',
  409: 'It exists already, or is not in a state for this.',
  408: 'The request did not arrive in time.',
  413: 'The body is larger than --max-body.',
  415: 'The body is not application/json.',
  422: 'The package does not parse, link or prepare; `details` holds every diagnostic.',
  429: 'A queue is full; see Retry-After.',
  503: 'Not ready or draining; see Retry-After.',
  504: 'Not answered within the request timeout.',
};

function contentOf({ schema, isStream }: AnswerText) {
  const whole = schema === undefined ? {} : { 'application/json': { schema } };
  const events = { 'text/event-stream': { schema: z.string() } };
  if (isStream === true) return { content: { ...whole, ...events } };
  return schema === undefined ? {} : { content: whole };
}

export function describe(app: LoomApp, route: RouteText): void {
  const responses: RouteConfig['responses'] = {};
  for (const [status, answer] of Object.entries(route.answers)) {
    responses[status] = { description: answer.text, ...contentOf(answer) };
  }
  for (const status of route.errors ?? []) {
    const content = { 'application/json': { schema: errorBody } };
    responses[String(status)] = { description: errorTexts[status] ?? 'An error.', content };
  }
  app.openAPIRegistry.registerPath({
    method: route.method,
    path: route.path,
    tags: [route.tag],
    summary: route.summary,
    request: {
      ...(route.headers === undefined ? {} : { headers: route.headers }),
      ...(route.params === undefined ? {} : { params: route.params }),
      ...(route.query === undefined ? {} : { query: route.query }),
      ...(route.body === undefined
        ? {}
        : { body: { required: true, content: { 'application/json': { schema: route.body } } } }),
    },
    responses,
  });
}
