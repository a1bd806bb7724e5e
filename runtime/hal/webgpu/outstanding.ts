/**
 * Promises of Dawn that have not settled, by device. A thread must not end before they have: Dawn
 * would call into JavaScript that is no more, which ends the process.
 */
import { LentCore } from './lent-core.js';

interface Outstanding {
  readonly promises: Set<Promise<unknown>>;
  /** Of devices that compute on the cores of this machine. */
  core: LentCore | null;
}

const open = new WeakMap<GPUDevice, Outstanding>();

function outstandingOf(gpu: GPUDevice): Outstanding {
  let found = open.get(gpu);
  if (found === undefined) open.set(gpu, (found = { promises: new Set(), core: null }));
  return found;
}

/** Whoever waits for this device leaves it the core that the waiting would take. */
export function lendCore(gpu: GPUDevice): void {
  outstandingOf(gpu).core = new LentCore();
}

/** The same promise, known until it settles. */
export function tracked<T>(gpu: GPUDevice, promise: Promise<T>): Promise<T> {
  const { promises, core } = outstandingOf(gpu);
  promises.add(promise);
  core?.begin();
  const forget = (): void => {
    promises.delete(promise);
    core?.end();
  };
  promise.then(forget, forget);
  return promise;
}

/** Resolves when nothing is outstanding, whatever became of it. */
export async function settledAll(gpu: GPUDevice): Promise<void> {
  for (const { promises } = outstandingOf(gpu); promises.size > 0;) {
    await Promise.allSettled(promises);
  }
}

/** When everything submitted so far has been done. */
export function submittedDone(gpu: GPUDevice): Promise<null> {
  return tracked(gpu, gpu.queue.onSubmittedWorkDone()).then(() => null);
}
