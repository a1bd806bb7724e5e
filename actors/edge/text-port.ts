/**
 * Retained text as http sees it: `TextServing` over asks to the server actor, and the readers of
 * what turns say meanwhile. Nothing is decided here.
 */
import type { TextDelta } from '../../http/text-serving.js';
import type {
  OpenOptions,
  SavedSession,
  SessionChange,
  SessionState,
  TextCall,
  TextOptions,
  TextResult,
  TextServing,
} from '../../http/text-serving.js';
import type { CallOptions } from '../../http/serving.js';
import type { Clock } from '../../runtime/base/ports.js';
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import type { Prompt } from '../../runtime/profiles/text.js';
import type { ActorSystem } from '../../runtime/system/system.js';
import {
  SERVER,
  type SavedRow,
  type SessionAnswer,
  type TextAnswer,
  type TextRequest,
} from '../protocol.js';
import type { StreamReaders } from '../system/text-streams.js';
import { interrupted } from './interrupted.js';
import type { OpenCalls } from './open-calls.js';
import { SessionFiles } from './session-files.js';

/** Who reads one stream. */
interface Reader {
  readonly onDelta: TextOptions['onDelta'];
  given: number;
  /** Called when so many deltas were given. */
  waiting: { readonly deltas: number; readonly done: () => void } | null;
}

/** The readers of all streams; the actor that gets the deltas asks it. */
export class Streams implements StreamReaders {
  readonly #readers = new Map<number, Reader>();
  #opened = 0;

  open(onDelta: TextOptions['onDelta']): number {
    this.#opened += 1;
    this.#readers.set(this.#opened, { onDelta, given: 0, waiting: null });
    return this.#opened;
  }

  close(stream: number): void {
    this.#readers.delete(stream);
  }

  give(stream: number, delta: TextDelta, taken: () => void): boolean {
    const reader = this.#readers.get(stream);
    if (reader === undefined) return true;
    reader.given += 1;
    const accepted = reader.onDelta(delta);
    const { waiting } = reader;
    if (waiting !== null && reader.given >= waiting.deltas) waiting.done();
    if (accepted === undefined) return true;
    accepted.then(taken, taken);
    return false;
  }

  /** The answer may overtake what was said before it. */
  async all(stream: number, deltas: number): Promise<void> {
    const reader = this.#readers.get(stream);
    if (reader === undefined || reader.given >= deltas) return;
    await new Promise<void>((done) => {
      reader.waiting = { deltas, done };
    });
  }
}

type Bounds = Pick<CallOptions, 'deadlineMs'> &
  Partial<CallOptions> & { readonly onLate?: (value: unknown) => void };

/** Questions about a session are answered at once; past this something is stuck. */
const DESCRIBE_DEADLINE_MS = 5_000;
/** How much longer than its caller a session that is being made is waited for, to be closed. */
const LATE_MS = 60_000;
const CLOSE_DEADLINE_MS = 60_000;

export interface TextPortOptions {
  readonly system: ActorSystem;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly files: SessionFiles;
  readonly calls: OpenCalls;
}

export class TextPort implements TextServing {
  readonly #system: ActorSystem;
  readonly #streams: Streams;
  readonly #clock: Clock;
  readonly #files: SessionFiles;
  readonly #calls: OpenCalls;

  constructor({ system, streams, clock, files, calls }: TextPortOptions) {
    this.#system = system;
    this.#streams = streams;
    this.#clock = clock;
    this.#files = files;
    this.#calls = calls;
  }

  async generate(call: TextCall, options: TextOptions): Promise<TextResult> {
    const { requestId, model, body } = call;
    const stream = this.#streams.open(options.onDelta);
    try {
      const request: TextRequest = { op: 'generate', body, stream };
      const ask = () => this.#ask<TextAnswer>(model, request, options, requestId);
      const answer = await this.#calls.hold(call, ask);
      const { deltas, ...result } = answer;
      await this.#streams.all(stream, deltas);
      return { model, ...result };
    } finally {
      this.#streams.close(stream);
    }
  }

