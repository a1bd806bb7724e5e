/**
 * Arbitrary command programs of one kernel, free of races by construction: a lane writes only its
 * own elements, and reads of an array that its region writes stay at its own element. Everything
 * else may happen: indices out of range, tiles and slices that do not fit, NaN, infinities,
 * denormals, wrapping integers, dynamic trip counts, reductions inside loops.
 *
 * Roots, in order: floats in, ints in, f16x4 and then i8x16 in, floats out, words out, vectors
 * inout (f32x4), halves out (f16x2), sums acc (u32). What a program computed and did not store, it
 * writes into the words at its end: uniform values, shared and private arrays.
 */
import fc from '../properties.js';
import type { CommandProgram, Kernel, Range } from '../../runtime/loom/typed.js';
import { Choices, choicesArbitrary } from './choices.js';
import { KernelMaker, traceWords } from './kernel-maker.js';
import * as b from './typed-builder.js';

export interface DeviceCase {
  readonly program: CommandProgram;
  /** Fresh copies of the roots for one run. */
  roots(): Uint8Array[];
}

/** What the 32-bit words of each root hold: how two results are to be compared. */
export const rootContents = ['f32', 'i32', 'i8', 'f32', 'u32', 'f32', 'f16', 'u32'] as const;
const access = ['in', 'in', 'in', 'out', 'out', 'inout', 'out', 'inout'] as const;
/** Bytes of root 2 that hold f16x4; the rest holds i8x16. */
const halvesBytes = 48;

export const deviceCase: fc.Arbitrary<DeviceCase> = fc
  .record({
    values: choicesArbitrary(1600),
    lanes: fc.constantFrom(1, 4, 8),
    groups: fc.integer({ min: 1, max: 3 }),
    data: fc.infiniteStream(fc.nat(2 ** 16)),
    lengths: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 8, maxLength: 8 }),
  })
  .map(({ values, lanes, groups, data, lengths }) => {
    const kernel = new KernelMaker(new Choices(values), lanes).make();
    const elements = lengths.map((length, root) =>
      root === 2 ? length + halvesBytes / 16 : root === 4 ? (traceWords / 4) * groups : length,
    );
    const content = elements.map((length, root) => rootBytes(root, length, data));
    return {
      program: programOf(kernel, groups),
      roots: () => content.map((bytes) => bytes.slice()),
    };
  });

function programOf(kernel: Kernel, groups: number): CommandProgram {
  const part = (offset: number, length: number | null): Range => ({
    ...b.wholeRoot(2),
    offset,
    length,
  });
  const whole = access.map((_, index) => b.wholeRoot(index));
  const views = [
    ...whole.slice(0, 2),
    part(0, halvesBytes),
    part(halvesBytes, null),
    ...whole.slice(3),
  ];
  return b.commandProgram({
    roots: access.map((name) => b.root(name)),
    kernels: [kernel],
    steps: [b.dispatch(0, [...views, b.word(5), b.word(Math.fround(0.37), 'f32')], groups)],
  });
}

/** Elements of 16 bytes, so that every view type divides a root. */
function rootBytes(root: number, length: number, data: Iterable<number>): Uint8Array {
  const words = new Uint32Array(length * 4);
  const random = data[Symbol.iterator]();
  const next = (): number => random.next().value as number;
  const floats = [0, -0, 1.5, -2, 1e-41, 3e38, Infinity, -Infinity, NaN, 0.1, 65504, 1e6];
  const view = new Float32Array(words.buffer);
  words.forEach((_, i) => {
    const content = rootContents[root];
    if (content === 'f32')
      view[i] = next() % 3 === 0 ? floats[next() % floats.length]! : (next() - 32768) / 64;
    else if (content === 'i32') words[i] = next() % 4 === 0 ? next() * 65537 : next() % 24;
    else words[i] = next() * 65536 + next();
  });
  return new Uint8Array(words.buffer);
}

/** Bytes with every NaN replaced by one, for comparing. */
export function withoutPayloads(root: number, bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  const content = rootContents[root];
  if (content === 'f32') {
    for (let at = 0; at < copy.length; at += 4) {
      if ((view.getUint32(at, true) & 0x7fffffff) > 0x7f800000)
        view.setUint32(at, 0x7fc00000, true);
    }
  } else if (content === 'f16') {
    for (let at = 0; at < copy.length; at += 2) {
      if ((view.getUint16(at, true) & 0x7fff) > 0x7c00) view.setUint16(at, 0x7e00, true);
    }
  }
  return copy;
}
