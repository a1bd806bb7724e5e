/** Whether this machine has a WebGPU adapter: tests of the device skip without one, and say so. */
import type { Test } from 'uvu';
import { listAdapters } from '../../../../runtime/hal/webgpu/adapters.js';

/** The first that there is; null without one, or without the package. */
export const adapter = await listAdapters().then(
  (adapters) => adapters[0] ?? null,
  () => null,
);

/** Adds a test that is counted as skipped where there is no adapter. */
export function onAdapter(test: Test, name: string, run: () => Promise<void>): void {
  if (adapter) test(name, run);
  else test.skip(`${name} (skipped: no adapter)`, run);
}
