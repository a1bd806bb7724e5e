/**
 * Writes the argument block of one launch and reads what it left in the sync block. The layout is
 * the calling convention of `runtime/jit/local-abi.ts`; nothing else knows the addresses.
 */
import { assert, type StatusRecord } from '../../base/errors.js';
import { ARGS, BACK_EDGES_MAX, POISON, SYNC } from '../../jit/local-abi.js';
import type { DeviceRange } from '../buffer.js';
import type { Launch } from '../command.js';
import type { LocalMemory } from './local-memory.js';

/** Makes the block ready for `launch`; its address. No worker may be running. */
export function writeLaunch(memory: LocalMemory, launch: Launch): number {
  const { layout, words } = memory;
  const { info } = launch.executable;
  assert(launch.roots.length === info.roots.length, 'a range for each root');
  assert(launch.banks.length === info.bankFields.length, 'a range for each bank field');
  assert((launch.workspace?.length ?? 0) >= info.workspaceBytes, 'a workspace of the peak size');
  words.fill(0, layout.sync >>> 2, (layout.counters >>> 2) + info.steps.length);
  const set = (offset: number, value: number): void => {
    words[(layout.args + offset) >>> 2] = value;
  };
  set(ARGS.sync, layout.sync);
  set(ARGS.counters, layout.counters);
  set(ARGS.zeroPage, layout.zeroPage);
  set(ARGS.scratch, layout.scratch);
  set(ARGS.scratchStride, layout.scratchStride);
  set(ARGS.workspace, launch.workspace ? memory.address(launch.workspace) : 0);
  set(ARGS.part, launch.part);
  set(ARGS.budget, launch.backEdges ?? BACK_EDGES_MAX);
  const pair = (offset: number, range: DeviceRange): void => {
    set(offset, memory.address(range));
    set(offset + 4, range.length);
  };
  launch.roots.forEach((range, index) => pair(ARGS.roots + index * 8, range));
  launch.banks.forEach((range, index) => pair(ARGS.banks + index * 8, range));
  return layout.args;
}

/** Poisons the running launch (the first cause wins) and wakes whoever waits in a barrier. */
export function poisonLaunch(memory: LocalMemory, cause: number): void {
  const words = new Int32Array(memory.memory.buffer as ArrayBuffer);
  const sync = memory.layout.sync >>> 2;
  Atomics.compareExchange(words, sync + SYNC.poison / 4, 0, cause);
  Atomics.notify(words, sync + SYNC.done / 4);
}

/** Grows while workers take chunks of its dispatches and end them. */
export function launchProgress({ layout, words }: LocalMemory, launch: Launch): number {
  const counters = layout.counters >>> 2;
  const steps = launch.executable.info.steps.length;
  let progress = Atomics.load(words, (layout.sync + SYNC.done) >>> 2);
  for (let step = 0; step < steps; step += 1) progress += Atomics.load(words, counters + step);
  return progress;
}

/** Why the launch that just completed is no success, or null. `detail` is what a worker told. */
export function launchFailure(
  memory: LocalMemory,
  launch: Launch,
  detail: string | null,
): StatusRecord | null {
  const at = memory.layout.sync >>> 2;
  const poison = Atomics.load(memory.words, at + SYNC.poison / 4);
  if (poison === 0) return null;
  const { info } = launch.executable;
  const step = memory.words[at + SYNC.poisonStep / 4]!;
  const value = memory.words[at + SYNC.poisonDetail / 4]!;
  const kernel = `kernel ${info.steps[step] ?? '?'} (dispatch ${step} of ${info.name})`;
  switch (poison) {
    case POISON.workerLost:
      return {
        code: 'unavailable',
        message: `a compute worker ended while it ran ${info.name}${detail ? `: ${detail}` : ''}`,
        where: info.name,
      };
    case POISON.gridTooLarge:
      return {
        code: 'internal',
        message: `${kernel} was given a grid extent of ${value}; the limit is 65535`,
        where: info.name,
      };
    case POISON.ranTooLong:
      return {
        code: 'resourceExhausted',
        message: `${kernel} ran too long: a worker took more than ${launch.backEdges ?? BACK_EDGES_MAX} rounds of its loops`,
        where: info.name,
      };
    default:
      return {
        code: 'internal',
        message: `${kernel} was poisoned with the unknown code ${poison}`,
        where: info.name,
      };
  }
}
