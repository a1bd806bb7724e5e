/** Ports whose time stands still until a test moves it. */
import type { Ports, TimerId } from '../../runtime/base/ports.js';

export interface ManualPorts extends Ports {
  advance(ms: number): void;
  readonly pending: () => number;
}

export function manualPorts(): ManualPorts {
  let now = 1000;
  let next = 1;
  const timers = new Map<TimerId, { at: number; action: () => void }>();
  return {
    clock: { now: () => now, wallTime: () => now },
    timers: {
      start(delayMs, action) {
        timers.set(next, { at: now + delayMs, action });
        return next++;
      },
      cancel: (id) => void timers.delete(id),
    },
    random: { next: () => 0.5 },
    ids: { next: (prefix) => `${prefix}-${next++}` },
    advance(ms) {
      now += ms;
      for (const [id, timer] of [...timers]) {
        if (timer.at > now) continue;
        timers.delete(id);
        timer.action();
      }
    },
    pending: () => timers.size,
  };
}
