/**
 * The queue of a device: accepts works, runs each when what it waits for has happened, and retires
 * each exactly once (law I2). Submitting never blocks.
 *
 * A work waits for its fence, for the point before its own on its timeline, and for earlier works
 * whose bytes it conflicts with (read after write, write after read, write after write). When a
 * fence, the earlier point or the producer of bytes that it reads has failed, it fails too, without
 * running, but only once everything that it waited for has settled: until a work has retired, its
 * storage is in use. Called by whoever owns storage; it frees nothing itself.
 */
import { ChurnSet } from '../base/churn-map.js';
import type { Clock } from '../base/ports.js';
import { assert, StatusError, toStatus, type StatusRecord } from '../base/errors.js';
import { rangesOverlap } from './buffer.js';
import { accessOf, type Access, type DeviceCommand } from './command.js';
import type { Driver } from './driver.js';
import type { Executable } from './executable.js';
import { Fence } from './fence.js';
import type { Timeline } from './timeline.js';

export interface WorkOutcome {
  readonly failure: StatusRecord | null;
  /** When its first command started; null when it never ran. Milliseconds of the shared clock. */
  readonly started: number | null;
  readonly retired: number;
}

export interface WorkRequest {
  /** What it is, for messages. */
  readonly label: string;
  readonly wait: Fence | null;
  /** Takes the next point of this timeline. Works of one timeline run in order. */
  readonly timeline: Timeline;
  readonly commands: readonly DeviceCommand[];
  readonly onRetired: (outcome: WorkOutcome) => void;
}

interface Work {
  readonly request: WorkRequest;
  readonly point: number;
  readonly access: Access;
  /** Later works that wait for this one because of its bytes. */
  readonly followers: { readonly work: Work; readonly needsSuccess: boolean }[];
  waiting: number;
  failure: StatusRecord | null;
  started: number | null;
  next: number;
}

/** An accepted work as it stands, for who asks why. */
export interface QueuedWork {
  readonly label: string;
  /** Of its timeline: whose work it is. */
  readonly timeline: string;
  readonly isRunning: boolean;
  /** Works that have to retire first: of its timeline, or with bytes that it needs. */
  readonly after: readonly string[];
  /** Timelines whose points its fence waits for: the producers. */
  readonly fence: readonly string[];
}

export class Queue {
  readonly #driver: Driver;
  readonly #clock: Clock;
  /** Accepted and not retired, in order of acceptance. */
  readonly #accepted = new ChurnSet<Work>();
  /** The last work accepted on each timeline. */
  readonly #last = new WeakMap<Timeline, Work>();
  #ready: Work[] = [];
  #pumping = false;
  /** Labels of works that do not start; null: all start. */
  #held: string | null = null;
  #heldBack: Work[] = [];
  #retired = 0;
  #closed: StatusRecord | null = null;

  constructor(driver: Driver, clock: Clock) {
    this.#driver = driver;
    this.#clock = clock;
  }

  /** Works accepted and not retired. */
  get inFlight(): number {
    return this.#accepted.size;
  }

  /** Works that have retired, ever. */
  get retired(): number {
    return this.#retired;
  }

  /**
   * For fault injection: works whose label begins so do not start; an empty one means all of them.
   * Null lets go what was held back.
   */
  hold(label: string | null): void {
    this.#held = label;
    this.#ready.push(...this.#heldBack.splice(0));
    this.#pump();
  }

