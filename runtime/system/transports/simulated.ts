/**
 * Many virtual threads in one: a world in which a seed decides what happens next (whose turn, which
 * delivery, how long it travels) and nothing else does. The order of each pair of threads is kept,
 * time moves only when nothing is due, payloads are cloned as between real threads, and a thread
 * may die at any step. Same seed, same programs: same run, line by line.
 */
import { assert } from '../../base/errors.js';
import type { Ports } from '../../base/ports.js';
import type { Envelope } from '../envelope.js';
import { SeededRandom } from '../seeded-random.js';
import { SimulatedTime } from '../simulated-ports.js';
import type { Transport, TransportReceiver } from '../transport.js';
import { cloneBatch } from './batch-clone.js';

export interface SimulationOptions {
  readonly seed: number;
  /** Envelopes travel up to this long; 0 without. */
  readonly delayMaxMs?: number;
  readonly startMs?: number;
  /** Lines of the trace that are kept, the first; absent: all. */
  readonly traceMax?: number;
  /** Called before each step: the place to inject faults. */
  readonly onStep?: (step: SimulatedStep, world: SimulatedWorld) => void;
}

export type SimulatedStep =
  | { readonly kind: 'turn'; readonly thread: string }
  | {
      readonly kind: 'deliver';
      readonly from: string;
      readonly thread: string;
      /** Null: the news that `from` has died. */
      readonly envelope: Envelope | null;
    }
  | { readonly kind: 'timer'; readonly thread: string };

export interface RunLimits {
  readonly stepsMax?: number;
  /** Time ends here, even if nothing happens until then. */
  readonly untilMs?: number;
}

const STEPS_MAX = 100_000;

/** What travels from one thread to another, in order. */
interface Channel {
  readonly from: string;
  readonly to: string;
  readonly inFlight: InFlight[];
}

interface InFlight {
  readonly readyMs: number;
  readonly envelope: Envelope | null;
}

/** What can happen next: a thread's turn, the head of a channel, or the timer that is due. */
type Enabled = string | Channel | typeof timer;
const timer = Symbol('timer');

