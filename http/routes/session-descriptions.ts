/** What /openapi.json says of `/v1/sessions`. */
import { z } from '@hono/zod-openapi';
import type { LoomApp } from '../context.js';
import { requestHeaders } from '../request-deadline.js';
import {
  appendRequest,
  deletedAnswer,
  openSessionRequest,
  restoreRequest,
  rewindRequest,
  savedAnswer,
  saveRequest,
  sessionAnswer,
  sessionsAnswer,
  turnRequest,
} from '../schemas/sessions.js';
import { describe, type RouteText } from './describe.js';

const params = z.object({ id: z.string() });
const path = '/v1/sessions/{id}';
const state = { text: 'The session.', schema: sessionAnswer };
const errors = [400, 404, 408, 409, 410, 413, 415, 429, 503, 504];

export function describeSessions(app: LoomApp): void {
  describe(app, {
    method: 'post',
    path: '/v1/sessions',
    tag: 'sessions',
    summary: 'Opens a session: a place of its own for tokens, empty or with those of a saved one.',
    headers: requestHeaders,
    body: openSessionRequest,
    answers: { 201: state },
    errors: [400, 404, 408, 409, 413, 415, 429, 500, 503, 504],
  });
  describe(app, {
    method: 'get',
    path: '/v1/sessions',
    tag: 'sessions',
    summary: 'Lists the open sessions: of all models, or of one.',
    query: z.object({ model: z.string().optional() }),
    answers: { 200: { text: 'The sessions, oldest first.', schema: sessionsAnswer } },
    errors: [404],
  });
  describe(app, {
    method: 'get',
    path,
    tag: 'sessions',
    summary: 'Shows a session.',
    params,
    answers: { 200: state },
    errors: [404, 410],
  });
  describe(app, {
    method: 'delete',
    path,
    tag: 'sessions',
    summary: 'Ends a session and what it holds.',
    headers: requestHeaders,
    params,
    answers: { 200: { text: 'Ended.', schema: deletedAnswer } },
    errors: [404, 409, 410, 503, 504],
  });
  for (const change of changes) {
    const shared = { tag: 'sessions', headers: requestHeaders, params, errors };
    describe(app, { ...shared, ...change, method: 'post', path: `${path}/${change.name}` });
  }
}

const turn = { text: 'As /v1/chat/completions or /v1/completions answer.', isStream: true };

const changes: readonly (Pick<RouteText, 'summary' | 'body' | 'answers'> & { name: string })[] = [
  {
    name: 'append',
    summary: 'Reads tokens; nothing is generated, a sequence answers with its output.',
    body: appendRequest,
    answers: { 200: state },
  },
  {
    name: 'generate',
    summary: 'Reads a prompt, if any, and generates: messages are answered as a chat.',
    body: turnRequest,
    answers: { 200: turn },
  },
  {
    name: 'fork',
    summary: 'Opens a second session that holds the same tokens.',
    answers: { 201: { ...state, text: 'The new session.' } },
  },
  {
    name: 'rewind',
    summary: 'Forgets all but the first tokens.',
    body: rewindRequest,
    answers: { 200: state },
  },
  {
    name: 'checkpoint',
    summary: 'Keeps what the session holds now under a name: the last of its checkpoints.',
    answers: { 200: state },
  },
  {
    name: 'save',
    summary: 'Keeps what the session holds in a file below --session-dir.',
    body: saveRequest,
    answers: { 200: { text: 'Saved.', schema: savedAnswer } },
  },
  {
    name: 'restore',
    summary: 'Goes back to a checkpoint.',
    body: restoreRequest,
    answers: { 200: state },
  },
];
