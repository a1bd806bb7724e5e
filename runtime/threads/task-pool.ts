/**
 * The piscina pool of stateless tasks. A task is named, gets plain data and yields plain data; it
 * is never aborted by a signal (that would kill its thread and whatever shares it): one that is no
 * longer wanted runs to its end and its result is dropped. One whose thread ended runs once more: the
 * thread may have fallen to another's fault. A second end is taken for the task's own.
 */
import { Piscina } from 'piscina';
import { toStatus } from '../base/errors.js';
import type { TaskResult } from './tasks.js';

/** How piscina says that a thread ended under its task. */
const threadEnded = /^worker exited/;

export interface TaskCall {
  readonly task: string;
  readonly input: unknown;
}

export class TaskPool {
  readonly #pool: Piscina;
  #started = 0;

  constructor(options: { threads: number }) {
    this.#pool = new Piscina({
      filename: new URL('./task.thread.js', import.meta.url).href,
      // One is always there: a first task would otherwise wait for a thread and its modules.
      minThreads: 1,
      maxThreads: options.threads,
      idleTimeout: 10_000,
      maxQueue: 4096,
    });
  }

  /** Tasks ever started, by which tests tell that warm requests start none. */
  get started(): number {
    return this.#started;
  }

  /** Calls back exactly once. */
  run(call: TaskCall, done: (outcome: TaskResult) => void): void {
    this.#started += 1;
    this.#run(call, done, true);
  }

  #run(call: TaskCall, done: (outcome: TaskResult) => void, mayRepeat: boolean): void {
    this.#pool.run(call).then(
      (result: TaskResult) => done(result),
      (error: Error) => {
        if (!threadEnded.test(error.message)) {
          done({ status: { ...toStatus(error), code: 'unavailable' } });
        } else if (mayRepeat) {
          this.#run(call, done, false);
        } else {
          const message = `task ${call.task} ended the thread that ran it, twice`;
          done({ status: { code: 'internal', message, cause: toStatus(error) } });
        }
      },
    );
  }

  /** Ends the threads of the pool at once, as faults would. */
  async kill(): Promise<void> {
    await Promise.all(this.#pool.threads.map((thread) => thread.terminate()));
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
