/**
 * `/v1/sessions`: rows that outlive their turns. A session takes one change or turn at a time; the
 * server refuses a second one (409), and says of one that was lost with its generation that it is
 * gone (410).
 */
import { answerJson } from '../answer.js';
import { capturedOutput } from '../captured-output.js';
import type { LoomApp, LoomContext } from '../context.js';
import { answerCall, type JsonRoute } from '../json-call.js';
import { clientLeaves, generationBound, requestBound } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import {
  appendRequest,
  openSessionRequest,
  readAppended,
  restoreRequest,
  rewindRequest,
  saveRequest,
} from '../schemas/sessions.js';
import type { Services } from '../services.js';
import type { CallOptions } from '../serving.js';
import { readTurn } from '../session-turn.js';
import { answerGenerated } from '../text-call.js';
import type { SessionChange, SessionState } from '../text-serving.js';
import { describeSessions } from './session-descriptions.js';

const sessions = '/v1/sessions';
const session = `${sessions}/{id}`;

export function sessionRoutes(app: LoomApp, services: Services): void {
  const { text } = services;
  describeSessions(app);
  app.post(sessions, (c) => {
    const bound = requestBound(services.limits);
    return answerCall(c, services, {
      path: sessions,
      bound,
      status: 201,
      hasBody: true,
      answer: async (body, options) => {
        const { model, restore } = checkBody(openSessionRequest, body);
        const asked = typeof restore === 'string' ? { ...options, restore } : options;
        const made = await text.openSession(model, asked);
        dropUndelivered(c, services, made, options);
        return answerOf(made);
      },
    });
  });
  app.get(sessions, async (c) => {
    c.get('scope').route = sessions;
    const open = await Promise.all((await asked(c, services)).map((id) => text.sessions(id)));
    return answerJson(c, { object: 'list', data: open.flat().map(answerOf) });
  });
  app.get(`${sessions}/:id`, async (c) => {
    c.get('scope').route = session;
    return answerJson(c, answerOf(await text.session(idOf(c))));
  });
  app.post(`${sessions}/:id/generate`, (c) =>
    answerGenerated(c, services, {
      path: `${session}/generate`,
      read: async (body) => readTurn(services, await text.session(idOf(c)), body),
    }),
  );
  for (const change of changes) changeRoute(app, services, change);
  app.post(`${sessions}/:id/append`, (c) => answerCall(c, services, appendRoute(c, services)));
  app.post(`${sessions}/:id/save`, (c) =>
    answerCall(c, services, {
      path: `${session}/save`,
      bound: requestBound(services.limits),
      hasBody: true,
      answer: async (body, options) => {
        const { name } = checkBody(saveRequest, body);
        const saved = await text.saveSession(idOf(c), name, options);
        return { id: idOf(c), object: 'session.saved', ...saved };
      },
    }),
  );
  app.delete(`${sessions}/:id`, (c) =>
    answerCall(c, services, {
      path: session,
      bound: requestBound(services.limits),
      hasBody: false,
      answer: async (_, options) => {
        const { id } = await text.changeSession(idOf(c), { op: 'close' }, options);
        return { id, object: 'session.deleted', deleted: true };
      },
    }),
  );
}

/** The model of `?model=ID`, else all that may have sessions. */
async function asked(c: LoomContext, { serving }: Services): Promise<readonly string[]> {
  const id = c.req.query('model');
  const models = id === undefined ? await serving.models() : [await serving.model(id)];
  return models.filter(({ profile }) => hasSessions.has(profile)).map((model) => model.id);
}

const hasSessions: ReadonlySet<string> = new Set(['text', 'sequence']);

/** Reads a prompt, so it may take as long as a generation; a sequence answers with its output. */
function appendRoute(c: LoomContext, { limits, text }: Services): JsonRoute {
  return {
    path: `${session}/append`,
    bound: generationBound(limits),
    hasBody: true,
    answer: async (value, options) => {
      const body = checkBody(appendRequest, value);
      const change: SessionChange = { op: 'append', prompt: readAppended(body) };
      const { captured, ...state } = await text.changeSession(idOf(c), change, options);
      if (captured === undefined) return answerOf(state);
      const output = capturedOutput(captured, body.encoding_format ?? 'float');
      return { ...answerOf(state), output };
    },
  };
}

/** One way to change a session. */
interface Change {
  readonly name: string;
  readonly status?: number;
  readonly hasBody: boolean;
  readonly read: (body: unknown) => SessionChange;
}

const changes: readonly Change[] = [
  { name: 'fork', status: 201, hasBody: false, read: () => ({ op: 'fork' }) },
  {
    name: 'rewind',
    hasBody: true,
    read: (body) => ({ op: 'rewind', ...checkBody(rewindRequest, body) }),
  },
  { name: 'checkpoint', hasBody: false, read: () => ({ op: 'checkpoint' }) },
  {
    name: 'restore',
    hasBody: true,
    read: (body) => ({ op: 'restore', ...checkBody(restoreRequest, body) }),
  },
];

function changeRoute(app: LoomApp, services: Services, change: Change): void {
  const { name, status, hasBody } = change;
  const { limits, text } = services;
  app.post(`${sessions}/:id/${name}`, (c) =>
    answerCall(c, services, {
      path: `${session}/${name}`,
      bound: requestBound(limits),
      hasBody,
      status,
      answer: async (body, options) => {
        const changed = await text.changeSession(idOf(c), change.read(body), options);
        if (name === 'fork') dropUndelivered(c, services, changed, options);
        return answerOf(changed);
      },
    }),
  );
}

/** A client that leaves before it has the id of a new session leaves nothing behind. */
function dropUndelivered(
  c: LoomContext,
  { text }: Services,
  { id }: SessionState,
  { signal }: CallOptions,
): void {
  // Who waited may have stopped in the same moment: nothing of this is written then.
  if (signal.aborted) text.dropSession(id);
  else clientLeaves(c)(() => text.dropSession(id));
}

const idOf = (c: LoomContext): string => c.req.param('id') ?? '';

function answerOf({ id, model, state, tokens, context, checkpoints }: SessionState): object {
  return { id, object: 'session', model, state, tokens, context, checkpoints };
}
