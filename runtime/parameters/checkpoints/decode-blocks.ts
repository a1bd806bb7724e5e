/**
 * Blocks of 32 elements to f32. Layouts are those of ggml's published block structures; `d` is the
 * scale and `m` the minimum of a block, both f16. Products of an f16 with a few bits are exact, so
 * each element is rounded once at most.
 *
 *   Q8_0  d · 32 × i8                                    q · d
 *   Q4_0  d · 16 bytes of nibbles                        (q − 8) · d
 *   Q4_1  d · m · 16 bytes of nibbles                    q · d + m
 *   Q5_0  d · u32 of fifth bits · 16 bytes of nibbles    (q − 16) · d
 *   Q5_1  d · m · u32 of fifth bits · 16 bytes           q · d + m
 *
 * Lower nibbles are elements 0 to 15, upper nibbles 16 to 31; bit `i` of the word is for element
 * `i`.
 */
import type { Decoder } from './decode-plain.js';
import { halfTable } from './small-float-tables.js';

/** A little-endian f16 at any byte. */
export const halfAt = (bytes: Uint8Array, at: number, halves: Float32Array): number =>
  halves[(bytes[at] as number) | ((bytes[at + 1] as number) << 8)] as number;

export const decodeQ8_0: Decoder = (source, into) => {
  const halves = halfTable().values;
  const quants = new Int8Array(source.buffer, source.byteOffset, source.length);
  for (let at = 0, out = 0; out < into.length; at += 34, out += 32) {
    const d = halfAt(source, at, halves);
    for (let index = 0; index < 32; index += 1) {
      into[out + index] = d * (quants[at + 2 + index] as number);
    }
  }
};

export const decodeQ4_0: Decoder = (source, into) => {
  const halves = halfTable().values;
  for (let at = 0, out = 0; out < into.length; at += 18, out += 32) {
    const d = halfAt(source, at, halves);
    for (let index = 0; index < 16; index += 1) {
      const pair = source[at + 2 + index] as number;
      into[out + index] = d * ((pair & 15) - 8);
      into[out + index + 16] = d * ((pair >> 4) - 8);
    }
  }
};

export const decodeQ4_1: Decoder = (source, into) => {
  const halves = halfTable().values;
  for (let at = 0, out = 0; out < into.length; at += 20, out += 32) {
    const d = halfAt(source, at, halves);
    const m = halfAt(source, at + 2, halves);
    for (let index = 0; index < 16; index += 1) {
      const pair = source[at + 4 + index] as number;
      into[out + index] = d * (pair & 15) + m;
      into[out + index + 16] = d * (pair >> 4) + m;
    }
  }
};

export const decodeQ5_0: Decoder = (source, into) => {
  const halves = halfTable().values;
  for (let at = 0, out = 0; out < into.length; at += 22, out += 32) {
    const d = halfAt(source, at, halves);
    const fifths = wordAt(source, at + 2);
    for (let index = 0; index < 16; index += 1) {
      const pair = source[at + 6 + index] as number;
      into[out + index] = d * (((pair & 15) | (((fifths >>> index) & 1) << 4)) - 16);
      into[out + index + 16] = d * (((pair >> 4) | (((fifths >>> (index + 16)) & 1) << 4)) - 16);
    }
  }
};

export const decodeQ5_1: Decoder = (source, into) => {
  const halves = halfTable().values;
  for (let at = 0, out = 0; out < into.length; at += 24, out += 32) {
    const d = halfAt(source, at, halves);
    const m = halfAt(source, at + 2, halves);
    const fifths = wordAt(source, at + 4);
    for (let index = 0; index < 16; index += 1) {
      const pair = source[at + 8 + index] as number;
      into[out + index] = d * ((pair & 15) | (((fifths >>> index) & 1) << 4)) + m;
      into[out + index + 16] = d * ((pair >> 4) | (((fifths >>> (index + 16)) & 1) << 4)) + m;
    }
  }
};

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24);
