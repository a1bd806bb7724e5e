/**
 * Retained text in memory behind the seam of http/text-serving.ts: speaks the tokens that a test
 * tells it to, one delta each, waits where the sink tells it to wait, and keeps what it was asked.
 */
import type {
  OpenOptions,
  SavedSession,
  SessionChange,
  SessionState,
  TextCall,
  TextDelta,
  TextOptions,
  TextResult,
  TextServing,
  TextToken,
} from '../../http/text-serving.js';
import { StatusError } from '../../runtime/base/errors.js';
import type { Prompt } from '../../runtime/profiles/text.js';

export interface Speech {
  /** Text of each token. */
  readonly tokens: readonly string[];
  /** Of a prompt that is scored, text of each token. */
  readonly prompt?: readonly string[];
  /** Thrown after so many deltas. */
  readonly failAt?: number;
  readonly failure?: Error;
  /** Waits for ever after so many deltas, until it is told to stop. */
  readonly hangAt?: number;
  /** With tools: what of each token is content for sure. */
  readonly contents?: readonly string[];
  /** What the package reads in the answer when tools were offered. */
  readonly chat?: string;
  readonly drafted?: number;
  readonly accepted?: number;
  readonly cached?: number;
}

export class FakeText implements TextServing {
  readonly calls: TextCall[] = [];
  readonly changes: { readonly id: string; readonly change: SessionChange }[] = [];
  readonly sessionsById = new Map<string, SessionState>();
  /** Tokens by name. */
  readonly saved = new Map<string, number>();
  /** What tokens of a sequence give; null: it is none. */
  captured: Uint8Array | null = null;
  /** Requests that were told to stop. */
  readonly aborted: string[] = [];
  /** Bytes of text that were given out, by request. */
  readonly spoken = new Map<string, number>();
  /** Calls that have ended. */
  ended = 0;
  /** By call, in order; the last one goes on. */
  speeches: Speech[] = [{ tokens: ['Hel', 'lo'] }];
  /** Sessions whose ids reached nobody. */
  readonly dropped: string[] = [];
  /** What the opening of a session waits for. */
  opening: Promise<void> = Promise.resolve();
  /** Thrown by the next calls, in order. */
  readonly failures: Error[] = [];

  async generate(call: TextCall, options: TextOptions): Promise<TextResult> {
    const speech = this.speeches[Math.min(this.calls.length, this.speeches.length - 1)]!;
    this.calls.push(call);
    this.#failOnce();
    const { model, body } = call;
    if (model === 'nobody') throw missing(model);
    const stopped = new Promise<void>((resolve) =>
      options.signal.addEventListener('abort', () => {
        this.aborted.push(call.requestId);
        resolve();
      }),
    );
    if (body.isPromptScored === true) this.#sayPrompt(call, speech.prompt ?? [], options);
    const limit = body.maxTokens ?? Infinity;
    let count = 0;
    for (const text of speech.tokens) {
      if (count >= limit || options.signal.aborted) break;
      if (count === speech.failAt) throw speech.failure ?? new Error('broken');
      if (count === speech.hangAt) break;
      const content = speech.contents?.[count] ?? '';
      const known = content === '' ? {} : { content };
      const delta: TextDelta = { text, tokens: [this.#token(call, text)], ...known };
      const held = options.onDelta(delta);
      this.spoken.set(call.requestId, (this.spoken.get(call.requestId) ?? 0) + text.length);
      count += 1;
      if (held !== undefined) await Promise.race([held, stopped]);
    }
    if (count === speech.hangAt) await stopped;
    this.ended += 1;
    if (options.signal.aborted) throw new StatusError('cancelled', 'told to stop');
    if (count === speech.failAt) throw speech.failure ?? new Error('broken');
    return { ...resultOf(call, speech, count), captured: this.captured };
  }

  async openSession(model: string, { restore }: OpenOptions): Promise<SessionState> {
    this.#failOnce();
    await this.opening;
    if (model === 'nobody') throw missing(model);
    const tokens = restore === undefined ? 0 : this.#saved(restore);
    return this.#keep({
      id: `s${this.sessionsById.size + 1}`,
      model,
      state: 'idle',
      tokens,
      checkpoints: [],
      context: 64,
    });
  }

