/**
 * A file of parameters as its readers see it: a name for messages, a size as it was when opened,
 * and reads of any range. Reads are synchronous: they happen on threads that may block. Offsets go
 * up to 2^53. A read is whole or it throws.
 */
import { StatusError, assert } from '../../base/errors.js';

export interface ParameterFile {
  readonly name: string;
  readonly bytes: number;
  /** Fills `into`. Throws a StatusError naming file and range when the file has become shorter. */
  read(offset: number, into: Uint8Array): void;
}

/** A file in memory, for tests and simulation. */
export class MemoryParameterFile implements ParameterFile {
  readonly name: string;
  readonly bytes: number;
  #content: Uint8Array;

  constructor(name: string, content: Uint8Array) {
    this.name = name;
    this.bytes = content.length;
    this.#content = content;
  }

  /** As if somebody wrote another file in its place; the size that was opened stays on record. */
  replace(content: Uint8Array): void {
    this.#content = content;
  }

  read(offset: number, into: Uint8Array): void {
    assert(Number.isSafeInteger(offset) && offset >= 0, 'an offset from 0');
    const end = offset + into.length;
    if (end > this.#content.length) {
      throw shorterThanIndexed(this, { offset, end }, this.#content.length);
    }
    into.set(this.#content.subarray(offset, end));
  }
}

/** The failure of a read beyond the end of what is there now. */
export function shorterThanIndexed(
  file: { readonly name: string; readonly bytes: number },
  range: { readonly offset: number; readonly end: number },
  bytesNow: number,
): StatusError {
  const had = range.end > file.bytes ? '' : `; it had ${file.bytes} bytes when it was opened`;
  return new StatusError(
    'dataLoss',
    `${file.name}: bytes ${range.offset} to ${range.end} cannot be read: ` +
      `the file ends at ${bytesNow}${had}`,
    { where: file.name },
  );
}
