/**
 * Tables that cross between the server and a program: little-endian i64 words, nothing else. Values
 * are bigint in bytes and number in here; a word that a number cannot hold exactly is an error.
 */
import { StatusError } from '../base/errors.js';

/** Reads the words of a table that a program returned. `entry` names it in errors. */
export class TableReader {
  readonly #view: DataView;
  readonly #entry: string;
  #next = 0;

  constructor(bytes: Uint8Array, entry: string) {
    if (bytes.length % 8 !== 0) {
      throw invalidReturn(entry, `a table of ${bytes.length} bytes; tables are whole i64 words`);
    }
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#entry = entry;
  }

  get words(): number {
    return this.#view.byteLength / 8;
  }

  get remaining(): number {
    return this.words - this.#next;
  }

  /** The next word; `what` names it in errors. */
  take(what: string): number {
    if (this.remaining === 0) {
      throw invalidReturn(
        this.#entry,
        `a table that ends after ${this.words} words, before ${what}`,
      );
    }
    const word = this.#view.getBigInt64(this.#next * 8, true);
    this.#next += 1;
    return exactNumber(word, this.#entry, what);
  }
}

/** An i64 as a number; a value outside the exact range is the program's mistake. */
export function exactNumber(word: bigint, entry: string, what: string): number {
  const value = Number(word);
  if (!Number.isSafeInteger(value)) {
    throw invalidReturn(entry, `${what} = ${word}, which is far outside of any size`);
  }
  return value;
}

export function tableBytes(words: readonly (number | bigint)[]): Uint8Array {
  const bytes = new Uint8Array(words.length * 8);
  const view = new DataView(bytes.buffer);
  words.forEach((word, index) => view.setBigInt64(index * 8, BigInt(word), true));
  return bytes;
}

/** A value that breaks the contract: the package's fault, told with the entry that returned it. */
export function invalidReturn(entry: string, what: string): StatusError {
  return new StatusError('internal', `'${entry}' of the package returned ${what}`, {
    where: entry,
  });
}
