/**
 * The threads of a server that host actors, all connected with each other and with main: starts
 * them, introduces every pair, starts one anew when it ends by itself, ends them all.
 *
 * Holds: when a thread ends, every peer is told before a successor of the same name is introduced.
 * More than `RESTARTS_MAX` ends of one thread within `PERIOD_MS` are not repaired.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Clock } from '../base/ports.js';
import { Thread } from './thread.js';
import type { ThreadInput } from './thread-control.js';

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
  #closing = false;

  private constructor(options: TopologyOptions) {
    this.#options = options;
  }

  static async start(options: TopologyOptions): Promise<Topology> {
    const topology = new Topology(options);
    await Promise.all(options.threads.map((input) => topology.#start(input)));
    const names = options.threads.map((input) => input.name);
    await Promise.all(names.map((name, at) => topology.#introduce(name, names.slice(at + 1))));
    return topology;
  }

  get names(): string[] {
    return [...this.#threads.keys()];
  }

  /** What every thread says of its actors; threads that do not answer are left out. */
  async describe(): Promise<unknown[]> {
    const asked = [...this.#threads.values()].map((thread) => thread.describe());
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  /** Starts to record what the actors of a thread do. */
  async record(name: string): Promise<void> {
    await this.#threads.get(name)?.record();
  }

  /** What was recorded on a thread since it was asked last. */
  async records(name: string): Promise<unknown[]> {
    return (await this.#threads.get(name)?.records()) ?? [];
  }

  /** Ends one thread as a crash would. */
  async kill(name: string): Promise<void> {
    await this.#threads.get(name)?.kill();
  }

  async shutdown(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#threads.values()].map((thread) => thread.shutdown()));
    this.#threads.clear();
  }

  async #start(input: ThreadInput): Promise<void> {
    const onExit = (_name: string, code: number, error: Error | null): void => {
      if (!this.#closing) void this.#ended(input, error?.message ?? `exit code ${code}`);
    };
    this.#threads.set(input.name, await Thread.start({ ...input, onExit }));
  }

  /** Connects a thread with main and with `peers`. */
  async #introduce(name: string, peers: readonly string[]): Promise<void> {
    const thread = this.#threads.get(name)!;
    const toMain = new MessageChannel();
    this.#options.main.connect(name, toMain.port1);
    await thread.connect('main', toMain.port2);
    for (const peer of peers) {
      const channel = new MessageChannel();
      await thread.connect(peer, channel.port1);
      await this.#threads.get(peer)!.connect(name, channel.port2);
    }
  }

  async #ended(input: ThreadInput, reason: string): Promise<void> {
    const { name } = input;
    this.#threads.delete(name);
    this.#options.main.disconnect(name);
    const others = [...this.#threads.values()];
    await Promise.allSettled(others.map((other) => other.lost(name)));
    const willRestart = this.#mayRestart(name);
    this.#options.onLost(name, reason, willRestart);
    if (!willRestart || this.#closing) return;
    try {
      await this.#start(input);
      await this.#introduce(
        name,
        this.names.filter((other) => other !== name),
      );
      this.#options.onRestarted(name);
    } catch (error) {
      this.#options.onLost(name, error instanceof Error ? error.message : String(error), false);
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
