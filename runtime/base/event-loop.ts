/**
 * The way to let the event loop of a thread have its turn: what waits in it (input, timers, ports)
 * runs before the action. Keeps the process alive until then. For mechanisms that work in bursts.
 */
export function afterEventLoop(action: () => void): void {
  setImmediate(action);
}

/** How long a burst has lasted, as the difference of two; never what time it is. */
export const burstMs = (): number => performance.now();
