/**
 * The readers of a simulated server: an actor on the main thread that asks for text as
 * `edge/text-port.ts` does, keeps sessions, leaves, and takes what is said at its own pace. Knows
 * what every row holds, because what follows a row is known from its ids: after a turn that was cut
 * short it asks how many tokens there are.
 */
import { SERVER, type SessionAnswer, type TextRequest } from '../../actors/protocol.js';
import type { StreamReaders } from '../../actors/system/text-streams.js';
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import { CONTEXT, saidAfter } from './text-package.js';
import type { TextReader, TextStep } from './text-plan.js';
import { TextStreams } from './text-readings.js';
import { PATIENCE_MS } from './traffic.js';

/** Whoever reads never leaves after so long, like a client whose time is up. */
const STALLED_MS = 250;
const AGAIN_MS = 3;

/** A session as its client knows it. */
interface Known {
  readonly model: string;
  readonly id: string;
  /** What the row holds; where a turn was cut short, what it would hold at its end. */
  ids: readonly number[];
  isCertain: boolean;
  readonly marks: (readonly number[])[];
}

/** What was asked, and how it went. */
export interface TextEvent {
  readonly op: TextStep['op'] | 'open' | 'describe' | 'crowd';
  readonly model: string;
  readonly step: TextStep | null;
  readonly session: string | null;
  /** What the row held before; of a turn what it reads follows. */
  readonly before: readonly number[];
  readonly prompt: readonly number[];
  readonly stream: number | null;
  readonly sentMs: number;
  readonly deadlineMs: number;
  correlation: string;
  leftMs: number;
  readonly replies: { readonly reply: Reply; readonly atMs: number }[];
}

interface Playing {
  readonly reader: TextReader;
  readonly sessions: Known[];
  at: number;
}

/** What an answer is for. */
type Then = (reply: Reply) => void;

export class TextTraffic {
  readonly history: TextEvent[] = [];
  readonly streams: TextStreams;
  readonly #thens = new Map<string, Then>();
  #self: ActorSelf | null = null;
  #opened = 0;
  /** Nobody waits beyond it. */
  deadlineMs = Infinity;

  constructor() {
    this.streams = new TextStreams((delayMs, act) => this.#later(delayMs, act));
  }

  get readers(): StreamReaders {
    return this.streams;
  }

  /** The client's factory. */
  readonly client = (self: ActorSelf, readers: readonly TextReader[]): Behaviour => {
    this.#self = self;
    this.play(readers);
    return {
      receive: (_, message) => {
        if (message.kind === 'due') (message.payload as { act: () => void }).act();
        else if (message.role === 'reply') this.#answered(message);
      },
    };
  };

  play(readers: readonly TextReader[]): void {
    for (const reader of readers) this.#next({ reader, sessions: [], at: 0 });
  }

  get open(): readonly TextEvent[] {
    return this.history.filter(({ replies }) => replies.length === 0);
  }

  /** Every reader whose turn is open leaves now; how many there are. */
  leaveAll(): number {
    const turns = this.open.filter(({ op }) => op === 'generate');
    for (const event of turns) this.#leave(event);
    return turns.length;
  }

  /** The time of all is up a moment from now; they say so before they hear it, as the edge does. */
  expireAll(): number {
    for (const { correlation } of this.open) this.#self!.cancelAsk(correlation);
    return this.open.length;
  }

  /** One of these, or whoever has waited longest; false when nobody waits. */
  leaveOne(isIts: (event: TextEvent) => boolean): boolean {
    const turns = this.open.filter(({ op }) => op === 'generate');
    const event = turns.find(isIts) ?? turns[0];
    if (event !== undefined) this.#leave(event);
    return event !== undefined;
  }

  #leave(event: TextEvent): void {
    if (event.replies.length > 0) return;
    event.leftMs = Math.min(event.leftMs, this.#self!.now());
    this.#self!.cancelAsk(event.correlation);
  }

  #later(delayMs: number, act: () => void): void {
    const self = this.#self!;
    self.startTimer(self.nextId('due'), Math.max(0, delayMs), 'due', { act });
  }