  async openSession(model: string, { restore, ...options }: OpenOptions): Promise<SessionState> {
    if (restore === undefined) return this.#made(model, { op: 'open' }, options);
    const image = await this.#files.read(restore);
    try {
      return await this.#made(model, { op: 'open', image }, options);
    } catch (error) {
      throw restoring(error, restore);
    }
  }

  async saveSession(id: string, name: string, options: CallOptions): Promise<SavedSession> {
    this.#files.check(name, 'name');
    const save: TextRequest = { op: 'save', session: id };
    const { image, tokens } = await this.#ask<SavedRow>(modelOf(id), save, options);
    await this.#files.write(name, image);
    return { name, tokens, bytes: image.length };
  }

  async session(id: string): Promise<SessionState> {
    const deadlineMs = this.#clock.now() + DESCRIBE_DEADLINE_MS;
    return this.#session(modelOf(id), { op: 'describe', session: id }, { deadlineMs });
  }

  async sessions(model: string): Promise<readonly SessionState[]> {
    const deadlineMs = this.#clock.now() + DESCRIBE_DEADLINE_MS;
    const open = await this.#ask<SessionAnswer[]>(model, { op: 'sessions' }, { deadlineMs });
    return open.map((session) => ({ ...session, model }));
  }

  async changeSession(
    id: string,
    change: SessionChange,
    options: CallOptions,
  ): Promise<SessionState> {
    const request: TextRequest = { op: 'change', session: id, change };
    if (change.op === 'fork') return this.#made(modelOf(id), request, options);
    return this.#session(modelOf(id), request, options);
  }

  dropSession(id: string): void {
    const close: TextRequest = { op: 'change', session: id, change: { op: 'close' } };
    const deadlineMs = this.#clock.now() + CLOSE_DEADLINE_MS;
    // One that cannot be closed was lost, or goes when it has been idle for too long.
    this.#ask(modelOf(id), close, { deadlineMs }).catch(() => undefined);
  }

  async tokenize(model: string, prompt: Prompt, options: CallOptions): Promise<readonly number[]> {
    return this.#ask(model, { op: 'tokenize', prompt }, options);
  }

  async detokenize(model: string, ids: readonly number[], options: CallOptions): Promise<string> {
    return this.#ask(model, { op: 'detokenize', ids }, options);
  }

  /** A new session; one whose caller has left by then is closed again, because nobody knows it. */
  async #made(model: string, text: TextRequest, options: CallOptions): Promise<SessionState> {
    const { deadlineMs, signal } = options;
    const onLate = (made: unknown): void => this.dropSession((made as SessionAnswer).id);
    return this.#session(model, text, { deadlineMs: deadlineMs + LATE_MS, signal, onLate });
  }

  async #session(model: string, text: TextRequest, options: Bounds): Promise<SessionState> {
    return { ...(await this.#ask<SessionAnswer>(model, text, options)), model };
  }

  async #ask<Answer>(
    deployment: string,
    text: TextRequest,
    { deadlineMs, signal, onLate }: Bounds,
    requestId = '',
  ): Promise<Answer> {
    const submit = { deployment, requestId, text };
    try {
      const label = requestId === '' ? undefined : requestId;
      const options = { deadlineMs, signal, onLate, label };
      return (await this.#system.request(SERVER, 'request.submit', submit, options)) as Answer;
    } catch (error) {
      throw interrupted(error, deployment);
    }
  }
}

/** What is wrong with a saved session names it. */
function restoring(error: unknown, name: string): unknown {
  const status = toStatus(error);
  const isItsFault = ['dataLoss', 'failedPrecondition', 'outOfRange'].includes(status.code);
  if (!isItsFault) return error;
  return new StatusError(status.code, `saved session '${name}': ${status.message}`, {
    param: 'restore',
  });
}

/** Ids of sessions start with the deployment that they are of. */
function modelOf(session: string): string {
  const at = session.lastIndexOf('@');
  if (at > 0) return session.slice(0, at);
  throw new StatusError('notFound', `no session has the id '${session}'`, { param: 'session' });
}
