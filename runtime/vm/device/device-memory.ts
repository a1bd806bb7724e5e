/**
 * Memory that kernels see. A `Region` is the storage of one root, workspace or bank field; a
 * `BoundView` is a typed range of one. Nothing outside the range of a view is ever touched. In
 * check mode a region of a workspace knows which words were written, and logs accesses.
 */
import type { RawValue } from '../executor.js';
import { AccessLog } from './access-log.js';

export class Region {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** One flag a word of what has been written; null: everything counts as written. */
  readonly written: Uint8Array | null;
  readonly lanes = new AccessLog();
  readonly groups = new AccessLog();

  constructor(bytes: Uint8Array, tracksWrites: boolean) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.written = tracksWrites ? new Uint8Array(Math.ceil(bytes.length / 4)) : null;
  }
}

export interface BoundView {
  readonly region: Region;
  /** Byte offset of element 0 in the region. */
  readonly offset: number;
  /** Elements; a void tile keeps its count and has `isVoid` set. */
  readonly length: number;
  readonly isVoid: boolean;
}

/** A shared array of one workgroup. */
export class SharedArray {
  readonly values: RawValue[];
  readonly written: Uint8Array;
  readonly lanes = new AccessLog();

  constructor(count: number, zero: RawValue) {
    this.values = new Array<RawValue>(count).fill(zero);
    this.written = new Uint8Array(count);
  }
}
