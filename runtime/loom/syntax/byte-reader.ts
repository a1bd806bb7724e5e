/**
 * Reads the primitives of bytecode from bytes that nobody vouches for. Every read is checked
 * against the end of the section; what is wrong is thrown as `BytecodeFault` with its offset.
 */

/**
 * Something in the bytes is wrong. Caught by the bytecode reader, which makes a diagnostic of it.
 */
export class BytecodeFault extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #section: string;
  #offset = 0;

  constructor(bytes: Uint8Array, section: string) {
    this.#bytes = bytes;
    this.#section = section;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  byte(): number {
    if (this.remaining === 0) this.fail('ends too early');
    this.#offset += 1;
    return this.#bytes[this.#offset - 1]!;
  }

  /** A LEB128 number below 2^31, in its shortest form. */
  uint(): number {
    let value = 0;
    for (let shift = 1; shift <= 2 ** 28; shift *= 128) {
      const byte = this.byte();
      value += (byte % 128) * shift;
      if (byte < 128) {
        if (byte === 0 && shift > 1) this.fail('holds a number that is written too long');
        if (value >= 2 ** 31) break;
        return value;
      }
    }
    return this.fail('holds a number that is too large');
  }

  /** How many items follow; each takes at least a byte, so more than remain cannot be. */
  count(): number {
    const count = this.uint();
    if (count > this.remaining) this.fail(`promises ${count} items in ${this.remaining} bytes`);
    return count;
  }

  text(): string {
    const length = this.count();
    const bytes = this.#bytes.subarray(this.#offset, this.#offset + length);
    this.#offset += length;
    try {
      return decoder.decode(bytes);
    } catch {
      return this.fail('holds a text that is not UTF-8');
    }
  }

  expectEnd(): void {
    if (this.remaining > 0) this.fail(`has ${this.remaining} bytes too many`);
  }

  fail(what: string): never {
    throw new BytecodeFault(`the ${this.#section} section ${what} (at byte ${this.#offset})`);
  }
}
