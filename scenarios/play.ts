/**
 * Plays the acts of one scenario: each waits for its moment, does what it does, and ends once. All
 * moments hang together through the ends of acts, so an act whose moment never comes is found by
 * the patience of the whole.
 */
import { StatusError } from '../runtime/base/errors.js';
import { EventReader } from './event-reader.js';
import { textOf, type Answer, type Ground, type Release } from './ground.js';
import { jsonOf, Outcomes, type Outcome } from './outcome.js';
import { Playing } from './playing.js';
import { checkActs, tellMoment } from './check-acts.js';
import { isCall, isHold, type Act, type Call, type Hold } from './scenario.js';
import type { Moment, Scenario } from './scenario.js';

/** Far above what any scenario takes: a wait that is longer is a hang. */
const PATIENCE_MS = 60_000;
/** Less than servers ask for, so that scenarios are quick. */
const RETRY_MS = 40;

interface Reading {
  readonly body: AsyncIterable<Uint8Array>;
  readonly reader: EventReader;
  readonly gone: AbortController;
}

/** Events of its own after which a client leaves: it takes no more, though more is there. */
function eventsMax({ name, leaves }: Act): number {
  if (leaves?.kind === 'answering' && leaves.act === name) return 0;
  return leaves?.kind === 'said' && leaves.act === name ? leaves.events : Infinity;
}

export class Play {
  readonly #ground: Ground;
  readonly #playing: ReadonlyMap<string, Playing>;
  readonly #startMs: number;
  /** Of what is held now. */
  readonly #releases = new Set<Release>();
  readonly outcomes = new Outcomes();

  constructor({ acts }: Scenario, ground: Ground) {
    this.#ground = ground;
    checkActs(acts);
    this.#playing = new Map(acts.map((act) => [act.name, new Playing(act)]));
    this.#startMs = ground.clock.now();
  }

