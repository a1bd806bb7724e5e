/**
 * The piscina pool of stateless tasks. A task is named, gets plain data and yields plain data; it
 * is never aborted by a signal (that would kill its thread and whatever shares it): one that is no
 * longer wanted runs to its end and its result is dropped.
 */
import { Piscina } from 'piscina';
import { toStatus, type StatusRecord } from '../base/errors.js';
import type { TaskResult } from './tasks.js';

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
      minThreads: 0,
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
  run(
    call: TaskCall,
    done: (outcome: { value: unknown } | { status: StatusRecord }) => void,
  ): void {
    this.#started += 1;
    this.#pool.run(call).then(
      (result: TaskResult) => done(result),
      (error: unknown) => done({ status: { ...toStatus(error), code: 'unavailable' } }),
    );
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
