/**
 * The compute workers of the local device: one launch at a time, run by all of them together,
 * others waiting in order. Owns the threads and the control block. A launch that finds nobody at
 * work and is over in no time is run here instead (`brief-launches.ts`).
 *
 * Holds: each launch is done exactly once. A worker that ends in the middle of its share poisons
 * the launch, so the others leave its barriers; the launch fails, the worker is replaced, and the
 * next launch runs when all are there again. Workers that keep ending without one launch completed
 * in between make the team lost: then everything fails, but only after all threads have ended,
 * because until then they may still write.
 */
import { toStatus, type StatusRecord } from '../../base/errors.js';
import { POISON } from '../../jit/local-abi.js';
import type { Launch } from '../command.js';
import type { Done } from '../driver.js';
import type { Executable } from '../executable.js';
import type { BriefLaunches } from './brief-launches.js';
import { ComputeWorker } from './compute-worker.js';
import { allFinished, announceCompleted, CONTROL, CONTROL_WORDS } from './control-block.js';
import { awaitWord } from './await-word.js';
import { launchFailure, launchProgress, poisonLaunch, writeLaunch } from './launch-block.js';
import type { LocalMemory } from './local-memory.js';

/** Worker deaths with no launch completed in between, after which the team gives up. */
const DEATHS_MAX = 4;

interface Turn {
  readonly launch: Launch;
  readonly done: Done;
}
interface Running extends Turn {
  readonly number: number;
  detail: string | null;
}

export interface WorkerTeamOptions {
  readonly memory: LocalMemory;
  readonly threads: number;
  /** Null: the workers run every launch. */
  readonly brief: BriefLaunches | null;
  /** All workers are there (called once), or the team is lost (called once at most). */
  readonly onReady: () => void;
  readonly onLost: (status: StatusRecord) => void;
}

export class WorkerTeam {
  readonly #memory: LocalMemory;
  readonly #options: WorkerTeamOptions;
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  readonly #workers = new Map<number, ComputeWorker>();
  readonly #ready = new Set<number>();
  /** Numbers of executables in messages and launches. */
  readonly #programs = new Map<Executable, number>();
  #programsSent = 0;
  #turns: Turn[] = [];
  #running: Running | null = null;
  #number = 0;
  #deaths = 0;
  #opened = false;
  #ended: StatusRecord | null = null;
  #whenEmpty: (() => void)[] = [];
  /** Whose bytes may lie in the scratch, and how many at most. */
  #scratch = { deployment: '', bytes: 0 };

