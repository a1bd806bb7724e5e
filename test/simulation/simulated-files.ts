/**
 * Checkpoint files of a simulation, in memory under descriptors of its own, and the threads that
 * read them. A book of its own says which descriptors are open: each is closed once, and nobody
 * reads from one that is closed, because its number may be another file's by then.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import { gatherRanges } from '../../runtime/parameters/gather-descriptors.js';
import type { OpenedFile, OpenedSource } from '../../runtime/parameters/load-plan.js';
import type { BlockRead, ReadBlock } from '../../runtime/parameters/read-block.task.js';
import type { ReadRanges } from '../../runtime/parameters/read-ranges.task.js';

/** Lies in what a failed read was to fill. */
const SCRIBBLE_BYTE = 0xdb;

export interface Read {
  readonly task: string;
  readonly input: unknown;
}

type Outcome = { readonly value: unknown } | { readonly status: StatusRecord };

interface Held {
  readonly name: string;
  readonly content: Uint8Array;
  /** Who opened it, and when. */
  readonly thread: string;
  atMs: number;
  /** Its thread died before anybody else had heard of it: nobody can close it. */
  isLost: boolean;
}

export class SimulatedFiles {
  readonly #report: (law: string, detail: string) => void;
  readonly #open = new Map<number, Held>();
  /** Far from what the system hands out, in case one reaches it. */
  #opened = 1_000_000;

  constructor(report: (law: string, detail: string) => void) {
    this.#report = report;
  }

  /** A message that takes up to `travelMs` is lost with the thread that sent it. */
  threadLost(thread: string, nowMs: number, travelMs: number): void {
    for (const held of this.#open.values()) {
      if (held.thread === thread && nowMs - held.atMs <= travelMs) held.isLost = true;
    }
  }

  /** No message travels while the whole process does nothing. */
  stoodStill(ms: number): void {
    for (const held of this.#open.values()) held.atMs += ms;
  }

  /** The same sources, with files that are open from now on. */
  open(
    sources: readonly OpenedSource[],
    contents: ReadonlyMap<string, Uint8Array>,
    by: { readonly thread: string; readonly atMs: number },
  ): readonly OpenedSource[] {
    const descriptors = new Map<string, number>();
    const openFile = (file: OpenedFile): OpenedFile => {
      const { name } = file;
      const known = descriptors.get(name);
      if (known !== undefined) return { ...file, descriptor: known };
      const descriptor = ++this.#opened;
      descriptors.set(name, descriptor);
      this.#open.set(descriptor, { name, content: contents.get(name)!, ...by, isLost: false });
      return { ...file, descriptor };
    };
    return sources.map(({ files }) => ({ files: files.map(openFile) }));
  }

  readonly close = ({ name, descriptor }: OpenedFile): void => {
    if (this.#open.delete(descriptor)) return;
    this.#report('F', `descriptor ${descriptor} of ${name} is closed again`);
  };

  /** Names of what is open and should not be at the end, with descriptors. */
  get left(): readonly string[] {
    const kept = [...this.#open].filter(([, { isLost }]) => !isLost);
    return kept.map(([descriptor, { name, thread }]) => {
      return `${name} (${descriptor}, opened by ${thread})`;
    });
  }

  /** What a reading thread does: fills the target, or half of it before it fails. */
  carryOut(call: Read, failure: StatusRecord | null): Outcome {
    try {
      const value =
        call.task === 'read-block'
          ? this.#readBlock(call.input as ReadBlock, failure)
          : this.#readRanges(call.input as ReadRanges, failure);
      return { value };
    } catch (error) {
      return { status: toStatus(error) };
    }
  }

  #readBlock({ file, from, target }: ReadBlock, failure: StatusRecord | null): BlockRead {
    const bytes = new Uint8Array(target.buffer, target.offset, target.length);
    this.#read(file, from.offset, { bytes, failure });
    return { nonFinite: 0 };
  }

  #readRanges({ file, entry, descriptors, target }: ReadRanges, failure: StatusRecord | null) {
    let count = 0;
    for (const { from, to, length } of gatherRanges(descriptors, entry, target.length)) {
      const bytes = new Uint8Array(target.buffer, target.offset + to, length);
      this.#read(file, entry.offset + from, { bytes, failure });
      count += length;
    }
    return count;
  }

  #read(
    { name, descriptor }: OpenedFile,
    offset: number,
    into: { readonly bytes: Uint8Array; readonly failure: StatusRecord | null },
  ): void {
    const held = this.#open.get(descriptor);
    if (held?.name !== name) {
      this.#report('F', `${name} is read by descriptor ${descriptor}, which is closed`);
      throw new StatusError('internal', `${name} is not open`);
    }
    const { bytes, failure } = into;
    if (failure !== null) {
      bytes.fill(SCRIBBLE_BYTE);
      throw StatusError.from(failure);
    }
    bytes.set(held.content.subarray(offset, offset + bytes.length));
  }
}
