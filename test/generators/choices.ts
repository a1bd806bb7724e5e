/**
 * A stream of choices for making programs imperatively: fast-check generates and shrinks the plain
 * array, and a stream that has run dry always chooses 0, which makers let mean the simplest thing.
 */
import fc from '../properties.js';

export class Choices {
  readonly #values: readonly number[];
  #next = 0;

  constructor(values: readonly number[]) {
    this.#values = values;
  }

  get isDry(): boolean {
    return this.#next >= this.#values.length;
  }

  /** 0 … count - 1. */
  below(count: number): number {
    return (this.#values[this.#next++] ?? 0) % count;
  }

  of<T>(options: readonly T[]): T {
    return options[this.below(options.length)]!;
  }

  /** False when dry. */
  chance(oneIn: number): boolean {
    return !this.isDry && this.below(oneIn) === 0;
  }
}

export function choicesArbitrary(maxLength: number): fc.Arbitrary<number[]> {
  return fc.array(fc.nat(2 ** 20), { maxLength, size: 'max' });
}
