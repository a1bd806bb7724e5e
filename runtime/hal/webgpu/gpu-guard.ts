/**
 * Error scopes: whatever Dawn has to say about a piece of work becomes the failure of that piece,
 * with the code that tells whose fault it is. Scopes nest as calls do, since nothing here awaits
 * between push and pop.
 */
import type { StatusRecord } from '../../base/errors.js';
import { tracked } from './outstanding.js';

const FILTERS = [
  ['out-of-memory', 'resourceExhausted'],
  ['internal', 'internal'],
  ['validation', 'internal'],
] as const;

/** Runs `body` at once; what went wrong with it on the device, later. Throws what `body` throws. */
export function guarded(
  gpu: GPUDevice,
  label: string,
  body: () => void,
): Promise<StatusRecord | null> {
  for (const [filter] of FILTERS) gpu.pushErrorScope(filter);
  const popped: Promise<StatusRecord | null>[] = [];
  try {
    body();
  } finally {
    for (const [, code] of [...FILTERS].reverse()) {
      popped.push(
        tracked(gpu, gpu.popErrorScope()).then(
          (error) => error && { code, message: `${label}: ${firstLines(error.message)}` },
          // The device is gone: its loss says more than this.
          () => null,
        ),
      );
    }
  }
  return Promise.all(popped).then((found) => found.find((status) => status !== null) ?? null);
}

/** Dawn explains at length; what matters comes first. */
function firstLines(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .slice(0, 3)
    .join(' ');
}
