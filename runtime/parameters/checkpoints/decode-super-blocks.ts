/**
 * Blocks of 256 elements in parts, each part with a scale of few bits, to f32. Layouts are those of
 * ggml's published block structures:
 *
 *   Q4_K  d · dmin · 12 bytes of scales · 128 bytes of nibbles
 *   Q5_K  d · dmin · 12 bytes of scales · 32 bytes of fifth bits · 128 bytes of nibbles
 *   Q6_K  128 bytes of nibbles · 64 bytes of upper bit pairs · 16 × i8 scales · d
 *
 * The first two have eight parts of 32 with a scale and a minimum of six bits each; an element is
 * q · (d · scale) − dmin · minimum. The last has sixteen parts of 16: (q − 32) · (d · scale). All
 * products are exact, so each element is rounded once at most.
 */
import { halfAt } from './decode-blocks.js';
import type { Decoder } from './decode-plain.js';
import { halfTable } from './small-float-tables.js';

const elements = 256;

/** Parts 0 to 3 have a byte each; the upper bits of parts 4 to 7 lie above those bytes. */
function scaleOf(scales: Uint8Array, at: number, part: number): number {
  if (part < 4) return (scales[at + part] as number) & 63;
  const lower = (scales[at + part + 4] as number) & 15;
  return lower | (((scales[at + part - 4] as number) >> 6) << 4);
}

function minimumOf(scales: Uint8Array, at: number, part: number): number {
  if (part < 4) return (scales[at + part + 4] as number) & 63;
  const lower = (scales[at + part + 4] as number) >> 4;
  return lower | (((scales[at + part] as number) >> 6) << 4);
}

/** Nibbles of two parts share bytes: the even part has the lower ones. */
export const decodeQ4_K: Decoder = (source, into) => {
  const halves = halfTable().values;
  for (let at = 0, out = 0; out < into.length; at += 144, out += elements) {
    const d = halfAt(source, at, halves);
    const dmin = halfAt(source, at + 2, halves);
    for (let part = 0; part < 8; part += 1) {
      const scale = d * scaleOf(source, at + 4, part);
      const minimum = dmin * minimumOf(source, at + 4, part);
      const quants = at + 16 + (part >> 1) * 32;
      const shift = (part & 1) * 4;
      const target = out + part * 32;
      for (let index = 0; index < 32; index += 1) {
        const q = ((source[quants + index] as number) >> shift) & 15;
        into[target + index] = scale * q - minimum;
      }
    }
  }
};

/** Bit `p` of each byte of fifth bits is for part `p`. */
export const decodeQ5_K: Decoder = (source, into) => {
  const halves = halfTable().values;
  for (let at = 0, out = 0; out < into.length; at += 176, out += elements) {
    const d = halfAt(source, at, halves);
    const dmin = halfAt(source, at + 2, halves);
    for (let part = 0; part < 8; part += 1) {
      const scale = d * scaleOf(source, at + 4, part);
      const minimum = dmin * minimumOf(source, at + 4, part);
      const quants = at + 48 + (part >> 1) * 32;
      const shift = (part & 1) * 4;
      const target = out + part * 32;
      for (let index = 0; index < 32; index += 1) {
        const fifth = ((source[at + 16 + index] as number) >> part) & 1;
        const q = (((source[quants + index] as number) >> shift) & 15) | (fifth << 4);
        into[target + index] = scale * q - minimum;
      }
    }
  }
};

/**
 * Each half of a block has 64 bytes of nibbles and 32 of bit pairs for four runs of 32 elements:
 * runs 0 and 1 are the lower nibbles, runs 2 and 3 the upper ones; pair `r` of a byte is for run
 * `r`.
 */
export const decodeQ6_K: Decoder = (source, into) => {
  const halves = halfTable().values;
  const scales = new Int8Array(source.buffer, source.byteOffset, source.length);
  for (let at = 0, out = 0; out < into.length; at += 210, out += elements) {
    const d = halfAt(source, at + 208, halves);
    for (let run = 0; run < 8; run += 1) {
      const half = run >> 2;
      const nibbles = at + half * 64 + (run & 1) * 32;
      const pairs = at + 128 + half * 32;
      const nibbleShift = (run & 2) * 2;
      const pairShift = (run & 3) * 2;
      for (let index = 0; index < 32; index += 1) {
        const lower = ((source[nibbles + index] as number) >> nibbleShift) & 15;
        const upper = ((source[pairs + index] as number) >> pairShift) & 3;
        const scale = d * (scales[at + 192 + run * 2 + (index >> 4)] as number);
        into[out + run * 32 + index] = scale * ((lower | (upper << 4)) - 32);
      }
    }
  }
};
