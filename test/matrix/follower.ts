/**
 * Follows a simulated run and notes each arrival of an actor in a state, in the order in which they
 * happen; strikes at one of them, before anything else does.
 */
import { DEVICE_THREAD } from '../../actors/edge/simulated-threads.js';
import type { Intruder, IntruderGround } from '../simulation/intruder.js';
import { describeActor, strike, toldBy, type Harm } from './harms.js';

/** A state of a machine. */
export interface Place {
  readonly machine: string;
  readonly state: string;
}

export const placeName = ({ machine, state }: Place): string => `${machine}.${state}`;

/** The how manieth arrival in its place, in its run. */
export interface Arrival extends Place {
  readonly nth: number;
  readonly atMs: number;
  /** Steps of the run for which it stays, while faults happen. */
  readonly stay: number;
}

export interface Blow {
  readonly arrival: Arrival;
  /** Null: nothing is done, and when it would have been is told. */
  readonly harm: Harm | null;
  /** So many steps after the arrival, which stays for longer. */
  readonly after: number;
  /** Its news comes before anything else happens; else when chance will have it. */
  readonly isUrgent: boolean;
  readonly isSingle: boolean;
}

/** By then the device has been asked to open, and has not. */
const STILLBORN_STEPS = 5;
/** Of an actor that has ended, as long as "just after" lasts. */
const END_STEPS = 36;

type Staying = { -readonly [Key in keyof Arrival]: Arrival[Key] };

export class Follower implements Intruder {
  readonly arrivals: Arrival[] = [];
  /** When the blow fell. */
  struckMs = 0;
  /** The blow fell while an actor was in the place; null: it was never there. */
  hit: 'harmed' | 'nobody' | null = null;
  readonly #blow: Blow | null;
  readonly #machines = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Where actors are, with the step in which they came. */
  readonly #staying = new Map<string, { readonly arrival: Staying; readonly since: number }>();
  #started: string[] = [];
  /** Who is to be struck, and in which step. */
  #due: { readonly actor: string; readonly step: number } | null = null;
  #isStriking = false;
  /** The device's thread is to die before anything else. */
  #isStillborn: boolean;
  #ground: IntruderGround | null = null;

  constructor(blow: Blow | null, isStillborn: boolean) {
    this.#blow = blow;
    this.#isStillborn = isStillborn;
  }

  enter(ground: IntruderGround): void {
    this.#ground = ground;
    const { laws } = ground;
    laws.onObserved = (actor, seen) => {
      if (seen.type === 'stopped') this.#left(actor, END_STEPS);
      if (seen.type !== 'started') return;
      this.#machines.set(actor, seen.kind);
      this.#started.push(actor);
    };
    laws.onRecord = (record) => {
      if (record.type !== 'transition' || record.from === record.to) return;
      this.#arrived(record.actor, record.to);
    };
    const { onStep } = laws;
    laws.onStep = () => {
      onStep();
      this.#step();
    };
  }

  #step(): void {
    const { server, laws } = this.#ground!;
    if (this.#isStillborn && laws.steps > STILLBORN_STEPS) {
      this.#isStillborn = false;
      server.kill(DEVICE_THREAD);
    }
    if (!server.isFaulty) for (const actor of [...this.#staying.keys()]) this.#left(actor);
    for (const actor of this.#started.splice(0)) {
      const state = describeActor(server, actor)?.state;
      if (state !== undefined) this.#arrived(actor, state);
    }
    if (this.#due === null || this.#isStriking || laws.steps < this.#due.step) return;
    const { actor } = this.#due;
    this.#due = null;
    if (!server.isFaulty) return;
    this.struckMs = laws.now();
    const { harm, isUrgent, isSingle } = this.#blow!;
    if (harm === null) return;
    this.hit = strike(this.#ground!, { harm, actor, isSingle }) ? 'harmed' : 'nobody';
    if (!isUrgent) return;
    this.#isStriking = true;
    server.world.burst(toldBy[harm]);
    this.#isStriking = false;
  }

  #left(actor: string, more = 0): void {
    const staying = this.#staying.get(actor);
    this.#staying.delete(actor);
    if (staying === undefined) return;
    staying.arrival.stay = this.#ground!.laws.steps - staying.since + more;
  }

  #arrived(actor: string, state: string): void {
    this.#left(actor);
    const machine = this.#machines.get(actor);
    if (machine === undefined || !this.#ground!.server.isFaulty) return;
    const name = placeName({ machine, state });
    const nth = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, nth);
    const { steps, now } = this.#ground!.laws;
    const arrival = { machine, state, nth, atMs: now(), stay: 0 };
    this.arrivals.push(arrival);
    this.#staying.set(actor, { arrival, since: steps });
    const wanted = this.#blow?.arrival;
    if (wanted === undefined || this.hit !== null) return;
    if (machine === wanted.machine && state === wanted.state && nth === wanted.nth) {
      this.hit = 'nobody';
      this.#due = { actor, step: steps + this.#blow!.after };
    }
  }
}
