/**
 * `/console`: the page that shows charts, actors, records and requests live, and what it reads.
 * Data is for those who may use `/admin`; page and scripts hold nothing of the server, so that a
 * browser can load them before it is told the token.
 */
import { z } from '@hono/zod-openapi';
import { StatusError } from '../../runtime/base/errors.js';
import { answerJson } from '../answer.js';
import { ConsoleFiles } from '../console-files.js';
import type { LoomApp, LoomContext } from '../context.js';
import { HttpFault } from '../errors.js';
import { readJson } from '../json-body.js';
import { adminAccess } from '../middleware/admin-access.js';
import type { Observing } from '../observing.js';
import { checkBody } from '../schemas/check.js';
import {
  actorListAnswer,
  chartsAnswer,
  explanationAnswer,
  recordingBody,
  requestsAnswer,
} from '../schemas/observing.js';
import type { Services } from '../services.js';
import { openStream, streamed } from '../sse.js';
import { describe } from './describe.js';

const access = [401, 403] as const;

export function consoleRoutes(app: LoomApp, services: Services): void {
  const { observing, admin } = services;
  const data = adminAccess(admin);
  for (const path of ['charts', 'tree', 'events', 'requests', 'recording', 'trace']) {
    app.use(`/console/${path}`, data);
  }
  // Where only a token opens what is shown, the page itself is open.
  const page = admin.token === null ? data : null;
  pageRoutes(app, page);
  describeData(app);
  app.get('/console/charts', async (c) => {
    c.get('scope').route = '/console/charts';
    return answerJson(c, { charts: await observing.charts() });
  });
  app.get('/console/tree', async (c) => {
    c.get('scope').route = '/console/tree';
    return answerJson(c, await observing.tree());
  });
  app.get('/console/requests', async (c) => {
    c.get('scope').route = '/console/requests';
    return answerJson(c, { requests: await observing.requests() });
  });
  app.get('/console/recording', (c) => {
    c.get('scope').route = '/console/recording';
    return answerJson(c, { recording: observing.isRecording });
  });
  app.post('/console/recording', async (c) => {
    c.get('scope').route = '/console/recording';
    const value = await readJson(c.req.raw, {
      ...services.limits,
      lists: null,
      exchange: c.get('scope').exchange,
    });
    await observing.setRecording(checkBody(recordingBody, value).recording);
    return answerJson(c, { recording: observing.isRecording });
  });
  app.get('/console/trace', (c) => downloadTrace(c, observing));
  app.get('/console/events', (c) => streamRecords(c, services));
  explainRoute(app, services);
}

function pageRoutes(app: LoomApp, access: ReturnType<typeof adminAccess> | null): void {
  const files = new ConsoleFiles();
  if (access !== null) {
    app.use('/console', access);
    app.use('/console/assets/*', access);
  }
  const send = async (c: LoomContext, name: string): Promise<Response> => {
    const file = await files.read(name);
    if (file === null) throw new HttpFault(404, 'unknown_file', `the console has no file ${name}`);
    return new Response(file.bytes, {
      headers: {
        'content-type': file.type,
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'x-request-id': c.get('scope').requestId,
      },
    });
  };
  app.get('/console', (c) => {
    c.get('scope').route = '/console';
    return send(c, 'index.html');
  });
  app.get('/console/assets/*', (c) => {
    c.get('scope').route = '/console/assets';
    return send(c, c.req.path.slice('/console/assets/'.length));
  });
}

/** Nothing of other hosts; layout runs in a worker that is made of a blob. */
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "worker-src 'self' blob:; script-src 'self'; frame-ancestors 'none'";

async function streamRecords(c: LoomContext, services: Services): Promise<Response> {
  c.get('scope').route = '/console/events';
  const stream = openStream(c, services);
  const reader = services.observing.records(readFrom(c));
  c.env.outgoing?.once('close', () => reader.close());
  stream.comment('records follow while the server records');
  for (let event = await reader.next(); event !== null; event = await reader.next()) {
    await stream.send(event.text, { event: 'records', id: event.id });
  }
  stream.end();
  return streamed();
}

/** `?from=ID`, or what a browser says when it connects again. */
function readFrom(c: LoomContext): number | null {
  const text = c.req.query('from') ?? c.req.header('last-event-id');
  if (text === undefined) return null;
  const from = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(from)) return from;
  throw new StatusError('invalidArgument', `from: must be the id of an event, not "${text}"`, {
    param: 'from',
  });
}

function downloadTrace(c: LoomContext, observing: Observing): Response {
  c.get('scope').route = '/console/trace';
  const form = c.req.query('format') ?? 'loom';
  if (form !== 'loom' && form !== 'chrome') {
    throw new StatusError('invalidArgument', `format: loom or chrome, not "${form}"`, {
      param: 'format',
    });
  }
  const name = form === 'loom' ? 'server.loom-trace' : 'server.trace.json';
  const lines = observing.trace(form)[Symbol.iterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = lines.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
  return new Response(body, {
    headers: {
      'content-type': form === 'loom' ? 'application/x-ndjson' : 'application/json',
      'content-disposition': `attachment; filename="${name}"`,
      'x-request-id': c.get('scope').requestId,
    },
  });
}

function explainRoute(app: LoomApp, { observing }: Services): void {
  describe(app, {
    method: 'get',
    path: '/admin/explain/{request}',
    tag: 'admin',
    summary: 'Why a request is not done, by the x-request-id that it was sent with.',
    params: z.object({ request: z.string() }),
    answers: { 200: { text: 'What it waits for.', schema: explanationAnswer } },
    errors: [...access, 404],
  });
  // Ids may hold slashes.
  app.get('/admin/explain/:request{.+}', async (c) => {
    c.get('scope').route = '/admin/explain/{request}';
    return answerJson(c, { explanations: await observing.explain(c.req.param('request')) });
  });
}

function describeData(app: LoomApp): void {
  const shared = { method: 'get', tag: 'console', errors: [...access] } as const;
  const answer = (text: string, schema: z.ZodType) => ({ 200: { text, schema } });
  describe(app, {
    ...shared,
    path: '/console/charts',
    summary: 'The state machines that run, as charts.',
    answers: answer('One chart a machine.', chartsAnswer),
  });
  describe(app, {
    ...shared,
    path: '/console/tree',
    summary: 'The live actors of all threads that answer.',
    answers: answer('Actors with states and mailboxes.', actorListAnswer),
  });
  describe(app, {
    ...shared,
    path: '/console/requests',
    summary: 'Open requests, and what each waits for.',
    answers: answer('One entry a request.', requestsAnswer),
  });
  describe(app, {
    ...shared,
    path: '/console/events',
    summary: 'Records of all threads as events `records`; slow readers lose detail.',
    query: z.object({ from: z.string().optional() }),
    answers: { 200: { text: 'Events with ids.', isStream: true } },
    errors: [400, ...access],
  });
  describe(app, {
    ...shared,
    path: '/console/trace',
    summary: 'What is kept of the recording, as a file.',
    query: z.object({ format: z.enum(['loom', 'chrome']).optional() }),
    answers: { 200: { text: 'JSON lines, or a Chrome trace.' } },
    errors: [400, ...access],
  });
  const recording = answer('Whether it records.', recordingBody);
  const path = '/console/recording';
  describe(app, { ...shared, path, summary: 'Whether the server records.', answers: recording });
  describe(app, {
    ...shared,
    method: 'post',
    path,
    summary: 'Starts or ends recording.',
    body: recordingBody,
    answers: recording,
    errors: [400, ...access, 413, 415],
  });
}
