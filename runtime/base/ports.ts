/**
 * The only doors to time, randomness and identity. Everything above takes these as arguments, so a
 * simulation owns them all: no other file may name the platform's clock, timers or random source.
 */
import { ChurnMap } from './churn-map.js';
import { randomBytes } from 'node:crypto';

export interface Clock {
  /** Monotonic milliseconds on one origin for every thread of the process. */
  now(): number;
  /** Milliseconds since 1970, for labels shown to people only. */
  wallTime(): number;
}

export type TimerId = number;

export interface Timers {
  /** Runs `action` once after `delayMs`; the id cancels it. Does not keep the process alive. */
  start(delayMs: number, action: () => void): TimerId;
  cancel(id: TimerId): void;
}

export interface RandomSource {
  /** Uniform in [0, 1). */
  next(): number;
}

export interface IdSource {
  /** A short id, unique in the process; `prefix` tells the kind. */
  next(prefix: string): string;
}

export interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: RandomSource;
  readonly ids: IdSource;
}

/** 24 days; Node would run what is set for later at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Ports of a real thread. `threadName` keeps ids unique over threads. */
export function systemPorts(threadName: string): Ports {
  const originMs = threadOriginMs();
  const handles = new ChurnMap<TimerId, NodeJS.Timeout>();
  let nextTimer = 1;
  let nextId = 1;
  return {
    clock: {
      now: () => originMs + performance.now(),
      wallTime: () => Date.now(),
    },
    timers: {
      start(delayMs, action) {
        const id = nextTimer++;
        const handle = setTimeout(
          () => {
            handles.delete(id);
            action();
          },
          Math.min(delayMs, TIMER_MAX_MS),
        );
        handle.unref();
        handles.set(id, handle);
        return id;
      },
      cancel(id) {
        clearTimeout(handles.get(id));
        handles.delete(id);
      },
    },
    random: { next: () => Math.random() },
    ids: { next: (prefix) => `${prefix}-${threadName}-${(nextId++).toString(36)}` },
  };
}

/** Looks at both clocks in one go: the shortest says best how far they are apart. */
const LOOKS = 8;

/**
 * Where a thread's own clock begins on the one of all threads, to a microsecond or so. To go by
 * `performance.timeOrigin` would be to go by the wall clock, which is set now and then, and threads
 * would be up to a millisecond apart at any time.
 */
function threadOriginMs(): number {
  let shortest = Infinity;
  let originMs = 0;
  for (let look = 0; look < LOOKS; look += 1) {
    const before = performance.now();
    const [seconds, nanoseconds] = process.hrtime();
    const after = performance.now();
    if (after - before >= shortest) continue;
    shortest = after - before;
    originMs = seconds * 1e3 + nanoseconds / 1e6 - (before + after) / 2;
  }
  return originMs;
}

/** A secret for admin tokens and the like: 128 random bits in hex. */
export function randomSecret(): string {
  return randomBytes(16).toString('hex');
}
