/**
 * One worker thread as its creator sees it: started, connected to peers, watched, ended. `onExit`
 * is called exactly once, however the thread ends; control calls that were pending then fail.
 */
import { Worker, type MessagePort } from 'node:worker_threads';
import { transfer, wrap, type Remote } from 'comlink';
import { StatusError } from '../base/errors.js';
import { endpointOf } from './endpoint.js';
import type { ThreadControl, ThreadInput } from './thread-control.js';

export interface ThreadOptions extends ThreadInput {
  /** `code` is the exit code; `error` what the thread threw, if it did. */
  readonly onExit: (name: string, code: number, error: Error | null) => void;
}

export class Thread {
  readonly name: string;
  readonly #worker: Worker;
  readonly #control: Remote<ThreadControl>;
  readonly #exited: Promise<never>;
  readonly #ended: Promise<void>;

  private constructor(options: ThreadOptions) {
    this.name = options.name;
    const { name, program, settings, onExit } = options;
    this.#worker = new Worker(new URL('./actor.thread.js', import.meta.url), {
      name,
      workerData: { name, program, settings } satisfies ThreadInput,
    });
    this.#control = wrap<ThreadControl>(endpointOf(this.#worker));
    let failure: Error | null = null;
    this.#worker.on('error', (error) => (failure = error as Error));
    let end = (): void => {};
    this.#ended = new Promise((resolve) => (end = resolve));
    this.#exited = new Promise((_, reject) => {
      this.#worker.once('exit', (code) => {
        reject(new StatusError('unavailable', `thread ${name} has ended`, { where: name }));
        onExit(name, code, failure);
        end();
      });
    });
    this.#exited.catch(() => {});
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
    await Promise.race([started, thread.#exited]);
    return thread;
  }

  async connect(peer: string, port: MessagePort): Promise<void> {
    await this.#race(this.#control.connect(peer, transfer(port as never, [port as never])));
  }

  async lost(peer: string): Promise<void> {
    await this.#race(this.#control.lost(peer));
  }

  describe(): Promise<unknown> {
    return this.#race(this.#control.describe());
  }

  async record(): Promise<void> {
    await this.#race(this.#control.record());
  }

  records(): Promise<unknown[]> {
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

  #race<T>(call: Promise<T>): Promise<T> {
    return Promise.race([call, this.#exited]);
  }
}