  /** Resolves when every act has ended; rejects, naming those that have not, after its patience. */
  async run(): Promise<Outcomes> {
    const { timers } = this.#ground;
    const all = Promise.all([...this.#playing.values()].map((one) => this.#act(one)));
    let timer = 0;
    const patience = new Promise<never>((_, reject) => {
      timer = timers.start(PATIENCE_MS, () => reject(this.#hang()));
    });
    await Promise.race([all, patience]).finally(() => {
      timers.cancel(timer);
      for (const release of this.#releases) release();
    });
    return this.outcomes;
  }

  /** Who waits for what. */
  #hang(): StatusError {
    const open = [...this.#playing.values()].filter(({ outcome }) => outcome === null);
    const lines = open.map(({ act, waitsFor }) => `${act.name} waits for ${waitsFor}`);
    return new StatusError('deadlineExceeded', `never ended: ${lines.join('; ')}`);
  }

  async #act(playing: Playing): Promise<void> {
    const { act } = playing;
    if (act.when !== undefined) await this.#moment(playing, act.when, this.#startMs);
    const sentMs = this.#ground.clock.now();
    if (isCall(act.does)) await this.#call(playing, await this.#named(playing, act.does));
    else {
      playing.waitsFor = act.does.kind;
      if (isHold(act.does)) await this.#hold(playing, act.does);
      else await this.#ground.harm!(act.does);
      this.#end(playing, { sentMs, status: null });
    }
  }

  async #hold(playing: Playing, { until, ...what }: Hold): Promise<void> {
    const release = await this.#ground.hold!(what);
    this.#releases.add(release);
    playing.answering.come();
    await this.#moment(playing, until, this.#startMs);
    this.#releases.delete(release);
    release();
  }

  /** Names in its path give way to ids; it waits for the acts that have them. */
  async #named(playing: Playing, call: Call): Promise<Call> {
    let { path } = call;
    for (const [, name] of call.path.matchAll(/\{([^}]+)\}/g)) {
      const giver = this.#playing.get(name!)!;
      playing.waitsFor = `the id that ${name} gives`;
      await giver.ended.wait();
      const { id } = (jsonOf(giver.outcome!) ?? {}) as { id?: string };
      path = path.replace(`{${name}}`, encodeURIComponent(id ?? `no-id-of-${name}`));
    }
    return { ...call, path };
  }

  async #call(playing: Playing, call: Call): Promise<void> {
    const { act } = playing;
    const sentMs = this.#ground.clock.now();
    const gone = new AbortController();
    let isOver = false;
    if (act.leaves !== undefined) {
      void this.#moment(null, act.leaves, sentMs).then(() => {
        if (!isOver) gone.abort();
      });
    }
    const reader = new EventReader();
    let answer: Answer | null = null;
    let broke: string | null = null;
    try {
      playing.waitsFor = 'an answer';
      answer = await this.#answer(act, call, gone.signal);
      playing.answering.come();
      if (eventsMax(act) === 0) gone.abort();
      if (act.readsFrom !== undefined) await this.#reading(playing, act.readsFrom, gone.signal);
      playing.waitsFor = 'the end of its answer';
      await this.#read(playing, { body: answer.body, reader, gone });
    } catch (error) {
      if (!gone.signal.aborted) broke = String((error as Error).cause ?? error);
    }
    isOver = true;
    const { status = null, headers = {} } = answer ?? {};
    const left = gone.signal.aborted;
    this.#end(playing, { sentMs, status, headers, left, text: reader.text, broke });
  }

  /** Ends with the body, or when its client has left: what had come already is not read then. */
  async #read(playing: Playing, { body, reader, gone }: Reading): Promise<void> {
    const { signal } = gone;
    const chunks = body[Symbol.asyncIterator]();
    const left = new Promise<null>((done) => {
      signal.addEventListener('abort', () => done(null), { once: true });
    });
    // An answer that was left may say nothing any more, not even that it is over.
    while (!signal.aborted) {
      const next = await Promise.race([chunks.next(), left]);
      if (next === null || next.done === true || signal.aborted) break;
      for (const data of reader.take(next.value)) {
        playing.hear({ data, atMs: this.#ground.clock.now() });
        if (playing.events.length < eventsMax(playing.act)) continue;
        gone.abort();
        break;
      }
    }
    void chunks.return?.().catch(() => undefined);
  }

  async #answer(act: Act, call: Call, signal: AbortSignal): Promise<Answer> {
    const { fetch, timers } = this.#ground;
    for (;;) {
      const answer = await fetch(call, signal);
      if (act.awaits === undefined && act.retries !== true) return answer;
      const text = await textOf(answer);
      if (!asksAgain(act, answer, text)) return { ...answer, body: chunksOf(text) };
      await new Promise<void>((done) => void timers.start(RETRY_MS, done));
    }
  }

  /** A client that takes nothing yet may leave all the same. */
  #reading(playing: Playing, from: Moment, signal: AbortSignal): Promise<void> {
    playing.waitsFor = 'the moment to read on';
    return new Promise((resolve, reject) => {
      const left = (): void => reject(new Error('left'));
      if (signal.aborted) return left();
      signal.addEventListener('abort', left, { once: true });
      void this.#moment(playing, from, this.#startMs).then(resolve, reject);
    });
  }

  #end(playing: Playing, known: Partial<Outcome> & Pick<Outcome, 'sentMs'>): void {
    const { name } = playing.act;
    const none = { status: null, headers: {}, left: false, text: '', broke: null };
    const endedMs = this.#ground.clock.now();
    playing.outcome = { ...none, name, endedMs, events: playing.events, ...known };
    this.outcomes.add(playing.outcome);
    playing.answering.come();
    playing.ended.come();
  }

  /** `waiting` is whoever can do nothing before. */
  async #moment(waiting: Playing | null, moment: Moment, sinceMs: number): Promise<void> {
    if (waiting !== null) waiting.waitsFor = tellMoment(moment);
    if (moment.kind === 'all') {
      await Promise.all(moment.of.map((one) => this.#moment(null, one, sinceMs)));
    } else if (moment.kind === 'time') {
      const { clock, timers } = this.#ground;
      const waitMs = Math.max(0, this.#startMs + moment.ms - clock.now());
      await new Promise<void>((done) => void timers.start(waitMs, done));
    } else if (moment.kind === 'reached') {
      await this.#ground.transitions!.reached(moment, sinceMs);
    } else {
      const other = this.#playing.get(moment.act)!;
      if (moment.kind === 'ended') await other.ended.wait();
      else if (moment.kind === 'answering') await other.answering.wait();
      else await Promise.race([other.said(moment.events), other.ended.wait()]);
    }
  }
}

/** It has not been told what it waits for, or is told to come again. */
function asksAgain({ retries, awaits }: Act, { status, headers }: Answer, text: string): boolean {
  if (awaits !== undefined) return !awaits.test(`${status} ${text}`);
  return retries === true && (status === 409 || headers['retry-after'] !== undefined);
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
