/**
 * Waits for states of actors, by the records that threads give. They are asked only while somebody
 * waits, every two milliseconds: what waits for a state acts a little later, so a scenario has the
 * state last longer (`models/paced`).
 */
import type { Timers } from '../runtime/base/ports.js';
import type { SystemRecord } from '../runtime/system/recorder.js';
import type { ReachedMoment, Transitions } from './ground.js';

const POLL_MS = 2;

/** Machines by where their actors live, and the states they begin in, which no transition tells. */
const machineTable: readonly (readonly [RegExp, string, string])[] = [
  [/\/requests\/[^/]+$/, 'finiteRequest', 'preparing'],
  [/\/cohorts\/[^/]+$/, 'cohort', 'preparing'],
  [/\/(?:turns|sessions)\/[^/]+$/, 'session', 'idle'],
  [/\/epochs\/[^/]+$/, 'epoch', 'packing'],
  [/\/specializations\/[^/]+$/, 'specialization', 'keyed'],
  [/\/gathers\/[^/]+$/, 'gather', 'waiting'],
  [/\/banks\/[^/]+$/, 'bank', 'absent'],
  [/\/deployments\/[^/]+$/, 'deployment', 'registering'],
  [/^main:\/server$/, 'server', 'starting'],
  [/^main:\/server\/devices\/[^/]+$/, 'device', 'opening'],
  [/^device[^:/]*:\/device[^/]*$/, 'deviceQueue', 'opening'],
];

export const machines: readonly string[] = machineTable.map(([, machine]) => machine);

/** The state that an actor came into, as `machine.state`, and when; null for other records. */
export function reachedIn(record: SystemRecord): { what: string; atMs: number } | null {
  if (record.type !== 'transition' && record.type !== 'spawn') return null;
  const { actor, atMs } = record;
  const found = machineTable.find(([pattern]) => pattern.test(actor));
  if (found === undefined) return null;
  const [, machine, initial] = found;
  return { what: `${machine}.${record.type === 'spawn' ? initial : record.to}`, atMs };
}

/** Where records come from. */
export interface RecordSource {
  readonly threads: readonly string[];
  start(): Promise<void>;
  /** Of a thread, since it was asked last; one that is busy is long in answering. */
  take(thread: string): Promise<readonly SystemRecord[]>;
  stop(): Promise<void>;
}

interface Waiter {
  readonly what: string;
  readonly times: number;
  readonly sinceMs: number;
  readonly done: () => void;
}

export class RecordedTransitions implements Transitions {
  readonly #source: RecordSource;
  readonly #timers: Timers;
  readonly #reached: { readonly what: string; readonly atMs: number }[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #polled = new Set<string>();
  #isRecording = false;
  #isClosed = false;

  constructor(source: RecordSource, timers: Timers) {
    this.#source = source;
    this.#timers = timers;
  }

  async begin(): Promise<void> {
    if (this.#isRecording) return;
    this.#isRecording = true;
    await this.#source.start();
  }

  reached({ machine, state, times }: ReachedMoment, sinceMs: number): Promise<void> {
    const what = `${machine}.${state}`;
    return new Promise((done) => {
      this.#waiters.add({ what, times, sinceMs, done });
      this.#settle();
      for (const thread of this.#source.threads) void this.#poll(thread);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiters.clear();
    if (this.#isRecording) await this.#source.stop();
  }

  /** Each thread by itself: none waits for one that is busy. */
  async #poll(thread: string): Promise<void> {
    if (this.#polled.has(thread)) return;
    this.#polled.add(thread);
    while (this.#waiters.size > 0 && !this.#isClosed) {
      for (const record of await this.#source.take(thread)) {
        const reached = reachedIn(record);
        if (reached !== null) this.#reached.push(reached);
      }
      this.#settle();
      await new Promise<void>((done) => void this.#timers.start(POLL_MS, done));
    }
    this.#polled.delete(thread);
  }

  #settle(): void {
    for (const waiter of this.#waiters) {
      const isThere = ({ what, atMs }: { what: string; atMs: number }): boolean =>
        what === waiter.what && atMs >= waiter.sinceMs;
      if (this.#reached.filter(isThere).length < waiter.times) continue;
      this.#waiters.delete(waiter);
      waiter.done();
    }
  }
}
