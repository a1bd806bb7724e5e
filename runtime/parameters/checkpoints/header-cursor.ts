/**
 * Reads little-endian values one behind the other from the start of a file, through a window, so
 * that a header of any size costs what its values cost. Never reads beyond the file or beyond the
 * limit of a header; what does not fit is thrown at its place.
 */
import { isUtf8 } from 'node:buffer';
import type { StatusError } from '../../base/errors.js';
import { checkpointFault } from './checkpoint-fault.js';
import { checkpointLimits } from './checkpoint-limits.js';
import type { ParameterFile } from './parameter-file.js';

const windowBytes = 256 * 1024;

export class HeaderCursor {
  /** What is being read, for messages; callers move it on. Called only to complain. */
  place: () => string = () => 'header';
  readonly #file: ParameterFile;
  #window = new Uint8Array(0);
  #view = new DataView(this.#window.buffer);
  /** Offset of the window in the file. */
  #begin = 0;
  #position = 0;

  constructor(file: ParameterFile) {
    this.#file = file;
  }

  get position(): number {
    return this.#position;
  }

  /** Bytes that the file has left: an upper bound on whatever is still to come. */
  get remaining(): number {
    return this.#file.bytes - this.#position;
  }

  fault(expected: string, found: string): StatusError {
    return checkpointFault(this.#file.name, { place: this.place(), expected, found });
  }

  /** A word of `bytes` bytes, read by the method of a DataView. */
  word<T>(bytes: number, read: (view: DataView, at: number) => T): T {
    const at = this.#advance(bytes);
    return read(this.#view, at);
  }

  u32(): number {
    return this.word(4, (view, at) => view.getUint32(at, true));
  }

  u64(): bigint {
    return this.word(8, (view, at) => view.getBigUint64(at, true));
  }

  /** A u64 that counts something. */
  count(max: number, what: string): number {
    const count = this.u64();
    if (count > max) throw this.fault(`at most ${max} ${what}`, `${count}`);
    return Number(count);
  }

  /** A length and that many bytes of UTF-8. */
  string(bytesMax: number): string {
    const length = this.count(bytesMax, 'bytes of a string');
    const at = this.#advance(length);
    const bytes = Buffer.from(this.#window.buffer, this.#window.byteOffset + at, length);
    if (!isUtf8(bytes)) throw this.fault('UTF-8 text', 'a string that is none');
    return bytes.toString('utf8');
  }

  /** Makes the next bytes lie in the window; where they start in it. */
  #advance(count: number): number {
    const begin = this.#position;
    const end = begin + count;
    if (end > this.#file.bytes) {
      const range = `bytes ${begin} to ${end}`;
      throw this.fault(range, `a file that ends at ${this.#file.bytes}`);
    }
    if (end > checkpointLimits.ggufHeaderBytes) {
      const max = checkpointLimits.ggufHeaderBytes;
      throw this.fault(`a header of at most ${max} bytes`, 'a longer one');
    }
    if (begin < this.#begin || end > this.#begin + this.#window.length) this.#fill(count);
    this.#position = end;
    return begin - this.#begin;
  }

  #fill(count: number): void {
    const length = Math.min(this.remaining, Math.max(count, windowBytes));
    this.#window = new Uint8Array(length);
    this.#view = new DataView(this.#window.buffer);
    this.#begin = this.#position;
    this.#file.read(this.#begin, this.#window);
  }
}
