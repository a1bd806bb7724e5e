/**
 * The words that the device thread and the compute workers share outside the device's memory, so
 * that no compiled program can reach them, and the messages that workers take from their ports.
 *
 * One launch runs at a time. The device thread writes the launch words, then raises `launch`; each
 * worker runs it and stores its number in its own `finished` word. Whoever sees every `finished`
 * word at that number stores `completed`. Storing a worker's word twice is harmless, which is how
 * the device thread stands in for a worker that died.
 */
import type { MessagePort } from 'node:worker_threads';

export const WORKERS_MAX = 64;

/** Indices of i32 words. */
export const CONTROL = {
  /** Number of the launch to run; workers sleep on it. */
  launch: 0,
  /** Number of the last launch that all workers finished; the device thread waits on it. */
  completed: 16,
  /** Number of the executable of this launch, and the address of its argument block. */
  executable: 32,
  args: 33,
  workers: 34,
  /**
   * Messages that have been posted to each port since it opened; workers take them before a run.
   */
  messages: 35,
  /** 1 when workers shall end; looked at after every change of `launch`. */
  stop: 36,
  /** Worker w stores finished launches at `finished + w * stride`: a cache line of its own. */
  finished: 48,
  stride: 16,
} as const;

export const CONTROL_WORDS = CONTROL.finished + WORKERS_MAX * CONTROL.stride;

/** How a compute worker is started. */
export interface ComputeInput {
  readonly worker: number;
  readonly control: Int32Array;
  readonly memory: WebAssembly.Memory;
  /** The launch number up to which there is nothing to do. */
  readonly launch: number;
  /** Brings programs, takes reports; read without an event loop on both ends. */
  readonly port: MessagePort;
}

/** Taken from the port, in order, before the launch that needs them. */
export type ComputeMessage =
  { readonly load: number; readonly module: WebAssembly.Module } | { readonly unload: number };

/** Put into the port before the worker finishes a launch of which it could not run its share. */
export interface ComputeReport {
  readonly launch: number;
  readonly error: string;
}

/** Whether each of the first `workers` workers has finished launch `launch`. */
export function allFinished(control: Int32Array, workers: number, launch: number): boolean {
  for (let worker = 0; worker < workers; worker += 1) {
    const word = CONTROL.finished + worker * CONTROL.stride;
    if (Atomics.load(control, word) !== launch) return false;
  }
  return true;
}

/** Tells the device thread that launch `launch` is complete. May be called by several. */
export function announceCompleted(control: Int32Array, launch: number): void {
  Atomics.store(control, CONTROL.completed, launch);
  Atomics.notify(control, CONTROL.completed);
}