  async session(id: string): Promise<SessionState> {
    this.#failOnce();
    const found = this.sessionsById.get(id);
    if (found !== undefined) return found;
    throw new StatusError('notFound', `no session has the id ${id}`, { param: 'session' });
  }

  async sessions(model: string): Promise<readonly SessionState[]> {
    return [...this.sessionsById.values()].filter((session) => session.model === model);
  }

  dropSession(id: string): void {
    this.dropped.push(id);
    this.sessionsById.delete(id);
  }

  async changeSession(id: string, change: SessionChange): Promise<SessionState> {
    const before = await this.session(id);
    this.changes.push({ id, change });
    if (change.op === 'close') this.sessionsById.delete(id);
    if (change.op === 'fork')
      return this.#keep({ ...before, id: `s${this.sessionsById.size + 1}` });
    if (change.op === 'append' && this.captured !== null) {
      return { ...before, captured: this.captured };
    }
    if (change.op === 'rewind') return this.#keep({ ...before, tokens: change.tokens });
    if (change.op === 'checkpoint') {
      const checkpoint = { id: `c${before.checkpoints.length + 1}`, tokens: before.tokens };
      return this.#keep({ ...before, checkpoints: [...before.checkpoints, checkpoint] });
    }
    return before;
  }

  async saveSession(id: string, name: string): Promise<SavedSession> {
    const { tokens } = await this.session(id);
    this.saved.set(name, tokens);
    return { name, tokens, bytes: 100 + tokens };
  }

  #saved(name: string): number {
    const tokens = this.saved.get(name);
    if (tokens !== undefined) return tokens;
    throw new StatusError('notFound', `no saved session has the name ${name}`, {
      param: 'restore',
    });
  }

  async tokenize(model: string, prompt: Prompt): Promise<readonly number[]> {
    if (model === 'nobody') throw missing(model);
    if (prompt.kind === 'tokens') return prompt.ids;
    return [...Buffer.from(prompt.kind === 'text' ? prompt.text : prompt.json)];
  }

  async detokenize(model: string, ids: readonly number[]): Promise<string> {
    if (model === 'nobody') throw missing(model);
    return Buffer.from(ids).toString();
  }

  #keep(session: SessionState): SessionState {
    this.sessionsById.set(session.id, session);
    return session;
  }

  #sayPrompt(call: TextCall, texts: readonly string[], { onDelta }: TextOptions): void {
    let offset = 0;
    for (const text of texts) {
      const token = { ...this.#token(call, text), offset };
      const first = { ...token, logprob: null, top: [] };
      void onDelta({ text: '', tokens: [], prompt: [offset === 0 ? first : token] });
      offset += text.length;
    }
  }

  #token({ body }: TextCall, text: string): TextToken {
    // Half a character, whichever the test means.
    const own = { id: text.length, text, ...(text === '\ufffd' ? { bytes: [0xc3] } : {}) };
    const wanted = body.sampling.topLogprobs;
    if (wanted === undefined) return { ...own, logprob: null, top: [] };
    const top = Array.from({ length: wanted }, (_, rank) => ({
      id: rank,
      text: rank === 0 ? text : `other${rank}`,
      logprob: rank === 3 ? -Infinity : -0.5 - rank,
    }));
    return { ...own, logprob: -0.5, top };
  }

  #failOnce(): void {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}

function resultOf({ model, body }: TextCall, speech: Speech, count: number): TextResult {
  return {
    model,
    generation: 7,
    finish: body.maxTokens !== null && count >= body.maxTokens ? 'length' : 'stop',
    promptTokens: 5,
    cachedTokens: speech.cached ?? 0,
    outputTokens: count,
    drafted: speech.drafted ?? 0,
    accepted: speech.accepted ?? 0,
    captured: null,
    chat: body.hasTools ? (speech.chat ?? null) : null,
    timings: { queueMs: 1, promptMs: 10, generateMs: 20 },
  };
}

function missing(model: string): StatusError {
  return new StatusError('notFound', `no model "${model}" is served`, { param: 'model' });
}
