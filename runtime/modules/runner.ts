/**
 * Module `runner`: warm submission. `execute_0` to `execute_8` come from one generator and differ
 * in the number of buffers only. Every call records and returns at once.
 */

import type { RunnerRecorder } from './runner-recorder.js';
import { NULL_FENCE } from './runner-recorder.js';
import { signatureTable } from './signature-table.js';
import type { CapabilityFunction, ModuleFunctions } from './signature-table.js';

/** Dynamic roots that a command program may have, the same on every device. */
export const rootsMax = 8;
const arities = Array.from({ length: rootsMax + 1 }, (_, count) => count);

export const runnerSignatures = signatureTable('runner', [
  ...arities.map((count) => {
    const params = ['i64', ...Array.from({ length: count }, () => 'hal.buffer')];
    return `execute_${count}(${params.join(', ')}) -> work`;
  }),
  'feedback(work, hal.buffer, i64, i64, i64)',
  'fence(work) -> hal.fence',
  'join(hal.fence)',
  'null_fence() -> hal.fence',
]);

/** `recorder` gives the invocation of the call in progress, and raises when there is none. */
export function runnerFunctions(recorder: () => RunnerRecorder): ModuleFunctions {
  const executes = arities.map((count): [string, CapabilityFunction] => [
    `execute_${count}`,
    (stage: bigint, ...buffers: unknown[]) => [recorder().execute(stage, buffers)],
  ]);
  return {
    ...Object.fromEntries(executes),
    feedback(work: unknown, buffer: unknown, ...place: [bigint, bigint, bigint]) {
      const [offset, length, slot] = place;
      recorder().feedback(work, buffer, { offset, length, slot });
      return [];
    },
    fence: (work: unknown) => [recorder().fence(work)],
    join(fence: unknown) {
      recorder().join(fence);
      return [];
    },
    null_fence: () => [NULL_FENCE],
  };
}
