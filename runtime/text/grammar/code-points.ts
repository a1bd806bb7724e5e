/** Sets of characters as nodes over the bytes of their UTF-8. */
import type { ByteRange } from './grammar-program.js';
import type { ProgramBuilder } from './program-builder.js';

/** First and last code point. */
export type CodePoints = readonly [first: number, last: number];

/** Everything that UTF-8 has: surrogates are no characters. */
export const allCodePoints: readonly CodePoints[] = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
];

/** One character of the set, then `next`. */
export function character(
  builder: ProgramBuilder,
  set: readonly CodePoints[],
  next: number,
): number {
  return builder.bytes(characterRanges(builder, set, next));
}

/** The first bytes, where a node has other bytes besides. */
export function characterRanges(
  builder: ProgramBuilder,
  set: readonly CodePoints[],
  next: number,
): readonly ByteRange[] {
  const known = new Map<string, number>();
  const rest = (bytes: readonly CodePoints[]): number => {
    const [head, ...tail] = bytes;
    if (head === undefined) return next;
    const key = bytes.join(' ');
    const node = known.get(key) ?? builder.bytes([range(head, rest(tail))]);
    known.set(key, node);
    return node;
  };
  return set
    .flatMap((points) => sequences(points))
    .map(([head, ...tail]) => range(head!, rest(tail)));
}

/** What is in none of the given code points, which are in order. */
export function without(set: readonly CodePoints[], left: readonly number[]): CodePoints[] {
  let rest = [...set];
  for (const point of left) {
    rest = rest.flatMap(([first, last]): CodePoints[] => {
      if (point < first || point > last) return [[first, last]];
      const parts: CodePoints[] = [
        [first, point - 1],
        [point + 1, last],
      ];
      return parts.filter(([from, to]) => from <= to);
    });
  }
  return rest;
}

const range = ([low, high]: CodePoints, next: number): ByteRange => ({ low, high, next });

/** Last code points of one, two and three bytes. */
const lengthEnds = [0x7f, 0x7ff, 0xffff];

/** Ranges of bytes, one after the other, whose every combination is a character of the range. */
function sequences([first, last]: CodePoints): readonly (readonly CodePoints[])[] {
  for (const end of lengthEnds) if (first <= end && end < last) return halves(first, end, last);
  const low = new TextEncoder().encode(String.fromCodePoint(first));
  const high = new TextEncoder().encode(String.fromCodePoint(last));
  for (let bits = 6; bits < low.length * 6; bits += 6) {
    const block = 2 ** bits;
    const start = Math.floor(first / block);
    if (start === Math.floor(last / block)) continue;
    if (first % block !== 0) return halves(first, (start + 1) * block - 1, last);
    if (last % block !== block - 1) return halves(first, last - (last % block) - 1, last);
  }
  return [Array.from(low, (byte, index): CodePoints => [byte, high[index]!])];
}

function halves(first: number, middle: number, last: number): readonly (readonly CodePoints[])[] {
  return [...sequences([first, middle]), ...sequences([middle + 1, last])];
}
