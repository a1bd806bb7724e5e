/** What the calling thread has used since it started, and what its heap holds. Plain data. */
import { performance } from 'node:perf_hooks';

export interface ThreadUsage {
  /** Milliseconds in which its event loop had something to do. */
  readonly busyMs: number;
  readonly heapBytes: number;
  /** Memory outside the heap that objects of this thread hold: buffers above all. */
  readonly externalBytes: number;
}

/** `collect`: first drop what nobody holds, where the process was started with `--expose-gc`. */
export function threadUsage(collect: boolean): ThreadUsage {
  if (collect) (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const { active } = performance.eventLoopUtilization();
  return { busyMs: active, heapBytes: heapUsed, externalBytes: external };
}
