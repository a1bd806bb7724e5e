/**
 * Numbers between bounds, digit by digit. Whole numbers take any bounds; others take whole bounds
 * and are written without an exponent, so that the digits before the point tell where a number
 * lies.
 */
import { digitsMax } from './json-text.js';
import type { JsonText } from './json-text.js';
import type { ProgramBuilder } from './program-builder.js';
import { has, refused } from './schema-keywords.js';
import type { Schema } from './schema-keywords.js';

/** One end of a range, null: none. */
interface End {
  readonly at: bigint;
  /** The end itself is not of the range. */
  readonly isOpen: boolean;
}

interface Bounds {
  readonly low: End | null;
  readonly high: End | null;
}

const most = 10n ** BigInt(digitsMax) - 1n;

export class NumberBounds {
  readonly #builder: ProgramBuilder;
  readonly #text: JsonText;

  constructor(builder: ProgramBuilder, text: JsonText) {
    this.#builder = builder;
    this.#text = text;
  }

  integer(schema: Schema, next: number): number {
    const { low, high } = wholeBounds(schema);
    if (low === null && high === null) return this.#text.integer(next);
    const positive = this.#between(greater(low, 0n), high ?? most, next);
    const negative = this.#between(greater(negated(high), 1n), negated(low) ?? most, next);
    return this.#builder.split([positive, this.#builder.text('-', negative)]);
  }

  number(schema: Schema, next: number): number {
    const { low, high } = bounds(schema);
    if (low === null && high === null) return this.#text.number(next);
    const zero: End = { at: 0n, isOpen: false };
    const places = placesOf([low, high]);
    const first = low !== null && low.at >= 0n ? low : zero;
    const positive = this.#magnitude({ low: first, high }, places, next);
    if (low !== null && low.at >= 0n) return positive;
    const isBelow = high !== null && high.at <= 0n;
    const least = isBelow ? { at: -high.at, isOpen: high.isOpen } : zero;
    const largest = low === null ? null : { at: -low.at, isOpen: low.isOpen };
    const negative = this.#magnitude({ low: least, high: largest }, places, next);
    return this.#builder.split([positive, this.#builder.text('-', negative)]);
  }

  /** Numbers without a sign. */
  #magnitude(
    { low, high }: { readonly low: End; readonly high: End | null },
    places: number,
    next: number,
  ): number {
    const builder = this.#builder;
    const fraction = this.#text.fraction(next, places);
    const top = high?.at ?? most + 1n;
    if (low.at > top || (low.at === top && (low.isOpen || high?.isOpen === true))) {
      return builder.nothing;
    }
    const inner = this.#between(low.isOpen ? low.at + 1n : low.at, top - 1n, fraction);
    const parts = [inner];
    if (low.isOpen && low.at < top)
      parts.push(builder.text(String(low.at), this.#above(places, next)));
    if (high !== null && !high.isOpen) parts.push(builder.text(String(top), this.#zeros(next)));
    return builder.split(parts);
  }

  /** A fraction that is not zero. */
  #above(places: number, next: number): number {
    let digits = this.#builder.nothing;
    for (let left = 0; left < places; left += 1) {
      const rest = this.#text.digits({ min: 0, max: left }, next);
      digits = this.#builder.split([
        this.#builder.oneOf('123456789', rest),
        this.#builder.oneOf('0', digits),
      ]);
    }
    return this.#builder.text('.', digits);
  }

  #zeros(next: number): number {
    const zero = this.#builder.oneOf('0', 0);
    const zeros = this.#builder.repeat({ entry: zero, min: 1, max: digitsMax, next });
    return this.#builder.optional(this.#builder.text('.', zeros), next);
  }

  /** Whole numbers without a sign, of as many digits as they take. */
  #between(low: bigint, high: bigint, next: number): number {
    const parts: number[] = [];
    for (let length = 1; length <= digitsMax; length += 1) {
      const first = length === 1 ? 0n : 10n ** BigInt(length - 1);
      const last = 10n ** BigInt(length) - 1n;
      const from = low > first ? low : first;
      const to = high < last ? high : last;
      if (from <= to) parts.push(this.#sameLength(String(from), String(to), next));
    }
    return this.#builder.split(parts);
  }

  #sameLength(low: string, high: string, next: number): number {
    const { length } = low;
    if (length === 0) return next;
    if (/^0*$/.test(low) && /^9*$/.test(high)) {
      return this.#text.digits({ min: length, max: length }, next);
    }
    const [first, last] = [digit(low), digit(high)];
    const rest = length - 1;
    const below = low.slice(1);
    const above = high.slice(1);
    if (first === last) {
      return this.#builder.oneOf(low[0]!, this.#sameLength(below, above, next));
    }
    const parts = [
      this.#builder.oneOf(low[0]!, this.#sameLength(below, '9'.repeat(rest), next)),
      this.#builder.oneOf(high[0]!, this.#sameLength('0'.repeat(rest), above, next)),
    ];
    if (last - first > 1) {
      const any = this.#text.digits({ min: rest, max: rest }, next);
      const between = '0123456789'.slice(first + 1, last);
      parts.push(this.#builder.oneOf(between, any));
    }
    return this.#builder.split(parts);
  }
}

