/**
 * 16-bit floats through a compiled kernel: widening of all 65,536 bit patterns, and rounding to
 * nearest even, checked against a definition by distance that shares nothing with the emitter.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import type { Storage } from '../../../runtime/loom/typed.js';
import * as b from '../../generators/typed-builder.js';
import { CommandBench } from './run-command.js';

const { t } = b;

/** y[i] = x[i], converting between the storages of both; `scalars` handles one element a lane. */
function converter(
  from: Storage,
  to: Storage,
  elements: number,
): (input: Uint8Array) => Uint8Array {
  const k = new b.KernelBuilder('convert', 1);
  const [x, y] = [k.view('x', 'in', from), k.view('y', 'out', to)];
  const lane = k.local('lane', t.i32);
  const body = b.block(
    k.parallel(lane, { from: b.i32(0), to: x.length }, b.block(y.set(lane.get, x.get(lane.get)))),
  );
  const compiled = compileCommand(
    b.commandProgram({
      roots: [b.root('in'), b.root('out')],
      kernels: [k.build(body)],
      steps: [b.dispatch(0, [b.wholeRoot(0), b.wholeRoot(1)], 1)],
    }),
  );
  return (input) =>
    new CommandBench(compiled, [input, new Uint8Array(elements * to.size)]).runAlone().roots[1]!;
}

interface Format {
  readonly elem: 'f16' | 'bf16';
  readonly exponentBits: number;
  readonly mantissaBits: number;
}
const formats: readonly Format[] = [
  { elem: 'f16', exponentBits: 5, mantissaBits: 10 },
  { elem: 'bf16', exponentBits: 8, mantissaBits: 7 },
];

/** The number that a bit pattern means, by the definition of the format. */
function meaning({ exponentBits, mantissaBits }: Format, bits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const exponent = (bits >> mantissaBits) & (2 ** exponentBits - 1);
  const mantissa = bits & (2 ** mantissaBits - 1);
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 2 ** exponentBits - 1) return mantissa === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * mantissa * 2 ** (1 - bias - mantissaBits);
  return sign * (1 + mantissa / 2 ** mantissaBits) * 2 ** (exponent - bias);
}

test('every bit pattern widens to the number that it means, at every width', () => {
  const all = Uint16Array.from({ length: 65_536 }, (_, i) => i);
  for (const format of formats) {
    for (const lanes of [1, 2, 4] as const) {
      const widen = converter(
        b.storage(format.elem, lanes),
        b.storage('f32', lanes),
        65_536 / lanes,
      );
      const floats = new Float32Array(widen(new Uint8Array(all.buffer)).buffer);
      for (let bits = 0; bits < 65_536; bits++) {
        const expected = meaning(format, bits);
        if (!Object.is(floats[bits], expected))
          assert.is(floats[bits], expected, `${format.elem} ${bits.toString(16)}`);
      }
    }
  }
});

/** Finite patterns of one sign in ascending order of their numbers are 0, 1, 2, … */
function nearest(format: Format, value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  const infinity = (2 ** format.exponentBits - 1) << format.mantissaBits;
  let low = 0;
  let high = infinity;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (meaning(format, middle) <= magnitude) low = middle;
    else high = middle;
  }
  // Beyond the largest number, infinity stands where the next one would.
  const largest = meaning(format, infinity - 1);
  const above =
    high === infinity ? 2 * largest - meaning(format, infinity - 2) : meaning(format, high);
  const toLow = magnitude - meaning(format, low);
  const toHigh = above - magnitude;
  const up = toHigh < toLow || (toHigh === toLow && low % 2 === 1);
  return sign | (magnitude === Infinity || up ? high : low);
}

test('rounding goes to the nearest number, ties to even, through denormals to infinity', () => {
  for (const format of formats) {
    const round = converter(b.storage('f32', 2), b.storage(format.elem, 2), 1000);
    const edge = fc.integer({ min: 0, max: 65_535 }).map((bits) => meaning(format, bits));
    // Numbers exactly between two neighbours, and one unit beside.
    const between = fc
      .tuple(fc.integer({ min: 0, max: 0x7f7e }), fc.constantFrom(-1, 0, 1))
      .map(([bits, nudge]) => {
        const middle = Math.fround((meaning(format, bits) + meaning(format, bits + 1)) / 2);
        const word = new Uint32Array(Float32Array.of(middle).buffer);
        return new Float32Array(Uint32Array.of(word[0]! + nudge).buffer)[0]!;
      });
    const value = fc.oneof(edge, between, fc.float()).filter((v) => !Number.isNaN(v));
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 1000 }), (values) => {
        const input = new Float32Array(2000);
        input.set(values);
        const bits = new Uint16Array(round(new Uint8Array(input.buffer)).buffer);
        values.forEach((v, i) =>
          assert.is(bits[i], nearest(format, Math.fround(v)), `${format.elem} of ${v}`),
        );
      }),
      { numRuns: 30 },
    );
  }
});

test('a NaN stays one', () => {
  for (const format of formats) {
    const bits = new Uint16Array(
      converter(
        b.storage('f32', 4),
        b.storage(format.elem, 4),
        1,
      )(new Uint8Array(Float32Array.of(NaN, -NaN, 1, Infinity).buffer)).buffer,
    );
    assert.ok([0, 1].every((i) => Number.isNaN(meaning(format, bits[i]!))));
    assert.equal(
      [...bits.slice(2)].map((pattern) => meaning(format, pattern)),
      [1, Infinity],
    );
  }
});

test.run();
