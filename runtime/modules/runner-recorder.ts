/**
 * One invocation as the `runner` capabilities record it: buffers, and commands in order. Nothing
 * is submitted and nothing waits here; the owner takes `commands` when the call of `run` has
 * returned, and drops the recorder when it raised.
 *
 * Buffers, works and fences get ids from 0 in order of first use, local to the invocation, as
 * `runtime/hal/submission.ts` wants them. A handle of another invocation is refused.
 */
import { StatusError } from '../base/errors.js';
import type { BufferRange, SubmissionBuffer, SubmissionCommand } from '../hal/submission.js';
import { HandleTable } from './handle-table.js';

/** Commands that one invocation may record. */
export const commandsMax = 65_536;

/** What the recorder must know of a prepared stage. */
export interface RunnableStage {
  readonly executable: string;
  readonly name: string;
  readonly roots: number;
}

export interface InvocationShape {
  /** By ordinal: cold stages, then those declared for this invocation. */
  readonly stages: readonly RunnableStage[];
  /** Bytes that each registered host slot holds, for `feedback`. */
  readonly slots: readonly number[];
  /** Differs from invocation to invocation: see HandleTable. */
  readonly epoch: number;
}

export class RunnerRecorder {
  readonly #shape: InvocationShape;
  readonly #ranges: HandleTable<BufferRange>;
  readonly #works: HandleTable<{ readonly id: number }>;
  readonly #fences: HandleTable<{ readonly id: number }>;
  readonly #buffers: SubmissionBuffer[] = [];
  readonly #commands: SubmissionCommand[] = [];
  readonly #filledSlots = new Set<number>();

  constructor(shape: InvocationShape) {
    this.#shape = shape;
    this.#ranges = new HandleTable('hal.buffer', shape.epoch);
    this.#works = new HandleTable('work', shape.epoch);
    this.#fences = new HandleTable('hal.fence', shape.epoch);
  }

  get buffers(): readonly SubmissionBuffer[] {
    return this.#buffers;
  }

  get commands(): readonly SubmissionCommand[] {
    return this.#commands;
  }

  /** Registers storage of this invocation; the handle is what the program is given. */
  addBuffer(buffer: SubmissionBuffer): number {
    this.#buffers.push(buffer);
    return this.#ranges.add({ buffer: this.#buffers.length - 1, offset: 0, length: buffer.bytes });
  }

  length(handle: number): bigint {
    return BigInt(this.#ranges.value(handle, 'hal.buffer.len').length);
  }

  slice(handle: number, offset: bigint, length: bigint): number {
    const range = this.#ranges.value(handle, 'hal.buffer.slice');
    return this.#ranges.add(sliceOf(range, { offset, length, what: 'hal.buffer.slice' }));
  }

  execute(ordinal: bigint, handles: readonly number[]): number {
    const { stages } = this.#shape;
    const name = `execute_${handles.length}`;
    const stage = stages[Number(ordinal)];
    if (stage === undefined) {
      throw new StatusError(
        'invalidArgument',
        `${name} of stage ${ordinal}; stages 0 to ${stages.length - 1} are prepared for this invocation`,
      );
    }
    if (stage.roots !== handles.length) {
      throw new StatusError(
        'invalidArgument',
        `${name} of stage ${ordinal} (${stage.name}), which takes ${stage.roots} buffers`,
      );
    }
    const roots = handles.map((handle) => this.#ranges.value(handle, name));
    const work = this.#works.count;
    this.#record({ op: 'execute', work, executable: stage.executable, roots, part: 0 });
    return this.#works.add({ id: work });
  }

  feedback(work: number, handle: number, place: FeedbackPlace): void {
    const { id } = this.#works.value(work, 'feedback');
    const range = this.#ranges.value(handle, 'feedback');
    const slot = Number(place.slot);
    const bytes = this.#shape.slots[slot];
    if (bytes === undefined) {
      const count = this.#shape.slots.length;
      throw new StatusError(
        'invalidArgument',
        `feedback into slot ${place.slot}; this entry has ${count === 0 ? 'no slots' : `slots 0 to ${count - 1}`}`,
      );
    }
    if (place.length > BigInt(bytes)) {
      throw new StatusError(
        'resourceExhausted',
        `feedback of ${place.length} bytes into slot ${slot}, which holds ${bytes}`,
      );
    }
    if (this.#filledSlots.has(slot)) {
      throw new StatusError('alreadyExists', `feedback into slot ${slot} twice in one invocation`);
    }
    this.#filledSlots.add(slot);
    const source = sliceOf(range, { ...place, what: 'feedback' });
    this.#record({ op: 'feedback', work: id, source, slot });
  }

  /** A fence of exactly that work, whatever is recorded later. */
  fence(work: number): number {
    const { id } = this.#works.value(work, 'fence');
    const fence = this.#fences.count;
    this.#record({ op: 'fence', fence, work: id });
    return this.#fences.add({ id: fence });
  }

  /** Orders what is recorded from now on after a fence; the null fence orders nothing. */
  join(fence: number): void {
    if (fence === NULL_FENCE) return;
    const { id } = this.#fences.value(fence, 'join');
    this.#record({ op: 'join', fence: id });
  }

  #record(command: SubmissionCommand): void {
    if (this.#commands.length >= commandsMax) {
      throw new StatusError(
        'resourceExhausted',
        `more than ${commandsMax} runner calls in one invocation`,
      );
    }
    this.#commands.push(command);
  }
}

/** No external work to wait for. */
export const NULL_FENCE = 0;

export interface FeedbackPlace {
  readonly offset: bigint;
  readonly length: bigint;
  readonly slot: bigint;
}

interface Cut {
  readonly offset: bigint;
  readonly length: bigint;
  readonly what: string;
}

function sliceOf(range: BufferRange, { offset, length, what }: Cut): BufferRange {
  const isInside = offset >= 0n && length >= 0n && offset + length <= BigInt(range.length);
  if (!isInside) {
    throw new StatusError(
      'outOfRange',
      `${what} of bytes ${offset} to ${offset + length} of a buffer of ${range.length}`,
    );
  }
  return {
    buffer: range.buffer,
    offset: range.offset + Number(offset),
    length: Number(length),
  };
}