  constructor(options: WorkerTeamOptions) {
    this.#options = options;
    this.#memory = options.memory;
    Atomics.store(this.#control, CONTROL.workers, options.threads);
    for (let worker = 0; worker < options.threads; worker += 1) this.#hire(worker);
  }

  load(executable: Executable): void {
    const number = ++this.#programsSent;
    this.#programs.set(executable, number);
    this.#send((worker) => worker.post({ load: number, module: executable.module! }));
  }

  discard(executable: Executable): void {
    const number = this.#programs.get(executable)!;
    this.#programs.delete(executable);
    this.#options.brief?.forget(executable);
    this.#send((worker) => worker.post({ unload: number }));
  }

  /** Launches, and what workers have taken of the one that runs. */
  get progress(): number {
    const launch = this.#running?.launch ?? null;
    return this.#number + (launch === null ? 0 : launchProgress(this.#memory, launch));
  }

  run(launch: Launch, done: Done): void {
    if (this.#ended) return done(this.#ended);
    if (this.#runBriefly(launch)) return done(null);
    this.#turns.push({ launch, done });
    this.#startNext();
  }

  /** Ends one worker at once, as a fault would. */
  async kill(worker: number): Promise<void> {
    await this.#workers.get(worker)?.terminate();
  }

  /** Ends all workers; what was not done fails with `status`. Resolves when all have ended. */
  async end(status: StatusRecord): Promise<void> {
    const first = this.#ended === null;
    this.#ended ??= status;
    Atomics.store(this.#control, CONTROL.stop, 1);
    // A changed word, so that a worker on its way to sleep does not miss it.
    Atomics.add(this.#control, CONTROL.launch, 1);
    Atomics.notify(this.#control, CONTROL.launch);
    // Idle workers end by themselves; ones in a launch may be long at it.
    if (first && this.#running)
      for (const worker of this.#workers.values()) void worker.terminate();
    await this.#empty();
    if (!first) return;
    const open = this.#running ? [this.#running, ...this.#turns] : this.#turns;
    this.#running = null;
    this.#turns = [];
    for (const { done } of open) done(this.#ended);
  }

  #empty(): Promise<void> {
    if (this.#workers.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  #send(post: (worker: ComputeWorker) => void): void {
    for (const worker of this.#workers.values()) post(worker);
    Atomics.add(this.#control, CONTROL.messages, 1);
  }

  #hire(index: number): void {
    const worker = new ComputeWorker({
      worker: index,
      control: this.#control,
      memory: this.#memory.memory,
      launch: this.#number,
      onReady: () => {
        this.#ready.add(index);
        this.#startNext();
      },
      onExit: (_, error) => this.#replace(index, error),
    });
    this.#workers.set(index, worker);
    for (const [executable, number] of this.#programs) {
      worker.post({ load: number, module: executable.module! });
    }
  }

  #replace(index: number, error: Error | null): void {
    this.#workers.delete(index);
    this.#ready.delete(index);
    if (this.#ended) {
      if (this.#workers.size === 0) for (const resolve of this.#whenEmpty) resolve();
      return;
    }
    this.#standInFor(index, error);
    this.#deaths += 1;
    if (this.#deaths >= DEATHS_MAX) return this.#lose(error);
    this.#hire(index);
  }

  /** Finishes a dead worker's share of the running launch, as a failure. */
  #standInFor(index: number, error: Error | null): void {
    const running = this.#running;
    const word = CONTROL.finished + index * CONTROL.stride;
    if (!running || Atomics.load(this.#control, word) === running.number) return;
    running.detail ??= error?.message ?? null;
    poisonLaunch(this.#memory, POISON.workerLost);
    Atomics.store(this.#control, word, running.number);
    if (allFinished(this.#control, this.#options.threads, running.number)) {
      announceCompleted(this.#control, running.number);
    }
  }

  #lose(error: Error | null): void {
    const cause = error ? toStatus(error) : undefined;
    const message = `the local device is lost: ${DEATHS_MAX} compute workers ended in a row${error ? ` (${error.message})` : ''}`;
    const status: StatusRecord = { code: 'unavailable', message, cause };
    this.#options.onLost(status);
    void this.end(status);
  }

  #startNext(): void {
    if (this.#running || this.#ended || this.#ready.size < this.#options.threads) return;
    if (!this.#opened) {
      this.#opened = true;
      this.#options.onReady();
    }
    const turn = this.#turns.shift();
    if (!turn) return;
    this.#clearScratch(turn.launch);
    this.#number = (this.#number + 1) | 0;
    this.#running = { number: this.#number, detail: null, ...turn };
    Atomics.store(this.#control, CONTROL.args, writeLaunch(this.#memory, turn.launch));
    const program = this.#programs.get(turn.launch.executable)!;
    Atomics.store(this.#control, CONTROL.executable, program);
    Atomics.store(this.#control, CONTROL.launch, this.#number);
    Atomics.notify(this.#control, CONTROL.launch);
    awaitWord(this.#control, CONTROL.completed, this.#number, () => this.#complete());
  }

  /** Whether it was run to its end, on this thread. */
  #runBriefly(launch: Launch): boolean {
    const { brief } = this.#options;
    if (brief === null || this.#running || this.#turns.length > 0) return false;
    this.#clearScratch(launch);
    return brief.run(launch);
  }

  #clearScratch(launch: Launch): void {
    const bytes = launch.executable.info.scratchBytes;
    if (this.#scratch.deployment !== launch.deployment) {
      this.#memory.clearScratch(this.#options.threads, this.#scratch.bytes);
      this.#scratch = { deployment: launch.deployment, bytes };
    }
    this.#scratch.bytes = Math.max(this.#scratch.bytes, bytes);
  }

  #complete(): void {
    const running = this.#running;
    // Ended in the meantime: the end answers.
    if (!running || this.#ended) return;
    this.#running = null;
    for (const worker of this.#workers.values()) {
      running.detail = worker.takeError(running.number) ?? running.detail;
    }
    const failure = launchFailure(this.#memory, running.launch, running.detail);
    if (!failure) this.#deaths = 0;
    this.#startNext();
    running.done(failure);
  }
}
