/**
 * Steps of a simulated world, in turn with what promises have to do: for whoever speaks to its
 * actors through edges. A seed is a run, as long as nobody waits for more than actors.
 *
 * Holds: the world makes a step only when promises have nothing left to do, and none while work of
 * the world outside, a disk, is on its way: to a virtual clock that would take for ever.
 */
import { StatusError } from '../../runtime/base/errors.js';
import { afterEventLoop } from '../../runtime/base/event-loop.js';
import type { SimulatedWorld } from '../../runtime/system/transports/simulated.js';

/** Rounds of the event loop within which every promise that can settle has done so. */
const ROUNDS = 3;
/** So often in a row nothing can happen: nothing will. */
const IDLE_MAX = 1_000;

export class SimulatedSteps {
  readonly #world: SimulatedWorld;
  readonly #outside = new Set<Promise<unknown>>();
  #hasNews = true;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Promises may have something to do: a step of the main thread comes, or somebody asks. */
  news(): void {
    this.#hasNews = true;
  }

  async outside<Result>(work: Promise<Result>): Promise<Result> {
    this.#outside.add(work);
    this.news();
    try {
      return await work;
    } finally {
      this.#outside.delete(work);
      this.news();
    }
  }

  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    let idle = 0;
    const over = (): void => void (isDone = true);
    work.then(over, over);
    while (!isDone) {
      if (this.#hasNews) await promisesDone();
      this.#hasNews = false;
      if (this.#outside.size > 0) {
        await Promise.allSettled(this.#outside);
        this.news();
        continue;
      }
      if (isDone) break;
      // Where nothing can happen any more, promises may still have something to do.
      const isAtRest = this.#world.run({ stepsMax: 1 });
      idle = isAtRest ? idle + 1 : 0;
      if (isAtRest) this.news();
      if (idle > IDLE_MAX) throw new StatusError('internal', 'the simulation has come to rest');
    }
    return work;
  }
}

async function promisesDone(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await new Promise<void>((done) => afterEventLoop(done));
  }
}
