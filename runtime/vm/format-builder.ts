/**
 * `format` in steps, so that emitted code can call it with one value at a time: begin, then pieces
 * and values in order, then end. Formats may nest (a value may itself be a formatted string), so
 * open ones form a stack; a call that failed in the middle leaves some behind, `reset` drops them.
 */
import { assert } from '../base/errors.js';
import { formatFloat } from './format-number.js';
import type { Heap } from './heap.js';
import { newString, readString } from './heap-strings.js';

export class FormatBuilder {
  readonly #heap: Heap;
  #open: string[] = [];

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  reset(): void {
    this.#open = [];
  }

  begin(): void {
    this.#open.push('');
  }

  #add(text: string): void {
    assert(this.#open.length > 0, 'a format to be open');
    this.#open[this.#open.length - 1] += text;
  }

  /** Literal pieces and string values alike. */
  string(address: number): void {
    this.#add(readString(this.#heap, address));
  }

  integer(value: number | bigint): void {
    this.#add(String(value));
  }

  float(value: number, width: 'f32' | 'f64'): void {
    this.#add(formatFloat(value, width));
  }

  bool(value: number): void {
    this.#add(value ? 'true' : 'false');
  }

  /** Address of the finished string. */
  end(): number {
    const text = this.#open.pop();
    assert(text !== undefined, 'a format to be open');
    return newString(this.#heap, text);
  }
}
