/**
 * Runs a compiled command program at once, on the calling thread, as the only worker. Barriers of
 * one worker never wait, so nothing here can block.
 */
import { assert, type StatusRecord } from '../../base/errors.js';
import type { Launch } from '../command.js';
import type { Executable } from '../executable.js';
import { launchFailure, poisonLaunch, writeLaunch } from './launch-block.js';
import type { LocalMemory } from './local-memory.js';
import { POISON } from '../../jit/local-abi.js';

type Run = (worker: number, workers: number, args: number) => void;

export class OneWorker {
  readonly #memory: LocalMemory;
  readonly #programs = new Map<Executable, Run>();

  constructor(memory: LocalMemory) {
    this.#memory = memory;
  }

  run(launch: Launch): StatusRecord | null {
    this.#memory.clearScratch(1, launch.executable.info.scratchBytes);
    const args = writeLaunch(this.#memory, launch);
    let detail: string | null = null;
    try {
      this.#programOf(launch.executable)(0, 1, args);
    } catch (error) {
      detail = error instanceof Error ? error.message : String(error);
      poisonLaunch(this.#memory, POISON.workerLost);
    }
    return launchFailure(this.#memory, launch, detail);
  }

  forget(executable: Executable): void {
    this.#programs.delete(executable);
  }

  #programOf(executable: Executable): Run {
    const known = this.#programs.get(executable);
    if (known) return known;
    assert(executable.module, 'an executable with code');
    const { memory } = this.#memory;
    const { exports } = new WebAssembly.Instance(executable.module, { env: { memory } });
    const run = exports['run'] as Run;
    this.#programs.set(executable, run);
    return run;
  }
}
