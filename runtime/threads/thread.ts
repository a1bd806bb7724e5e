/**
 * One worker thread as its creator sees it: started, connected to peers, watched, ended. `onExit`
 * is called exactly once, however the thread ends; control calls that were pending then fail.
 */
import { Worker, type MessagePort } from 'node:worker_threads';
import { transfer, wrap, type Remote } from 'comlink';
import { StatusError } from '../base/errors.js';
import type { ActorPulse } from '../system/describe.js';
import type { RecordBatch } from '../system/ring-recorder.js';
import { endpointOf } from './endpoint.js';
import type { HostUsage, ThreadControl, ThreadInput } from './thread-control.js';

export interface ThreadOptions extends ThreadInput {
  /** `code` is the exit code; `error` what the thread threw, if it did. */
  readonly onExit: (name: string, code: number, error: Error | null) => void;
}

export class Thread {
  readonly name: string;
  readonly #worker: Worker;
  readonly #control: Remote<ThreadControl>;
  /** How to fail each control call that has no answer yet. */
  readonly #pending = new Set<(error: StatusError) => void>();
  #exited: StatusError | null = null;
  readonly #ended: Promise<void>;

  private constructor(options: ThreadOptions) {
    this.name = options.name;
    const { name, program, settings, onExit } = options;
    this.#worker = new Worker(new URL('./actor.thread.js', import.meta.url), {
      name,
      // Descriptors of checkpoints outlive the thread that opened them.
      trackUnmanagedFds: false,
      workerData: { name, program, settings } satisfies ThreadInput,
    });
    this.#control = wrap<ThreadControl>(endpointOf(this.#worker));
    let failure: Error | null = null;
    this.#worker.on('error', (error) => (failure = error as Error));
    let end = (): void => {};
    this.#ended = new Promise((resolve) => (end = resolve));
    this.#worker.once('exit', (code) => {
      this.#exited = new StatusError('unavailable', `thread ${name} has ended`, { where: name });
      for (const reject of this.#pending) reject(this.#exited);
      onExit(name, code, failure);
      end();
    });
  }

  /** Resolves when the thread's program runs. */
  static async start(options: ThreadOptions): Promise<Thread> {
    const thread = new Thread(options);
    const started = new Promise<void>((resolve) => {
      const onMessage = (message: { started?: string } | null): void => {
        if (message?.started !== options.name) return;
        thread.#worker.off('message', onMessage);
        resolve();
      };
      thread.#worker.on('message', onMessage);
    });
    await thread.#race(started);
    return thread;
  }

  async connect(peer: string, port: MessagePort): Promise<void> {
    await this.#race(this.#control.connect(peer, transfer(port as never, [port as never])));
  }

  async lost(peer: string): Promise<void> {
    await this.#race(this.#control.lost(peer));
  }

  describe(isDetailed: boolean): Promise<unknown> {
    return this.#race(this.#control.describe(isDetailed));
  }

  pulse(): Promise<readonly ActorPulse[]> {
    return this.#race(this.#control.pulse());
  }

  usage(collect: boolean): Promise<HostUsage> {
    return this.#race(this.#control.usage(collect));
  }

  async record(isOn: boolean): Promise<void> {
    await this.#race(this.#control.record(isOn));
  }

  records(): Promise<RecordBatch | null> {
    return this.#race(this.#control.records());
  }

  /** Asks the program to stop, then ends the thread. */
  async shutdown(): Promise<void> {
    try {
      await this.#race(this.#control.shutdown());
    } catch {
      // It ended by itself: that is what was asked for.
    }
    await this.#worker.terminate();
    await this.#ended;
  }

  /** Ends the thread at once: what a crash looks like. */
  async kill(): Promise<void> {
    await this.#worker.terminate();
    await this.#ended;
  }

  /** Not `Promise.race` with one promise of the exit: that would keep every call for ever. */
  async #race<T>(call: Promise<T>): Promise<T> {
    if (this.#exited) throw this.#exited;
    let fail: (error: StatusError) => void = () => {};
    const exited = new Promise<never>((_, reject) => (fail = reject));
    this.#pending.add(fail);
    try {
      return await Promise.race([call, exited]);
    } finally {
      this.#pending.delete(fail);
    }
  }
}
