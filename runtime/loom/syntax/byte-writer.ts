/** A growing byte array with the primitives of bytecode: bytes, LEB128 numbers, UTF-8 texts. */

const encoder = new TextEncoder();

export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  /** 7 bits a byte, low bits first; the shortest form. */
  uint(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  /** Length in bytes, then the bytes. */
  text(value: string): void {
    const bytes = encoder.encode(value);
    this.uint(bytes.length);
    this.append(bytes);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
