/**
 * Promises of Dawn that have not settled, by device. A thread must not end before they have: Dawn
 * would call into JavaScript that is no more, which ends the process.
 */
const open = new WeakMap<GPUDevice, Set<Promise<unknown>>>();

/** The same promise, known until it settles. */
export function tracked<T>(gpu: GPUDevice, promise: Promise<T>): Promise<T> {
  let promises = open.get(gpu);
  if (promises === undefined) open.set(gpu, (promises = new Set()));
  promises.add(promise);
  const forget = (): void => void promises.delete(promise);
  promise.then(forget, forget);
  return promise;
}

/** Resolves when nothing is outstanding, whatever became of it. */
export async function settledAll(gpu: GPUDevice): Promise<void> {
  for (let waiting = open.get(gpu); waiting && waiting.size > 0; waiting = open.get(gpu)) {
    await Promise.allSettled(waiting);
  }
}

/** When everything submitted so far has been done. */
export function submittedDone(gpu: GPUDevice): Promise<null> {
  return tracked(gpu, gpu.queue.onSubmittedWorkDone()).then(() => null);
}