  describe(): readonly QueuedWork[] {
    const works = [...this.#accepted];
    return works.map((work) => ({
      label: work.request.label,
      timeline: work.request.timeline.label,
      isRunning: work.started !== null,
      after: works
        .filter(({ followers }) => followers.some((follower) => follower.work === work))
        .map(({ request }) => `${request.label} of ${request.timeline.label}`),
      fence: (work.request.wait?.points ?? [])
        .filter(({ timeline, point }) => timeline.state(point) === 'pending')
        .map(({ timeline }) => timeline.label),
    }));
  }

  /** Why nothing is accepted, or null. */
  get refusal(): StatusRecord | null {
    return this.#closed;
  }

  /** Nothing is accepted from now on; what was accepted retires in its own time. */
  refuse(status: StatusRecord): void {
    this.#closed ??= status;
  }

  /** Accepts a work; the fence of exactly that work. */
  submit(request: WorkRequest): Fence {
    if (this.#closed) throw StatusError.from(this.#closed);
    const { timeline, wait } = request;
    const work: Work = {
      request,
      point: timeline.issue(),
      access: accessOf(request.commands),
      followers: [],
      waiting: 1,
      failure: null,
      started: null,
      next: 0,
    };
    this.#follow(work);
    this.#accepted.add(work);
    for (const executable of executablesOf(request)) executable.retain();
    if (wait) {
      work.waiting += 1;
      wait.listen((failure) => this.#settle(work, failure));
    }
    this.#settle(work, timeline.failure);
    return Fence.at(timeline, work.point);
  }

  /** Orders `work` after the one before it on its timeline and all with which it conflicts. */
  #follow(work: Work): void {
    const { timeline } = work.request;
    const previous = this.#last.get(timeline);
    this.#last.set(timeline, work);
    for (const earlier of this.#accepted) {
      const needsSuccess =
        earlier === previous || anyOverlap(earlier.access, work.access, READ_AFTER_WRITE);
      if (!needsSuccess && !anyOverlap(earlier.access, work.access, ANY_HAZARD)) continue;
      earlier.followers.push({ work, needsSuccess });
      work.waiting += 1;
    }
  }

  #settle(work: Work, failure: StatusRecord | null): void {
    assert(work.waiting > 0, 'a work to wait for what settles');
    work.failure ??= failure && dependentFailure(work.request.label, failure);
    work.waiting -= 1;
    if (work.waiting > 0) return;
    this.#ready.push(work);
    this.#pump();
  }

  /** Starts whatever is ready; flat, however many works finish inside `start`. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      for (let work = this.#ready.shift(); work; work = this.#ready.shift()) this.#advance(work);
    } finally {
      this.#pumping = false;
    }
  }

  #advance(work: Work): void {
    if (this.#isHeld(work)) {
      this.#heldBack.push(work);
      return;
    }
    const command = work.failure ? undefined : work.request.commands[work.next];
    if (!command) return this.#retire(work);
    work.started ??= this.#clock.now();
    work.next += 1;
    let called = false;
    const done = (failure: StatusRecord | null): void => {
      assert(!called, 'a command to be done once');
      called = true;
      work.failure ??= failure;
      this.#ready.push(work);
      this.#pump();
    };
    try {
      this.#driver.start(command, done);
    } catch (error) {
      if (called) throw error;
      done(toStatus(error));
    }
  }

  #isHeld({ started, request }: Work): boolean {
    return this.#held !== null && started === null && request.label.startsWith(this.#held);
  }

  #retire(work: Work): void {
    const { failure, request } = work;
    assert(this.#accepted.delete(work), 'a work to retire once');
    this.#retired += 1;
    request.timeline.settle(work.point, failure);
    for (const follower of work.followers) {
      this.#settle(follower.work, follower.needsSuccess ? failure : null);
    }
    for (const executable of executablesOf(request)) executable.release();
    request.onRetired({ failure, started: work.started, retired: this.#clock.now() });
  }
}

function executablesOf(request: WorkRequest): Executable[] {
  return request.commands.flatMap((command) =>
    command.op === 'execute' ? [command.launch.executable] : [],
  );
}

type Hazard = readonly (readonly ['reads' | 'writes', 'reads' | 'writes'])[];
/** Pairs of the earlier work's accesses and the later one's. */
const READ_AFTER_WRITE: Hazard = [['writes', 'reads']];
const ANY_HAZARD: Hazard = [
  ['writes', 'writes'],
  ['reads', 'writes'],
];

function anyOverlap(earlier: Access, later: Access, hazard: Hazard): boolean {
  // Most works touch allocations of their own, so the spans settle it.
  if (earlier.from >= later.to || later.from >= earlier.to) return false;
  return hazard.some(([left, right]) =>
    earlier[left].some((a) => later[right].some((b) => rangesOverlap(a, b))),
  );
}

/** The failure of a work that did not run, with the first cause kept at the bottom. */
function dependentFailure(label: string, failure: StatusRecord): StatusRecord {
  const cause = failure.cause ?? failure;
  return { code: cause.code, message: `${label} did not run: ${cause.message}`, cause };
}
