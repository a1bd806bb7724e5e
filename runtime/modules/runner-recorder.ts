/**
 * One invocation as the `runner` capabilities record it: buffers, and commands in order. Nothing
 * is submitted and nothing waits here; the owner takes `commands` when the call of `run` has
 * returned, and drops the recorder when it raised.
 *
 * Buffers, works and fences get ids from 0 in order of first use, local to the invocation, as
 * `runtime/hal/submission.ts` wants them. What belongs to another invocation is refused.
 */
import { StatusError } from '../base/errors.js';
import { DESCRIPTOR_BYTES, DESCRIPTORS_MAX, type GatherEntry } from '../hal/gather.js';
import type { BufferRange, SubmissionBuffer, SubmissionCommand } from '../hal/submission.js';

/**
 * Commands that one invocation may record. The device keeps each as a work of its own and orders it
 * against those in flight, so the cost of an invocation grows with the square; a program with more
 * steps puts them into one command program, which holds thousands.
 */
export const commandsMax = 256;

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
  /**
   * Finds an entry of a checkpoint, or raises; without, there are no checkpoints to gather from.
   */
  readonly entry?: (source: bigint, key: string) => GatherEntry;
}

/** What a `hal.buffer` of a program stands for: bytes of one buffer of one invocation. */
export class InvocationBuffer {
  readonly owner: RunnerRecorder;
  readonly range: BufferRange;

  constructor(owner: RunnerRecorder, range: BufferRange) {
    this.owner = owner;
    this.range = range;
  }

  get length(): number {
    return this.range.length;
  }

  slice(offset: number, length: number): InvocationBuffer {
    return new InvocationBuffer(this.owner, cut(this.range, { offset, length, what: 'slice' }));
  }
}

/** What a `work` or a `hal.fence` of a program stands for. */
export interface InvocationPoint {
  readonly owner: RunnerRecorder;
  readonly kind: 'work' | 'hal.fence';
  readonly id: number;
}

/** No external work to wait for. */
export const NULL_FENCE = null;

export interface FeedbackPlace {
  readonly offset: bigint;
  readonly length: bigint;
  readonly slot: bigint;
}

export interface GatherCall {
  readonly source: bigint;
  readonly key: string;
  readonly wait: unknown;
  readonly descriptors: unknown;
  readonly offset: bigint;
  readonly count: bigint;
  readonly target: unknown;
}

export class RunnerRecorder {
  readonly #shape: InvocationShape;
  readonly #buffers: SubmissionBuffer[] = [];
  readonly #commands: SubmissionCommand[] = [];
  readonly #filledSlots = new Set<number>();
  #works = 0;
  #fences = 0;

  constructor(shape: InvocationShape) {
    this.#shape = shape;
  }

  get buffers(): readonly SubmissionBuffer[] {
    return this.#buffers;
  }

  get commands(): readonly SubmissionCommand[] {
    return this.#commands;
  }

