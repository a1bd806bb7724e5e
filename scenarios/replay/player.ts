/**
 * Plays recorded requests on a ground: each when its turn and its time have come, with the id that
 * it had (draws depend on it), under the names that sessions have here; leaves where its client
 * left. Tells of each what came back.
 *
 * Holds: what is in memory is what is open, and no more is open than was in the recording.
 */
import type { Answer } from '../ground.js';
import { PayloadDigest } from '../../http/traffic/payload-digest.js';
import { isComplete } from '../../http/traffic/recorded-routes.js';
import type { Payload } from '../../http/traffic/traffic-lines.js';
import { EndOrder } from './end-order.js';
import { unplayable, type RecordedRequest } from './recorded-request.js';
import type { Recording } from './recording.js';
import { waitMs, type ReplayGround, type WireCall } from './replay-ground.js';
import { plainPath, SessionNames, sessionsIn } from './session-names.js';

/** As often is asked again what completed once and is told to come later now. */
const RETRIES_MAX = 150;
const RETRY_MS = 20;
/** Without real times a client that left before any event waits so long at most. */
const LEAVES_MS = 50;
/** Registrations come up behind their answer. */
const COMING_UP_MS = 120_000;
/** Bodies beyond are not looked through for sessions. */
const SESSIONS_BYTES_MAX = 1024 * 1024;

/** What became of a request this time. */
export interface Played {
  readonly recorded: RecordedRequest;
  /** Null when no answer came whole, or its client had to leave. */
  readonly payload: Payload | null;
  /** Why there is none. */
  readonly why: string | null;
  /** That it names, as the recording calls them. */
  readonly sessions: readonly string[];
}

export interface PlayerOptions {
  /** So many times as fast as recorded; infinite: as fast as order allows. */
  readonly speed: number;
  readonly onEnded: (played: Played) => Promise<void>;
}

export class Player {
  readonly #recording: Recording;
  readonly #ground: ReplayGround;
  readonly #options: PlayerOptions;
  readonly #order: EndOrder;
  readonly #names = new SessionNames();
  readonly #open = new Set<Promise<void>>();
  /** When requests that are open began, by id. */
  readonly #begun = new Map<string, { readonly request: RecordedRequest; readonly atMs: number }>();
  #failure: unknown = null;

  constructor(recording: Recording, ground: ReplayGround, options: PlayerOptions) {
    this.#recording = recording;
    this.#ground = ground;
    this.#options = options;
    this.#order = new EndOrder(recording.requests);
  }