  #next(playing: Playing): void {
    const step = playing.reader.steps[playing.at];
    if (step === undefined) return;
    playing.at += 1;
    this.#later(step.atMs - this.#self!.now(), () => this.#take(playing, step));
  }

  #take(playing: Playing, step: TextStep): void {
    const { reader, sessions } = playing;
    const again = (): void => this.#take(playing, step);
    if (!reader.keepsSession) return this.#turn(playing, step, null);
    if (sessions.length === 0) {
      const { model } = reader;
      return this.#ask({ op: 'open', session: null, model }, { op: 'open' }, (reply) => {
        if (reply.outcome !== 'value') return;
        sessions.push(fresh(model, reply.value as SessionAnswer, []));
        again();
      });
    }
    const session = sessions[step.pick % sessions.length]!;
    if (!session.isCertain) return this.#find(playing, session, again);
    if (step.op === 'generate') return this.#turn(playing, step, session);
    this.#change(playing, step, session);
  }

  /** How much of its last turn the row has. */
  #find({ sessions }: Playing, session: Known, then: () => void): void {
    const { id, model } = session;
    const about = { op: 'describe', session: id, model } as const;
    this.#ask(about, { op: 'describe', session: id }, (reply) => {
      if (reply.outcome !== 'value') {
        sessions.splice(sessions.indexOf(session), 1);
        return then();
      }
      const { state, tokens } = reply.value as SessionAnswer;
      if (state === 'running')
        return this.#later(AGAIN_MS, () => this.#find({ sessions } as Playing, session, then));
      session.ids = session.ids.slice(0, tokens);
      session.isCertain = tokens <= session.ids.length;
      then();
    });
  }

  #turn(playing: Playing, step: TextStep, session: Known | null): void {
    const { prompt, maxTokens, details, reading } = step;
    const stream = this.streams.open(reading);
    const body = {
      prompt: { kind: 'tokens', ids: prompt } as const,
      session: session?.id ?? null,
      maxTokens,
      stop: [],
      sampling: details ? { topLogprobs: 0 } : {},
      grammar: null,
      hasTools: false,
    };
    const before = session?.ids ?? [];
    const { model } = playing.reader;
    const id = session?.id ?? null;
    const about = { op: step.op, session: id, model, step, before, prompt, stream };
    if (session !== null) cutShort(session, prompt);
    this.#ask(about, { op: 'generate', body, stream }, (reply) => {
      if (reply.outcome === 'value' && session !== null) {
        const said = (reply.value as { outputTokens: number }).outputTokens;
        session.ids = session.ids.slice(0, before.length + prompt.length + said);
        session.isCertain = true;
      }
      this.#next(playing);
    });
    if (step.isCrowded && session !== null) this.#crowd(session);
  }

  /** Somebody else wants the row, too, and changes nothing that is read later. */
  #crowd({ id, model }: Known): void {
    const change = { op: 'checkpoint' } as const;
    this.#ask(
      { op: 'crowd', session: id, model },
      { op: 'change', session: id, change },
      () => undefined,
    );
  }

  #change(playing: Playing, step: TextStep, session: Known): void {
    const { id, ids, model } = session;
    const { op, prompt } = step;
    const kept = Math.floor((ids.length * (step.pick + 1)) / 4);
    const mark = session.marks.length;
    const changes = {
      append: { op: 'append', prompt: { kind: 'tokens', ids: prompt } },
      fork: { op: 'fork' },
      rewind: { op: 'rewind', tokens: kept },
      checkpoint: { op: 'checkpoint' },
      restore: { op: 'restore', checkpoint: `checkpoint-${mark}` },
      close: { op: 'close' },
      generate: { op: 'close' },
    } as const;
    if (op === 'restore' && mark === 0) return this.#next(playing);
    const about = { op, session: id, model, step, before: ids, prompt };
    if (op === 'append') cutShort(session, prompt);
    this.#ask(about, { op: 'change', session: id, change: changes[op] }, (reply) => {
      if (reply.outcome === 'value')
        this.#changed(playing, session, { op, prompt, ids, kept, reply });
      this.#next(playing);
    });
  }

  #changed({ sessions }: Playing, session: Known, { op, prompt, ids, kept, reply }: Changed): void {
    const answer = reply.value as SessionAnswer;
    session.isCertain = true;
    if (op === 'append') session.ids = [...ids, ...prompt];
    else if (op === 'rewind') session.ids = ids.slice(0, kept);
    // The crowd makes marks too: the answer says which is ours.
    else if (op === 'checkpoint') session.marks[answer.checkpoints.length - 1] = ids;
    else if (op === 'restore') session.ids = session.marks.at(-1)!;
    else if (op === 'fork') sessions.push(fresh(session.model, answer, ids));
    else if (op === 'close') sessions.splice(sessions.indexOf(session), 1);
  }

  #ask(about: About, text: TextRequest, then: Then): void {
    const self = this.#self!;
    const { op, session, model, step = null, before = [], prompt = [], stream = null } = about;
    const sentMs = self.now();
    const deadlineMs = Math.min(sentMs + PATIENCE_MS, this.deadlineMs);
    const submit = { deployment: model, requestId: `sim-${this.#opened++}`, text };
    const correlation = self.ask(SERVER, 'request.submit', submit, { deadlineMs, as: 'answer' });
    const event: TextEvent = {
      ...{ op, model, step, session, before, prompt, stream, sentMs, deadlineMs, correlation },
      leftMs: Infinity,
      replies: [],
    };
    this.history.push(event);
    this.#thens.set(correlation, then);
    const isStuck = step?.reading === 'never' && stream !== null;
    const leavesMs = step?.leavesMs ?? (isStuck ? STALLED_MS : null);
    if (step === null || leavesMs === null) return;
    this.#later(leavesMs, () => this.#leave(event));
  }

  #answered({ payload }: Message): void {
    const reply = payload as Reply;
    const event = this.history.find(({ correlation }) => correlation === reply.correlation);
    if (event === undefined) return;
    event.replies.push({ reply, atMs: this.#self!.now() });
    if (event.stream !== null) this.streams.close(event.stream);
    this.#thens.get(reply.correlation)?.(reply);
    this.#thens.delete(reply.correlation);
  }
}

type About = Pick<TextEvent, 'op' | 'session' | 'model'> &
  Partial<Pick<TextEvent, 'step' | 'before' | 'prompt' | 'stream'>>;

interface Changed {
  readonly op: TextStep['op'];
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  readonly kept: number;
  readonly reply: Reply;
}

const fresh = (model: string, { id }: SessionAnswer, ids: readonly number[]): Known => ({
  model,
  id,
  ids,
  isCertain: true,
  marks: [],
});

/** Until its answer, the row holds some of what it may come to hold. */
function cutShort(session: Known, prompt: readonly number[]): void {
  const ids = [...session.ids, ...prompt].slice(0, CONTEXT);
  session.ids = ids.length === 0 ? [] : [...ids, ...saidAfter(ids)];
  session.isCertain = false;
}
