/**
 * Growing byte buffer with the number encodings of the WebAssembly binary format. Little-endian;
 * integers as LEB128. Used by function bodies and by the module writer.
 */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): number {
    const start = this.#length;
    if (start + count > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, start + count));
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#length = start + count;
    return start;
  }

  byte(value: number): void {
    // Reserving may replace the array, so it comes first.
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  raw(bytes: ArrayLike<number>): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Unsigned, up to 32 bits. */
  u32(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Signed, up to 32 bits. */
  s32(value: number): void {
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
        this.byte(low);
        return;
      }
      this.byte(low | 0x80);
    }
  }

  /** Signed, up to 64 bits. */
  s64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    for (;;) {
      const low = Number(rest & 0x7fn);
      rest >>= 7n;
      if ((rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0)) {
        this.byte(low);
        return;
      }
      this.byte(low | 0x80);
    }
  }

  f32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setFloat32(at, value, true);
  }

  f64(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value, true);
  }

  /** Length-prefixed UTF-8. */
  name(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.u32(bytes.length);
    this.raw(bytes);
  }

  /** The bytes written so far, as a copy. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}