  async run(): Promise<void> {
    const { clock } = this.#ground;
    const { requests } = this.#recording;
    const { speed } = this.#options;
    const beganMs = clock.now();
    const firstMs = requests[0]?.arrivedMs ?? 0;
    for (const request of requests) {
      const body = await this.#ground.outside(this.#recording.bodyOf(request));
      // Later arrivals wait for no less, so turns come in the order of arrival.
      await this.#order.turnOf(request);
      const dueMs = beganMs + (request.arrivedMs - firstMs) / speed;
      if (dueMs > clock.now()) await waitMs(this.#ground, dueMs - clock.now());
      const open: Promise<void> = this.#one(request, body)
        .catch((error: unknown) => void (this.#failure ??= error))
        .finally(() => this.#open.delete(open));
      this.#open.add(open);
      if (this.#failure !== null) break;
    }
    await Promise.all(this.#open);
    if (this.#failure !== null) throw this.#failure;
  }

  async #one(request: RecordedRequest, body: Uint8Array | null): Promise<void> {
    const looked = body !== null && body.length <= SESSIONS_BYTES_MAX ? textOf(body) : '';
    const sessions = [...sessionsIn(plainPath(request.path)), ...sessionsIn(looked)];
    try {
      const why = unplayable(request);
      const played =
        why === null
          ? await this.#play(request, this.#callOf(request, body, looked))
          : { payload: null, why };
      await this.#options.onEnded({ recorded: request, sessions, ...played });
    } finally {
      this.#order.ended(request);
    }
  }

  #callOf(request: RecordedRequest, body: Uint8Array | null, text: string): WireCall {
    const { id, method } = request;
    const headers = { ...request.headers, 'x-request-id': id };
    const path = this.#names.toReplay(plainPath(request.path));
    const renamed = sessionsIn(text).length > 0 ? Buffer.from(this.#names.toReplay(text)) : body;
    return { method, path, headers, body: renamed };
  }

  async #play(
    request: RecordedRequest,
    call: WireCall,
  ): Promise<Omit<Played, 'recorded' | 'sessions'>> {
    await this.#untilItsTarget(request);
    const { clock } = this.#ground;
    const known = { request, atMs: clock.now() };
    this.#begun.set(request.id, known);
    const gone = new AbortController();
    this.#leaveInTime(request, gone);
    try {
      const payload = await this.#payload(request, call, gone);
      if (gone.signal.aborted) return { payload: null, why: 'its client left' };
      if (request.made !== null && payload.made !== undefined) {
        this.#names.same(request.made, payload.made);
      }
      await this.#comesUp(request, payload);
      return { payload, why: null };
    } catch (error) {
      if (gone.signal.aborted) return { payload: null, why: 'its client left' };
      const cause = (error as { readonly cause?: unknown }).cause ?? error;
      return { payload: null, why: `no answer: ${(cause as Error).message}` };
    } finally {
      if (this.#begun.get(request.id) === known) this.#begun.delete(request.id);
    }
  }

  async #payload(
    request: RecordedRequest,
    call: WireCall,
    gone: AbortController,
  ): Promise<Payload> {
    const hadAnswer = request.status !== null && isComplete(request.status) && !request.left;
    for (let tries = 0; ; tries += 1) {
      const answer = await this.#ground.fetch(call, gone.signal);
      const isLater = [409, 429, 503].includes(answer.status);
      const payload = await this.#digest(answer, request, gone);
      if (!hadAnswer || !isLater || tries >= RETRIES_MAX) return payload;
      // What was left, here and there, ends in its own time.
      await waitMs(this.#ground, RETRY_MS);
    }
  }

  async #digest(answer: Answer, request: RecordedRequest, gone: AbortController): Promise<Payload> {
    const type = answer.headers['content-type'] ?? '';
    const renamed = (text: string): string => this.#toRecorded(request, text);
    const digest = new PayloadDigest(answer.status, type, renamed);
    const events = request.left?.events ?? 0;
    for await (const chunk of answer.body) {
      digest.take(chunk);
      if (events > 0 && digest.events >= events) gone.abort();
      if (gone.signal.aborted) break;
    }
    return digest.end();
  }

  /** The name of a session that is made just now is known with its answer. */
  #toRecorded({ made }: RecordedRequest, text: string): string {
    const id = made === null ? undefined : /"id":"([^"]+)"/.exec(text)?.[1];
    if (made !== null && id !== undefined) this.#names.same(made, id);
    return this.#names.toRecorded(text);
  }

  #leaveInTime({ left, arrivedMs }: RecordedRequest, gone: AbortController): void {
    if (left === null || left.events > 0) return;
    const { speed } = this.#options;
    const gapMs = left.atMs - arrivedMs;
    const afterMs = Number.isFinite(speed) ? gapMs / speed : Math.min(gapMs, LEAVES_MS);
    this.#ground.timers.start(Math.max(0, afterMs), () => gone.abort());
  }

  /** A cancel comes as long after its request as it did, or finds nobody. */
  async #untilItsTarget({ method, path, arrivedMs }: RecordedRequest): Promise<void> {
    const id = /^\/v1\/requests\/([^/?]+)/.exec(path)?.[1];
    if (method !== 'DELETE' || id === undefined) return;
    const target = this.#begun.get(decodeURIComponent(id));
    if (target === undefined) return;
    const dueMs = target.atMs + (arrivedMs - target.request.arrivedMs);
    await waitMs(this.#ground, dueMs - this.#ground.clock.now());
  }

  /** Clients ask until a model that they registered is there; those questions are not recorded. */
  async #comesUp({ method, path }: RecordedRequest, { status }: Payload): Promise<void> {
    if (method !== 'POST' || status !== 202 || !/^\/admin\/models(\?|$)/.test(path)) return;
    const { clock } = this.#ground;
    const untilMs = clock.now() + COMING_UP_MS;
    const call = { method: 'GET', path: '/admin/models', headers: {}, body: null };
    while (clock.now() < untilMs) {
      const { body } = await this.#ground.fetch(call, new AbortController().signal);
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
      if (!/"state":"(registering|preparing|replacing)"/.test(text)) return;
      await waitMs(this.#ground, RETRY_MS);
    }
  }
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);
