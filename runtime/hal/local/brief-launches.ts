/**
 * Launches of a few rounds, run by the device thread itself: waking the compute workers and being
 * woken by them takes longer than such a program. It is tried with a small budget; one that spends
 * it, or fails in any way, is left to the team, which runs it from its start. So only programs are
 * tried that read nothing of what they write, and results are the same whoever ran them.
 *
 * Called by `WorkerTeam` while no worker runs anything. Holds: the device thread is away for little
 * time; a program that takes long is not tried again for a while.
 */
import type { Clock } from '../../base/ports.js';
import type { Launch } from '../command.js';
import type { Executable, ExecutableInfo } from '../executable.js';
import type { LocalMemory } from './local-memory.js';
import { OneWorker } from './one-worker.js';

/** Rounds of loops and workgroups, as the budget counts them. */
const BACK_EDGES = 8_192;
/** More state than this costs time to clear. */
const SCRATCH_BYTES_MAX = 65_536;
/** A round may hold much: what took longer than this is no brief launch. */
const BRIEF_MS = 0.25;
/** Launches that are left to the team after one that was not brief, and after several in a row. */
const REST_MIN = 4;
const REST_MAX = 256;

interface Rest {
  /** Launches still left to the team, and how many after the next one that is not brief. */
  left: number;
  next: number;
}

export class BriefLaunches {
  readonly #worker: OneWorker;
  readonly #clock: Clock;
  readonly #rests = new Map<Executable, Rest>();

  constructor(memory: LocalMemory, clock: Clock) {
    this.#worker = new OneWorker(memory);
    this.#clock = clock;
  }

  /** True when it ran to its end; false when the team has to run it. */
  run(launch: Launch): boolean {
    const { executable } = launch;
    if (!mayRunTwice(executable.info)) return false;
    const rest = this.#restOf(executable);
    if (rest.left > 0) {
      rest.left -= 1;
      return false;
    }
    const startedMs = this.#clock.now();
    const backEdges = Math.min(BACK_EDGES, launch.backEdges ?? BACK_EDGES);
    const failure = this.#worker.run({ ...launch, backEdges });
    const isBrief = failure === null && this.#clock.now() - startedMs <= BRIEF_MS;
    rest.left = isBrief ? 0 : rest.next;
    rest.next = isBrief ? REST_MIN : Math.min(2 * rest.next, REST_MAX);
    return failure === null;
  }

  forget(executable: Executable): void {
    this.#rests.delete(executable);
    this.#worker.forget(executable);
  }

  #restOf(executable: Executable): Rest {
    let rest = this.#rests.get(executable);
    if (rest === undefined) {
      rest = { left: 0, next: REST_MIN };
      this.#rests.set(executable, rest);
    }
    return rest;
  }
}

function mayRunTwice({ roots, parts, scratchBytes }: ExecutableInfo): boolean {
  const isOnlyWritten = roots.every(
    ({ access, hosted }) => access !== 'inout' && (access !== 'out' || !hosted),
  );
  return isOnlyWritten && parts === 1 && scratchBytes <= SCRATCH_BYTES_MAX;
}
