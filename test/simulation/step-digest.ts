/**
 * What tells one run from another: a number over all of its steps, their times and what they carry.
 * Made at every step of every seed, so it makes no text of them.
 */
import type { SimulatedStep } from '../../runtime/system/transports/simulated.js';

export class StepDigest {
  readonly #time = new Float64Array(1);
  readonly #words = new Uint32Array(this.#time.buffer);
  #low = 0x811c9dc5 | 0;
  #high = 0x01000193;

  add(step: SimulatedStep, nowMs: number): void {
    this.#time[0] = nowMs;
    this.#mix(this.#words[0]!);
    this.#mix(this.#words[1]!);
    this.#mixText(step.kind);
    this.#mixText(step.thread);
    if (step.kind !== 'deliver') return;
    this.#mixText(step.from);
    this.#mixText(step.envelope === null ? 'died' : step.envelope.id);
    if (step.envelope !== null) this.#mixText(step.envelope.kind);
  }

  get text(): string {
    const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
    return hex(this.#high) + hex(this.#low);
  }

  #mixText(text: string): void {
    for (let i = 0; i < text.length; i++) this.#mix(text.charCodeAt(i));
    this.#mix(text.length);
  }

  #mix(word: number): void {
    this.#low = Math.imul(this.#low ^ word, 0x01000193);
    this.#high = Math.imul(this.#high ^ (this.#low >>> 15), 0x5bd1e995);
  }
}
