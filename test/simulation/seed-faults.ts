/**
 * What may go wrong in a seed: kinds of faults that are on or off for the whole of its first phase,
 * and mishaps, each before one step: a thread dies, the device is lost, clocks jump.
 */
import { DEVICE_THREAD, PREPARATION_THREAD } from '../../actors/edge/simulated-threads.js';
import type { SeededRandom } from '../../runtime/system/seeded-random.js';
import type { SimulatedServer } from './simulated-server.js';

export const faultKinds = [
  'cancel',
  'deadline',
  'wicked',
  'replace',
  'remove',
  'queue',
  'memory',
  'failure',
  'read',
  'slow-read',
  'allocation',
  'clock',
  'kill-model',
  'kill-preparation',
  'kill-device',
  'loss',
  'unopened',
  'drain',
  'warm',
  'deactivate',
  'text',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Shares of what fails, where a fault is on. */
export const shares = {
  failures: 0.06,
  unread: 0.12,
  slow: 0.15,
  unallocated: 0.1,
  unopened: 0.4,
} as const;

export interface Mishap {
  /** Of all steps of the run. */
  readonly step: number;
  act(): void;
}

/** Pauses of the process, and how far the wall clock is set. */
const pausesMs = [30, 400, 20_000];
const settingsMs = [-3_600_000, 3_600_000];
const FIRST_STEP = 30;

export function planMishaps(
  random: SeededRandom,
  faults: ReadonlySet<FaultKind>,
  { server, modelThreads }: { server: SimulatedServer; modelThreads: readonly string[] },
): Mishap[] {
  const mishaps: Mishap[] = [];
  const plan = (fault: FaultKind, act: () => void): void => {
    if (!faults.has(fault)) return;
    const times = 1 + random.below(2);
    for (let i = 0; i < times; i++) {
      mishaps.push({ step: FIRST_STEP + random.below(900), act });
    }
  };
  const model = modelThreads[random.below(modelThreads.length)]!;
  plan('kill-model', () => server.kill(model));
  plan('kill-preparation', () => server.kill(PREPARATION_THREAD));
  plan('kill-device', () => server.kill(DEVICE_THREAD));
  plan('loss', () => server.loseDevice());
  if (faults.has('clock')) {
    const pauseMs = pausesMs[random.below(pausesMs.length)]!;
    const byMs = settingsMs[random.below(settingsMs.length)]!;
    plan('clock', () => server.pause(pauseMs));
    plan('clock', () => server.setWallClock(byMs));
  }
  return mishaps;
}