  /** Registers storage of this invocation; the result is what the program is given. */
  addBuffer(buffer: SubmissionBuffer): InvocationBuffer {
    this.#buffers.push(buffer);
    const range = { buffer: this.#buffers.length - 1, offset: 0, length: buffer.bytes };
    return new InvocationBuffer(this, range);
  }

  execute(ordinal: bigint, buffers: readonly unknown[]): InvocationPoint {
    const { stages } = this.#shape;
    const name = `execute_${buffers.length}`;
    const stage = stages[Number(ordinal)];
    if (stage === undefined) {
      throw new StatusError(
        'internal',
        `${name} of stage ${ordinal}; stages 0 to ${stages.length - 1} are prepared for this invocation`,
      );
    }
    if (stage.roots !== buffers.length) {
      throw new StatusError(
        'internal',
        `${name} of stage ${ordinal} (${stage.name}), which takes ${stage.roots} buffers`,
      );
    }
    const roots = buffers.map((buffer) => this.#range(buffer, name));
    const id = this.#works++;
    this.#record({ op: 'execute', work: id, executable: stage.executable, roots, part: 0 });
    return { owner: this, kind: 'work', id };
  }

  feedback(work: unknown, buffer: unknown, place: FeedbackPlace): void {
    const id = this.#point(work, 'work', 'feedback');
    const range = this.#range(buffer, 'feedback');
    const slot = Number(place.slot);
    const bytes = this.#shape.slots[slot];
    if (bytes === undefined) {
      const count = this.#shape.slots.length;
      throw new StatusError(
        'internal',
        `feedback into slot ${place.slot}; this entry has ${count === 0 ? 'no slots' : `slots 0 to ${count - 1}`}`,
      );
    }
    if (place.length > BigInt(bytes)) {
      throw new StatusError(
        'internal',
        `feedback of ${place.length} bytes into slot ${slot}, which holds ${bytes}`,
      );
    }
    if (this.#filledSlots.has(slot)) {
      throw new StatusError('internal', `feedback into slot ${slot} twice in one invocation`);
    }
    const { offset, length } = place;
    const source = cut(range, { offset: Number(offset), length: Number(length), what: 'feedback' });
    this.#filledSlots.add(slot);
    this.#record({ op: 'feedback', work: id, source, slot });
  }

  /** A fence of exactly that work, whatever is recorded later. */
  fence(work: unknown): InvocationPoint {
    const id = this.#fences++;
    this.#record({ op: 'fence', fence: id, work: this.#point(work, 'work', 'fence') });
    return { owner: this, kind: 'hal.fence', id };
  }

  /** Orders what is recorded from now on after a fence; the null fence orders nothing. */
  join(fence: unknown): void {
    if (fence === NULL_FENCE) return;
    this.#record({ op: 'join', fence: this.#point(fence, 'hal.fence', 'join') });
  }

  /** An empty gather passes on what it was to wait for. */
  gather(call: GatherCall): InvocationPoint | null {
    const { source, key, offset, count } = call;
    const waits = call.wait !== NULL_FENCE;
    const wait = waits ? this.#point(call.wait, 'hal.fence', 'gather') : null;
    const whole = this.#range(call.descriptors, 'gather');
    const target = this.#range(call.target, 'gather');
    const entry = this.#shape.entry?.(source, key);
    if (entry === undefined) {
      throw new StatusError('internal', 'gather: the package declared no source');
    }
    if (count < 0n || count > BigInt(DESCRIPTORS_MAX)) {
      throw new StatusError(
        'resourceExhausted',
        `gather of ${count} descriptors; one call takes 0 to ${DESCRIPTORS_MAX}`,
      );
    }
    const length = Number(count) * DESCRIPTOR_BYTES;
    const descriptors = cut(whole, { offset: Number(offset), length, what: 'gather' });
    if (count === 0n) return call.wait as InvocationPoint | null;
    const fence = this.#fences++;
    this.#record({ op: 'gather', fence, wait, entry, descriptors, target });
    return { owner: this, kind: 'hal.fence', id: fence };
  }

  #range(buffer: unknown, use: string): BufferRange {
    if (buffer instanceof InvocationBuffer && buffer.owner === this) return buffer.range;
    throw foreign(use, 'hal.buffer');
  }

  #point(value: unknown, kind: InvocationPoint['kind'], use: string): number {
    const point = value as InvocationPoint | null | undefined;
    if (point?.owner === this && point.kind === kind) return point.id;
    throw foreign(use, kind);
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

function foreign(use: string, kind: string): StatusError {
  return new StatusError('internal', `${use} was given a ${kind} that is not of this invocation`);
}

interface Cut {
  readonly offset: number;
  readonly length: number;
  readonly what: string;
}

function cut(range: BufferRange, { offset, length, what }: Cut): BufferRange {
  if (offset < 0 || length < 0 || offset + length > range.length) {
    throw new StatusError(
      'internal',
      `${what} of bytes ${offset} to ${offset + length} of a buffer of ${range.length}`,
    );
  }
  return { buffer: range.buffer, offset: range.offset + offset, length };
}
