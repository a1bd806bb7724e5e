/**
 * JSON itself as rules: characters, strings, numbers, any value. White space between the parts is
 * bounded, and so are the digits of a number, so that no text can go on in them for ever, and every
 * number is finite.
 */
import { character } from './code-points.js';
import { END } from './grammar-program.js';
import type { ProgramBuilder } from './program-builder.js';

/** Digits before the point, and after it. */
export const digitsMax = 20;

export interface Lengths {
  readonly min: number;
  readonly max: number;
}

export class JsonText {
  readonly builder: ProgramBuilder;
  readonly #character: number;
  readonly #digit: number;
  #value: number | null = null;

  constructor(builder: ProgramBuilder) {
    this.builder = builder;
    this.#character = this.#characterRule();
    this.#digit = builder.bytes([{ low: 0x30, high: 0x39, next: END }]);
  }

  /** A string of so many characters. */
  string({ min, max }: Lengths, next: number): number {
    const close = this.builder.text('"', next);
    const inside = this.builder.repeat({ entry: this.#character, min, max, next: close });
    return this.builder.text('"', inside);
  }

  integer(next: number): number {
    const digits = this.#whole(next);
    return this.builder.optional(this.builder.text('-', digits), digits);
  }

  number(next: number): number {
    return this.integer(this.fraction(this.#exponent(next)));
  }

  /** So many digits, any. */
  digits({ min, max }: Lengths, next: number): number {
    if (max === 0) return next;
    return this.builder.repeat({ entry: this.#digit, min, max, next });
  }

  /** Nothing, or a point and at most so many digits. */
  fraction(next: number, places = digitsMax): number {
    if (places === 0) return next;
    const digits = this.digits({ min: 1, max: places }, next);
    return this.builder.optional(this.builder.text('.', digits), next);
  }

  /** The rule of any value. */
  get value(): number {
    if (this.#value !== null) return this.#value;
    const builder = this.builder;
    const value = (this.#value = builder.reserve());
    const kinds = [
      this.object(END),
      this.#array(value),
      this.string({ min: 0, max: Infinity }, END),
      this.number(END),
      ...['true', 'false', 'null'].map((word) => builder.text(word, END)),
    ];
    builder.settle(value, builder.split(kinds));
    return value;
  }

  /** An object of any members. */
  object(next: number): number {
    const builder = this.builder;
    const close = builder.space(builder.text('}', next));
    const member = this.string({ min: 0, max: Infinity }, this.afterKey(this.value));
    const more = this.#list(member, close);
    const first = builder.space(builder.call(member, more));
    return builder.text('{', builder.optional(first, close));
  }

  /** What stands between a key and the value's rule, and the value. */
  afterKey(value: number): number {
    const colon = this.builder.optional(this.builder.oneOf(' ', value), value);
    return this.builder.text(':', colon);
  }

  #array(value: number): number {
    const builder = this.builder;
    const close = builder.space(builder.text(']', END));
    const first = builder.space(builder.call(value, this.#list(value, close)));
    return builder.text('[', builder.optional(first, close));
  }

  /** More of a rule, each behind a comma. */
  #list(entry: number, next: number): number {
    const builder = this.builder;
    const item = builder.text(',', builder.space(entry));
    return builder.repeat({ entry: item, min: 0, max: Infinity, next });
  }

  #whole(next: number): number {
    const builder = this.builder;
    const rest = this.digits({ min: 0, max: digitsMax - 1 }, next);
    return builder.bytes([
      { low: 0x30, high: 0x30, next },
      { low: 0x31, high: 0x39, next: rest },
    ]);
  }

  #exponent(next: number): number {
    const builder = this.builder;
    const digits = this.digits({ min: 1, max: 2 }, next);
    const signed = builder.optional(builder.oneOf('+-', digits), digits);
    return builder.optional(builder.oneOf('eE', signed), next);
  }

  /** A character of a string, as it is or escaped; halves of surrogate pairs only in pairs. */
  #characterRule(): number {
    const builder = this.builder;
    const hex = (next: number): number => builder.oneOf('0123456789abcdefABCDEF', next);
    const last = hex(hex(END));
    const pair = builder.text('\\u', builder.oneOf('dD', builder.oneOf('cdefCDEF', last)));
    const afterD = builder.bytes([
      ...ranges('01234567', last),
      ...ranges('89abAB', hex(hex(pair))),
    ]);
    const code = builder.bytes([
      ...ranges('0123456789abcefABCEF', hex(last)),
      ...ranges('dD', afterD),
    ]);
    const escape = builder.bytes([...ranges('"\\/bfnrt', END), ...ranges('u', code)]);
    const plain = character(builder, plainCharacters, END);
    return builder.split([plain, builder.text('\\', escape)]);
  }
}

/** What stands in a string as it is. */
export const plainCharacters = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7ff],
  [0xe000, 0x10ffff],
] as const;

const ranges = (characters: string, next: number): { low: number; high: number; next: number }[] =>
  Array.from(characters, (one) => ({ low: one.charCodeAt(0), high: one.charCodeAt(0), next }));
