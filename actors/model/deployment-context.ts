/** What the chart of a deployment remembers: numbers and flags, no addresses and no packages. */
import type { StatusRecord } from '../../runtime/base/errors.js';

/** Losses in a row that a package survives which has never served. */
const ATTEMPTS_MAX = 5;
/** Of those with a thread: on a busy machine it takes seconds until there is another one. */
const THREAD_ATTEMPTS_MAX = 8;

export const attemptsMax = (withThread = false): number =>
  withThread ? THREAD_ATTEMPTS_MAX : ATTEMPTS_MAX;

export interface Input {
  /** Generations are numbered after this: numbers of an id never repeat. */
  readonly lastGeneration: number;
}

export interface Context {
  /** Number of the latest preparation: the generation's number. */
  readonly generation: number;
  /** The generation that gets requests, and the one that loads; 0 for none. */
  readonly current: number;
  readonly candidate: number;
  /** A newer package waits until the running preparation or load has ended. */
  readonly queued: boolean;
  /** The device was lost under the running preparation: whatever it yields is void. */
  readonly stranded: boolean;
  /** The device works. */
  readonly device: boolean;
  /** The package to prepare has served. */
  readonly proven: boolean;
  /** Some package has served: there is one to go back to. */
  readonly served: boolean;
  /** Recoveries in a row. */
  readonly attempts: number;
  /** Generations that live on a model thread, retiring ones included. */
  readonly living: number;
  readonly failure: StatusRecord | null;
}

export const initialContext = (input: Input): Context => ({
  generation: input.lastGeneration,
  current: 0,
  candidate: 0,
  queued: false,
  stranded: false,
  device: true,
  proven: false,
  served: false,
  attempts: 0,
  living: 0,
  failure: null,
});
