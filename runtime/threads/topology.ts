/**
 * The threads of a server that host actors, all connected with each other and with main: starts
 * them, introduces every pair, starts one anew when it ends by itself, ends them all.
 *
 * Holds: when a thread ends, every peer is told before a successor of the same name is introduced;
 * each pair of threads is introduced once, by the later one, whatever ends meanwhile. More than
 * `RESTARTS_MAX` ends of one thread within `PERIOD_MS` are not repaired.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Clock } from '../base/ports.js';
import type { ActorPulse } from '../system/describe.js';
import type { SystemRecord } from '../system/recorder.js';
import type { RecordBatch } from '../system/ring-recorder.js';
import { Thread } from './thread.js';
import type { HostUsage, ThreadInput } from './thread-control.js';

const RESTARTS_MAX = 5;
const PERIOD_MS = 60_000;

export interface TopologyOptions {
  readonly threads: readonly ThreadInput[];
  readonly clock: Clock;
  /** The creating thread's own transport. */
  readonly main: {
    connect(peer: string, port: MessagePort): void;
    disconnect(peer: string): void;
  };
  /** A thread ended unasked; `willRestart` tells whether a successor follows. */
  readonly onLost: (name: string, reason: string, willRestart: boolean) => void;
  readonly onRestarted: (name: string) => void;
}

export class Topology {
  readonly #options: TopologyOptions;
  readonly #threads = new Map<string, Thread>();
  readonly #ends = new Map<string, number[]>();
  /** Starts that go on; each settles, also when its thread ends before it runs. */
  readonly #starting = new Set<Promise<void>>();
  /** Until all run for the first time, one that ends fails the start of them all. */
  #isRunning = false;
  #isClosing = false;

  private constructor(options: TopologyOptions) {
    this.#options = options;
  }

  static async start(options: TopologyOptions): Promise<Topology> {
    const topology = new Topology(options);
    try {
      await Promise.all(options.threads.map((input) => topology.#start(input)));
    } catch (error) {
      await topology.shutdown();
      throw error;
    }
    topology.#isRunning = true;
    return topology;
  }

  get names(): string[] {
    return [...this.#threads.keys()];
  }

  /** What a thread says of its actors; null when there is none (any more). */
  async describe(name: string, isDetailed = false): Promise<unknown> {
    const asked = this.#threads.get(name)?.describe(isDetailed);
    return (await asked?.catch(() => null)) ?? null;
  }

  /** Whether the actors of a thread get on; null when there is none (any more). */
  async pulse(name: string): Promise<readonly ActorPulse[] | null> {
    const asked = this.#threads.get(name)?.pulse();
    return (await asked?.catch(() => null)) ?? null;
  }

  /** What a thread has used; null when there is none (any more). Comes between two turns. */
  async usage(name: string, collect = false): Promise<HostUsage | null> {
    return (
      (await this.#threads
        .get(name)
        ?.usage(collect)
        .catch(() => null)) ?? null
    );
  }

  /** Starts or ends to record what the actors of a thread do. */
  async record(name: string, isOn = true): Promise<void> {
    await this.#threads.get(name)?.record(isOn);
  }

  /** What was recorded on a thread since it was asked last; null where nothing is, or no thread. */
  async batch(name: string): Promise<RecordBatch | null> {
    return (await this.#threads.get(name)?.records()) ?? null;
  }

  async records(name: string): Promise<readonly SystemRecord[]> {
    return (await this.batch(name))?.records ?? [];
  }

  /** Ends one thread as a crash would. */
  async kill(name: string): Promise<void> {
    await this.#threads.get(name)?.kill();
  }

  /** Ends all threads, those that are being started anew included. */
  async shutdown(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#threads.values()].map((thread) => thread.shutdown()));
    this.#threads.clear();
  }

  #start(input: ThreadInput): Promise<void> {
    const start = this.#begin(input).finally(() => this.#starting.delete(start));
    this.#starting.add(start);
    return start;
  }

  async #begin(input: ThreadInput): Promise<void> {
    const onExit = (_name: string, code: number, error: Error | null): void => {
      if (!this.#isClosing) this.#ended(input, error?.message ?? `exit code ${code}`);
    };
    const thread = await Thread.start({ ...input, onExit });
    if (this.#isClosing) return thread.kill();
    await this.#introduce(thread);
  }

  /**
   * Connects a thread with main and with every thread that runs. All of it is posted in one go, so
   * nothing that ends or starts comes between; a peer that has just ended is not waited for.
   */
  async #introduce(thread: Thread): Promise<void> {
    const { name } = thread;
    const peers = [...this.#threads.values()];
    this.#threads.set(name, thread);
    const toMain = new MessageChannel();
    this.#options.main.connect(name, toMain.port1);
    const told = [thread.connect('main', toMain.port2)];
    for (const peer of peers) {
      const channel = new MessageChannel();
      told.push(thread.connect(peer.name, channel.port1), peer.connect(name, channel.port2));
    }
    await Promise.allSettled(told);
  }

  #ended(input: ThreadInput, reason: string): void {
    const { name } = input;
    // One that ended before it ran was introduced to nobody.
    if (this.#threads.delete(name)) {
      for (const peer of this.#threads.values()) peer.lost(name).catch(() => {});
      this.#options.main.disconnect(name);
    }
    const willRestart = this.#isRunning && this.#mayRestart(name);
    this.#options.onLost(name, reason, willRestart);
    if (willRestart) void this.#restart(input);
  }

  async #restart(input: ThreadInput): Promise<void> {
    try {
      await this.#start(input);
      if (this.#threads.has(input.name)) this.#options.onRestarted(input.name);
    } catch {
      // It ended before it ran, and its end has decided what follows.
    }
  }

  #mayRestart(name: string): boolean {
    const now = this.#options.clock.now();
    const ends = (this.#ends.get(name) ?? []).filter((time) => time > now - PERIOD_MS);
    ends.push(now);
    this.#ends.set(name, ends);
    return ends.length <= RESTARTS_MAX;
  }
}
