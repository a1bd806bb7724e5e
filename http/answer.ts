/**
 * Builds answers. Headers go in as a plain object when the response is made and are never touched
 * again: on the Node adapter that spares a `Headers` object and a copy on every request. Routes use
 * these instead of hono's `c.json`, so that each answer carries its `x-request-id`.
 */
import type { LoomContext } from './context.js';
import { errorAnswer } from './errors.js';

export const jsonType = 'application/json; charset=utf-8';

export function answerText(c: LoomContext, status: number, type: string, text: string): Response {
  return new Response(text, {
    status,
    headers: { 'content-type': type, 'x-request-id': c.get('scope').requestId },
  });
}

/** `text` is JSON already. */
export function answerJsonText(c: LoomContext, text: string): Response {
  return answerText(c, 200, jsonType, text);
}

export function answerJson(c: LoomContext, value: unknown, status = 200): Response {
  return answerText(c, status, jsonType, JSON.stringify(value));
}

export function answerError(c: LoomContext, thrown: unknown): Response {
  const answer = errorAnswer(thrown);
  return new Response(JSON.stringify(answer.body), {
    status: answer.status,
    headers: {
      'content-type': jsonType,
      'x-request-id': c.get('scope').requestId,
      ...answer.headers,
    },
  });
}
