/**
 * A device as everything above sees it, whichever driver lies below: memory in slabs, one queue,
 * executables, timelines. Lives on one thread and is called on that thread only.
 *
 * Holds: after a loss nothing new is accepted, and everything that was accepted fails, each work
 * exactly once. `close` is called when the queue is empty, or gives up what is left as lost.
 */
import type { StatusRecord } from '../base/errors.js';
import type { Executable, ExecutableImage } from './executable.js';
import type { TargetFacts } from '../base/target-facts.js';
import type { SlabMemory } from './pool.js';
import type { Queue } from './queue.js';
import type { Timeline } from './timeline.js';

export interface Device {
  readonly driver: 'local' | 'simulated' | 'webgpu';
  readonly facts: TargetFacts;
  readonly memory: SlabMemory;
  /** The budget of the device: `--memory`, or the driver's own default. */
  readonly memoryBytes: number;
  readonly queue: Queue;
  /** Null while the device works. */
  readonly lost: StatusRecord | null;
  createTimeline(label: string): Timeline;
  /** Ids are the caller's; loading an id twice is an error. */
  load(id: string, image: ExecutableImage): void;
  /** Resolves when a loaded executable runs at full speed from its first launch, rejects when the
   * device refuses its code. Absent where loading is all there is. */
  ready?(id: string): Promise<void>;
  /** Accepted works that name it still run. False when no such id is loaded. */
  unload(id: string): boolean;
  /** A loaded executable; an error when there is none. */
  executable(id: string): Executable;
  /** How many are loaded. */
  readonly executables: number;
  /**
   * Another number whenever a part of what runs is done: by which one that takes long is told from
   * one that is stuck. Absent where only whole works are known to be done.
   */
  readonly progress?: number;
  /** Called once, when the device is lost. */
  onLost(listener: (status: StatusRecord) => void): void;
  close(): Promise<void>;
}
