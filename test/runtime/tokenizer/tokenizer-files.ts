/** Small tokenizer.json files for tests, and the calls of a test in short. */
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';

export const plain = 8;
export const withSpecial = 4;

export function tokenizerOf(file: object): Tokenizer {
  return new Tokenizer(new TextEncoder().encode(JSON.stringify(file)), 'test.json');
}

export function encode(
  tokenizer: Tokenizer,
  text: string,
  { flags = plain, capacity = 4096 } = {},
): number[] {
  const { ids, count } = tokenizer.encode(text, flags, capacity);
  return [...ids.subarray(0, count)];
}

export function decode(tokenizer: Tokenizer, ids: readonly number[], flags = 0): string {
  const { bytes, length } = tokenizer.decode(Int32Array.from(ids), flags, 65_536);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length));
}

/** The sixteenths make sums exact, so that equal sums are equal in any order of adding. */
export const sixteenths = (value: number): number => -Math.abs(value) / 16;

export const byteTokens = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
