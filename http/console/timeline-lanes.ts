/**
 * Where works lie on the device timeline: for each device as many lanes as works overlap, lives of
 * their submitters included. A work takes the first lane that is free.
 */
import { endOf } from './work-log.js';
import type { LoggedWork } from './work-log.js';

export interface LaidWork {
  readonly work: LoggedWork;
  readonly lane: number;
}

export interface DeviceLanes {
  readonly device: string;
  readonly lanes: number;
  readonly works: readonly LaidWork[];
}

/** From the start of whoever submitted it to its end; open works reach to `nowMs`. */
export function reach(work: LoggedWork, nowMs: number): [number, number] {
  const { life, acceptedMs } = work;
  const fromMs = life === null ? acceptedMs : Math.min(life.fromMs, acceptedMs);
  const endMs = endOf(work) ?? Math.max(nowMs, acceptedMs);
  return [fromMs, Math.max(endMs, life?.toMs ?? endMs)];
}

/** `works` in order of acceptance; `gapMs` is what two bars of one lane keep between them. */
export function deviceLanes(
  works: readonly LoggedWork[],
  nowMs: number,
  gapMs: number,
): DeviceLanes[] {
  const devices = new Map<string, { ends: number[]; works: LaidWork[] }>();
  const inOrder = works
    .map((work) => ({ work, reach: reach(work, nowMs) }))
    .sort((left, right) => left.reach[0] - right.reach[0]);
  for (const {
    work,
    reach: [fromMs, toMs],
  } of inOrder) {
    const { device } = work;
    if (!devices.has(device)) devices.set(device, { ends: [], works: [] });
    const known = devices.get(device)!;
    const free = known.ends.findIndex((endMs) => endMs + gapMs <= fromMs);
    const lane = free < 0 ? known.ends.length : free;
    known.ends[lane] = toMs;
    known.works.push({ work, lane });
  }
  return [...devices]
    .map(([device, { ends, works: laid }]) => ({ device, lanes: ends.length, works: laid }))
    .sort((left, right) => left.device.localeCompare(right.device));
}