export class SimulatedWorld {
  readonly time: SimulatedTime;
  /** One line a step. */
  readonly trace: string[] = [];
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #threads = new Map<string, SimulatedTransport>();
  readonly #channels = new Map<string, Map<string, Channel>>();
  /** The same in order of their first use. */
  readonly #channelList: Channel[] = [];
  /** Of the step that is about to be taken, so many; the same list again for each. */
  readonly #choices: Enabled[] = [];
  #choiceCount = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.time = new SimulatedTime(options.seed, options.startMs);
  }

  /** A new thread (or a dead one started anew); all threads know each other. */
  thread(name: string): { readonly ports: Ports; readonly transport: Transport } {
    assert(!this.#threads.has(name), `one live thread ${name}`);
    const transport = new SimulatedTransport(this, name);
    for (const other of this.#threads.values()) {
      other.receiver?.threadFound(name);
    }
    this.#threads.set(name, transport);
    return { ports: this.time.ports(name), transport };
  }

  /** Ends a thread at once: others learn of it after what it sent, or a part of that, arrived. */
  kill(name: string): void {
    if (!this.#threads.delete(name)) return;
    this.time.dropTimersOf(name);
    for (const channel of this.#channelList) {
      if (channel.to === name) channel.inFlight.length = 0;
      if (channel.from === name) {
        channel.inFlight.length = this.#random.below(channel.inFlight.length + 1);
      }
    }
    for (const to of this.#threads.keys()) this.#enqueue(name, to, null);
  }

  isAlive(name: string): boolean {
    return this.#threads.has(name);
  }

  /** Whether all who live have heard of its death. */
  isMourned(name: string): boolean {
    return this.#channelList.every(
      ({ from, inFlight }) => from !== name || inFlight.every(({ envelope }) => envelope !== null),
    );
  }

  /** Steps until nothing can happen any more; false if a limit came first. */
  run({ stepsMax = STEPS_MAX, untilMs = Infinity }: RunLimits = {}): boolean {
    for (let steps = 0; steps < stepsMax; steps++) {
      const count = this.#choose(this.time.nowMs);
      if (count > 0) {
        this.#take(this.#step(this.#choices[this.#random.below(count)]!));
        continue;
      }
      const nextMs = this.#nextMs();
      if (nextMs === null || nextMs > untilMs) {
        if (untilMs !== Infinity) this.time.advanceTo(untilMs);
        return nextMs === null;
      }
      this.time.advanceTo(nextMs);
    }
    return false;
  }

  /**
   * These threads come first: their turns, timers that are due and whatever they send, until they
   * have nothing more to say. No time passes. One of the orders that chance might have chosen.
   */
  burst(threads: readonly string[]): void {
    const isOurs = (one: Enabled): boolean => {
      if (one === timer) return threads.includes(this.time.next!.thread);
      return threads.includes(typeof one === 'string' ? one : one.from);
    };
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      const count = this.#choose(Infinity);
      const enabled = this.#choices.slice(0, count).filter(isOurs);
      if (enabled.length === 0) return;
      this.#take(this.#step(enabled[this.#random.below(enabled.length)]!));
    }
  }

  /** Of the transports: what a turn of `from` sent. */
  carry(from: string, outbox: readonly { to: string; envelope: Envelope }[]): void {
    const sender = this.#threads.get(from);
    if (sender === undefined) return;
    const byPeer = new Map<string, Envelope[]>();
    for (const { to, envelope } of outbox) {
      const batch = byPeer.get(to);
      if (batch === undefined) byPeer.set(to, [envelope]);
      else batch.push(envelope);
    }
    for (const [to, batch] of byPeer) {
      const clones = cloneBatch(batch, (envelope, detail) =>
        sender.receiver?.undeliverable(envelope, 'uncloneable', detail),
      );
      if (this.#threads.has(to)) for (const envelope of clones) this.#enqueue(from, to, envelope);
    }
  }

  #enqueue(from: string, to: string, envelope: Envelope | null): void {
    const { inFlight } = this.#channel(from, to);
    const delayMs = this.#random.next() * (this.#options.delayMaxMs ?? 0);
    const lastMs = inFlight.at(-1)?.readyMs ?? 0;
    const readyMs = Math.max(lastMs, this.time.nowMs + delayMs);
    inFlight.push({ readyMs, envelope });
  }

  #channel(from: string, to: string): Channel {
    let peers = this.#channels.get(from);
    if (peers === undefined) this.#channels.set(from, (peers = new Map()));
    let channel = peers.get(to);
    if (channel !== undefined) return channel;
    channel = { from, to, inFlight: [] };
    peers.set(to, channel);
    this.#channelList.push(channel);
    return channel;
  }

  /**
   * Lists what may happen now, with envelopes that have arrived by `arrivedMs`, and says how much
   * it is. Asked at every step of every run: makes nothing, and the list never shrinks, because V8
   * gives up its storage then.
   */
  #choose(arrivedMs: number): number {
    const { nowMs, next } = this.time;
    this.#choiceCount = 0;
    this.#threads.forEach(this.#addAwake);
    for (let i = 0; i < this.#channelList.length; i++) {
      const channel = this.#channelList[i]!;
      const head = channel.inFlight[0];
      if (head !== undefined && head.readyMs <= arrivedMs) this.#add(channel);
    }
    if (next !== null && next.dueMs <= nowMs) this.#add(timer);
    return this.#choiceCount;
  }

  readonly #addAwake = ({ isAwake }: SimulatedTransport, thread: string): void => {
    if (isAwake) this.#add(thread);
  };

  #add(choice: Enabled): void {
    this.#choices[this.#choiceCount] = choice;
    this.#choiceCount += 1;
  }

  #step(chosen: Enabled): SimulatedStep {
    if (typeof chosen === 'string') return { kind: 'turn', thread: chosen };
    if (chosen === timer) return { kind: 'timer', thread: this.time.next!.thread };
    const { from, to, inFlight } = chosen;
    return { kind: 'deliver', from, thread: to, envelope: inFlight[0]!.envelope };
  }

  #nextMs(): number | null {
    let nextMs = this.time.next?.dueMs ?? Infinity;
    for (const { inFlight } of this.#channelList) {
      const head = inFlight[0];
      if (head !== undefined && head.readyMs < nextMs) nextMs = head.readyMs;
    }
    return nextMs === Infinity ? null : nextMs;
  }

  #take(step: SimulatedStep): void {
    const { traceMax = Infinity } = this.#options;
    if (this.trace.length < traceMax) this.trace.push(this.#line(step));
    this.#options.onStep?.(step, this);
    const transport = this.#threads.get(step.thread);
    if (transport === undefined) return;
    if (step.kind === 'turn') {
      transport.turn((n) => this.#random.below(n));
    } else if (step.kind === 'timer') {
      // A fault may have cancelled it meanwhile; the one that is next now is not due.
      const { next, nowMs } = this.time;
      if (next !== null && next.dueMs <= nowMs) this.time.fireNext();
    } else {
      this.#deliver(step.from, step.thread);
    }
  }

  #deliver(from: string, to: string): void {
    const next = this.#channel(from, to).inFlight.shift();
    if (next === undefined) return;
    const { receiver } = this.#threads.get(to)!;
    if (next.envelope !== null) receiver?.arrive(next.envelope);
    else if (!this.#threads.has(from)) receiver?.threadLost(from);
    else {
      receiver?.threadLost(from);
      receiver?.threadFound(from);
    }
  }

  #line(step: SimulatedStep): string {
    const at = `${this.time.nowMs.toFixed(3)} ${step.kind}`;
    if (step.kind !== 'deliver') return `${at} ${step.thread}`;
    const { envelope } = step;
    const what = envelope === null ? 'died' : `${envelope.kind} ${envelope.id} to ${envelope.to}`;
    return `${at} ${step.from} > ${step.thread} ${what}`;
  }
}

class SimulatedTransport implements Transport {
  readonly #world: SimulatedWorld;
  readonly #thread: string;
  #outbox: { to: string; envelope: Envelope }[] = [];
  receiver: TransportReceiver | null = null;
  isAwake = false;

  constructor(world: SimulatedWorld, thread: string) {
    this.#world = world;
    this.#thread = thread;
  }

  attach(receiver: TransportReceiver): void {
    this.receiver = receiver;
  }

  wake(): void {
    this.isAwake = true;
  }

  send(thread: string, envelope: Envelope): boolean {
    if (!this.#world.isAlive(thread) || !this.#world.isAlive(this.#thread)) return false;
    this.#outbox.push({ to: thread, envelope });
    this.isAwake = true;
    return true;
  }

  /** One turn of one actor, and the departure of what it sent. */
  turn(choose: (n: number) => number): void {
    this.isAwake = this.receiver!.turn(1, choose);
    this.#flush();
  }

  close(): void {
    this.#flush();
    this.#world.kill(this.#thread);
  }

  #flush(): void {
    const outbox = this.#outbox;
    this.#outbox = [];
    this.#world.carry(this.#thread, outbox);
    if (this.#outbox.length > 0) this.isAwake = true;
  }
}
