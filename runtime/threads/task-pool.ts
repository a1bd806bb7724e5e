/**
 * The piscina pool of stateless tasks. A task is named, gets plain data and yields plain data; it
 * is never aborted by a signal (that would kill its thread and whatever shares it): one that is no
 * longer wanted runs to its end and its result is dropped.
 *
 * Holds: each run is answered once. One whose thread ended runs once more, as the thread may have
 * fallen to another's fault; a second end is taken for the task's own. A pool whose last thread
 * ended before it ran anything leaves what waits there for ever: it is replaced.
 */
import { Piscina } from 'piscina';
import { toStatus } from '../base/errors.js';
import type { TaskResult } from './tasks.js';

export interface TaskCall {
  readonly task: string;
  readonly input: unknown;
}

/** How piscina says that a thread ended under its task. */
const threadEnded = /^worker exited/;
/** Pools replaced with no task run in between: more, and threads cannot start here at all. */
const REPLACEMENTS_MAX = 4;

type Done = (outcome: TaskResult) => void;

export interface TaskPoolOptions {
  /** What its threads run: `compile.thread.ts` or `reading.thread.ts`. */
  readonly entry: 'compile' | 'reading';
  /** Threads that are always there: a first task would else wait for one and its modules. */
  readonly least: number;
  readonly most: number;
}

export class TaskPool {
  readonly #options: TaskPoolOptions;
  #pool: Piscina;
  #started = 0;
  #open = 0;
  #replacements = 0;
  #isClosed = false;

  constructor(options: TaskPoolOptions) {
    this.#options = options;
    this.#pool = this.#make();
  }

  /** Tasks ever started, by which tests tell that warm requests start none. */
  get started(): number {
    return this.#started;
  }

  /** Calls back exactly once. */
  run(call: TaskCall, done: Done): void {
    this.#started += 1;
    this.#open += 1;
    const end: Done = (outcome) => {
      this.#open -= 1;
      done(outcome);
    };
    this.#run(call, end, true);
  }

  #run(call: TaskCall, end: Done, mayRepeat: boolean): void {
    const pool = this.#pool;
    pool.run(call).then(
      (result: TaskResult) => {
        this.#replacements = 0;
        end(result);
      },
      (error: Error) => {
        const hasEnded = threadEnded.test(error.message);
        const wasLeft = pool !== this.#pool && this.#replacements <= REPLACEMENTS_MAX;
        if (!this.#isClosed && hasEnded && mayRepeat) return this.#run(call, end, false);
        if (!this.#isClosed && !hasEnded && wasLeft) return this.#run(call, end, mayRepeat);
        const message = `task ${call.task} ended the thread that ran it, twice`;
        const cause = toStatus(error);
        if (hasEnded) end({ status: { code: 'internal', message, cause } });
        else end({ status: { ...cause, code: 'unavailable' } });
      },
    );
  }

  /** Ends the threads of the pool at once, as faults would. */
  async kill(): Promise<void> {
    await Promise.all(this.#pool.threads.map((thread) => thread.terminate()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy();
  }

  #make(): Piscina {
    const { entry, least, most } = this.#options;
    const pool = new Piscina({
      filename: new URL(`./${entry}.thread.js`, import.meta.url).href,
      minThreads: least,
      maxThreads: most,
      // Reading threads use descriptors that others opened and close.
      trackUnmanagedFds: false,
      idleTimeout: 10_000,
      maxQueue: 4096,
    });
    // Of a thread that fails without a task; `workerDestroy` says the same.
    pool.on('error', () => {});
    pool.on('workerDestroy', () => queueMicrotask(() => this.#check(pool)));
    return pool;
  }

  #check(pool: Piscina): void {
    if (pool !== this.#pool || this.#isClosed) return;
    if (this.#open === 0 || pool.threads.length > 0) return;
    this.#replacements += 1;
    this.#pool = this.#make();
    void pool.destroy();
  }
}