/**
 * Digits behind the point. Where a number must not reach its bound, only as many as a reader with
 * doubles can tell from it: fifteen with those before the point.
 */
function placesOf(ends: readonly (End | null)[]): number {
  const open = ends.filter((one) => one?.isOpen === true);
  const lengths = open.map((one) => String(one!.at).replace('-', '').length);
  return Math.min(digitsMax, ...lengths.map((length) => Math.max(0, 15 - length)));
}

const digit = (text: string): number => text.charCodeAt(0) - 0x30;
const negated = (value: bigint | null): bigint | null => (value === null ? null : -value);
const greater = (value: bigint | null, least: bigint): bigint =>
  value === null || value < least ? least : value;

/** The bounds of whole numbers, both within. */
function wholeBounds(schema: Schema): { low: bigint | null; high: bigint | null } {
  const low = [
    rounded(schema, 'minimum', (value) => Math.ceil(value)),
    rounded(schema, 'exclusiveMinimum', (value) => Math.floor(value) + 1),
  ].reduce((left, right) => (left === null || (right !== null && right > left) ? right : left));
  const high = [
    rounded(schema, 'maximum', (value) => Math.floor(value)),
    rounded(schema, 'exclusiveMaximum', (value) => Math.ceil(value) - 1),
  ].reduce((left, right) => (left === null || (right !== null && right < left) ? right : left));
  return { low, high };
}

function rounded(schema: Schema, keyword: string, round: (value: number) => number): bigint | null {
  const value = bound(schema, keyword);
  return value === null ? null : BigInt(round(value));
}

function bounds(schema: Schema): Bounds {
  const lows = [end(schema, 'minimum', false), end(schema, 'exclusiveMinimum', true)];
  const highs = [end(schema, 'maximum', false), end(schema, 'exclusiveMaximum', true)];
  const closer = (isCloser: (left: bigint, right: bigint) => boolean) => {
    return (left: End | null, right: End | null): End | null => {
      if (left === null || right === null) return left ?? right;
      // Of equal ends, the open one, which comes second.
      return isCloser(left.at, right.at) ? left : right;
    };
  };
  return {
    low: lows.reduce(closer((left, right) => left > right)) ?? null,
    high: highs.reduce(closer((left, right) => left < right)) ?? null,
  };
}

function end(schema: Schema, keyword: string, isOpen: boolean): End | null {
  const value = bound(schema, keyword);
  if (value === null) return null;
  if (Number.isInteger(value)) return { at: BigInt(value), isOpen };
  throw refused(schema, keyword, `${value} is not whole; numbers that are not take whole bounds`);
}

function bound(schema: Schema, keyword: string): number | null {
  if (!has(schema, keyword)) return null;
  const value = schema.keywords[keyword];
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw refused(schema, keyword, `must be a number of at most ${Number.MAX_SAFE_INTEGER}`);
}
