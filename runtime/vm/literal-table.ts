/**
 * Places the string literals of a program at LITERALS_BASE, in order of first use, each once. The
 * interpreter fills one while it compiles; the WebAssembly emitter fills one and keeps its bytes
 * with the module. Addresses are final as soon as they are given.
 */
import { LITERALS_BASE } from './memory-map.js';
import { roundUp } from './value-layout.js';

const encoder = new TextEncoder();

export class LiteralTable {
  readonly #addresses = new Map<string, number>();
  readonly #texts: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  #end = LITERALS_BASE;

  /** Address of the string object that will hold `text`. */
  address(text: string): number {
    const known = this.#addresses.get(text);
    if (known !== undefined) return known;
    const at = this.#end;
    const bytes = encoder.encode(text);
    this.#addresses.set(text, at);
    this.#texts.push({ at, bytes });
    this.#end = roundUp(at + 4 + bytes.length, 8);
    return at;
  }

  /** All objects, to be written from LITERALS_BASE on. */
  image(): Uint8Array {
    const image = new Uint8Array(this.#end - LITERALS_BASE);
    const view = new DataView(image.buffer);
    for (const { at, bytes } of this.#texts) {
      view.setUint32(at - LITERALS_BASE, bytes.length, true);
      image.set(bytes, at - LITERALS_BASE + 4);
    }
    return image;
  }
}
