/** Plain types to f32, over all patterns where there are few, against definitions in arithmetic. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../../properties.js';
import {
  countNonFinite,
  decodeRows,
} from '../../../../runtime/parameters/checkpoints/decode-rows.js';
import type { TensorType } from '../../../../runtime/parameters/checkpoints/tensor-type.js';
import { bfloat, e4m3, e5m2, half, valueOf } from './small-float.js';
import type { SmallFloat } from './small-float.js';

function decoded(type: TensorType, source: ArrayBufferView, count: number): Float32Array {
  const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const into = new Float32Array(count);
  decodeRows(type, bytes, into);
  return into;
}

/** Same number, same sign of zero, NaN for NaN. */
function requireSame(actual: Float32Array, expected: (index: number) => number, what: string) {
  for (const [index, value] of actual.entries()) {
    if (!Object.is(value, expected(index))) {
      assert.unreachable(`${what} ${index}: expected ${expected(index)}, got ${value}`);
    }
  }
}

const wide: readonly [TensorType, SmallFloat][] = [
  ['F16', half],
  ['BF16', bfloat],
];
const narrow: readonly [TensorType, SmallFloat][] = [
  ['F8_E4M3', e4m3],
  ['F8_E5M2', e5m2],
];

for (const [type, format] of wide) {
  test(`all 65536 patterns of ${type}, aligned and not`, () => {
    const patterns = Uint16Array.from({ length: 65_536 }, (_, index) => index);
    const values = decoded(type, patterns, patterns.length);
    requireSame(values, (index) => valueOf(index, format), type);
    const shifted = new Uint8Array(patterns.byteLength + 1);
    shifted.set(new Uint8Array(patterns.buffer), 1);
    const again = decoded(type, shifted.subarray(1), patterns.length);
    assert.equal(new Uint32Array(again.buffer), new Uint32Array(values.buffer));
  });
}

for (const [type, format] of narrow) {
  test(`all 256 patterns of ${type}`, () => {
    const patterns = Uint8Array.from({ length: 256 }, (_, index) => index);
    requireSame(decoded(type, patterns, 256), (index) => valueOf(index, format), type);
  });
}

test('numbers that everyone knows', () => {
  const halves = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x8000, 0x3555);
  assert.equal(
    [...decoded('F16', halves, 7)],
    [1, -2, 65504, 2 ** -24, Infinity, -0, 0.333251953125],
  );
  assert.equal([...decoded('BF16', Uint16Array.of(0x3f80, 0xc049), 2)], [1, -3.140625]);
  assert.equal([...decoded('F8_E4M3', Uint8Array.of(0x38, 0x7e, 0x01), 3)], [1, 448, 2 ** -9]);
  assert.equal([...decoded('F8_E5M2', Uint8Array.of(0x3c, 0x7b, 0xfc), 3)], [1, 57344, -Infinity]);
  assert.equal([...decoded('BOOL', Uint8Array.of(0, 1, 7), 3)], [0, 1, 1]);
});

test('bits of f32 are kept, those of NaN too', () => {
  const bits = Uint32Array.of(0x7fc12345, 0xff800001, 0x00000001, 0x80000000);
  const into = new Float32Array(4);
  decodeRows('F32', new Uint8Array(bits.buffer), into);
  assert.equal([...new Uint32Array(into.buffer)], [...bits]);
});

test('small integers are exact', () => {
  const rows: readonly [TensorType, ArrayBufferView, readonly number[]][] = [
    ['I8', Int8Array.of(-128, 127, 0), [-128, 127, 0]],
    ['U8', Uint8Array.of(255, 1, 0), [255, 1, 0]],
    ['I16', Int16Array.of(-32768, 32767, 1), [-32768, 32767, 1]],
    ['U16', Uint16Array.of(65535, 256, 1), [65535, 256, 1]],
    ['I32', Int32Array.of(-(2 ** 31), 2 ** 24, -1), [-(2 ** 31), 2 ** 24, -1]],
    ['U32', Uint32Array.of(2 ** 31, 3, 0), [2 ** 31, 3, 0]],
    ['I64', BigInt64Array.of(-(2n ** 63n), -1n, 2n ** 40n), [-(2 ** 63), -1, 2 ** 40]],
    ['U64', BigUint64Array.of(2n ** 63n, 0n, 5n), [2 ** 63, 0, 5]],
  ];
  for (const [type, source, expected] of rows) {
    assert.equal([...decoded(type, source, 3)], expected, type);
  }
});

/** The nearest f32 to an integer, ties to even, in integers alone. */
function nearestF32(value: bigint): number {
  const size = value < 0n ? -value : value;
  const excess = BigInt(Math.max(0, size.toString(2).length - 24));
  const unit = 1n << excess;
  let kept = size / unit;
  const twice = (size % unit) * 2n;
  if (twice > unit || (twice === unit && kept % 2n === 1n)) kept += 1n;
  return Number(kept * unit) * (value < 0n ? -1 : 1);
}

test('wide integers round once, to the nearest f32 and ties to even', () => {
  const nearTie = fc
    .tuple(
      fc.bigInt(2n ** 23n, 2n ** 24n - 1n),
      fc.integer({ min: 1, max: 40 }),
      fc.bigInt(-2n, 2n),
    )
    .map(([kept, shift, off]) => (2n * kept + 1n) * 2n ** BigInt(shift - 1) + off)
    .chain((value) => fc.constantFrom(value, -value));
  const any = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
  fc.assert(
    fc.property(fc.array(fc.oneof(any, nearTie), { minLength: 1, maxLength: 30 }), (values) => {
      const signed = values.map((value) => BigInt.asIntN(64, value));
      const unsigned = values.map((value) => BigInt.asUintN(64, value));
      const asSigned = decoded('I64', BigInt64Array.from(signed), signed.length);
      requireSame(asSigned, (index) => nearestF32(signed[index]!), 'i64');
      const asUnsigned = decoded('U64', BigUint64Array.from(unsigned), unsigned.length);
      requireSame(asUnsigned, (index) => nearestF32(unsigned[index]!), 'u64');
    }),
    { numRuns: 500 },
  );
  // 2^60 + 2^36 is a tie; one more decides it, although a double cannot tell the two apart.
  const tie = 2n ** 60n + 2n ** 36n;
  assert.is(decoded('I64', BigInt64Array.of(tie + 1n), 1)[0], 2 ** 60 + 2 ** 37);
  assert.is(decoded('I64', BigInt64Array.of(tie), 1)[0], 2 ** 60);
  assert.is(decoded('I64', BigInt64Array.of(-tie - 1n), 1)[0], -(2 ** 60) - 2 ** 37);
});

test('a double goes to the nearest f32, ties to even', () => {
  const neighbour = (value: number, step: number): number => {
    const bits = Uint32Array.of(new Uint32Array(Float32Array.of(value).buffer)[0]! + step);
    return new Float32Array(bits.buffer)[0]!;
  };
  const finite = fc.double({ min: 1e-44, max: 3e38, noNaN: true });
  fc.assert(
    fc.property(finite, (value) => {
      const result = decoded('F64', Float64Array.of(value), 1)[0]!;
      const error = Math.abs(value - result);
      for (const step of [-1, 1]) {
        const other = Math.abs(value - neighbour(result, step));
        const isEven = new Uint32Array(Float32Array.of(result).buffer)[0]! % 2 === 0;
        assert.ok(error < other || (error === other && isEven), `${value} became ${result}`);
      }
    }),
    { numRuns: 500 },
  );
  const edges = Float64Array.of(1e39, -1e39, 1e-60, NaN, -0);
  assert.equal([...decoded('F64', edges, 5)], [Infinity, -Infinity, 0, NaN, -0]);
});

test('plain types of more bytes decode the same wherever they lie', () => {
  const types = ['F64', 'F32', 'I64', 'U64', 'I32', 'U32', 'I16', 'U16'] as const;
  const bytes = Uint8Array.from({ length: 8 * 40_000 + 8 }, (_, index) => (index * 167) % 251);
  for (const type of types) {
    const width = Number(type.slice(1)) / 8;
    const source = bytes.slice(0, 40_000 * width);
    const expected = decoded(type, source, 40_000);
    for (const shift of [1, 2, 3, 4]) {
      const moved = new Uint8Array(source.length + shift);
      moved.set(source, shift);
      const actual = decoded(type, moved.subarray(shift), 40_000);
      assert.equal(new Uint32Array(actual.buffer), new Uint32Array(expected.buffer), type);
    }
  }
});

test('what is not finite is counted', () => {
  const values = Float32Array.of(0, NaN, 1, Infinity, -Infinity, 3e38, -0, 1e-45);
  assert.is(countNonFinite(values), 3);
  assert.is(countNonFinite(values.subarray(4)), 1);
  assert.is(countNonFinite(new Float32Array(0)), 0);
});

test('a source of the wrong size is a bug of the caller', () => {
  assert.throws(() => decodeRows('F16', new Uint8Array(3), new Float32Array(2)), /4 bytes of F16/);
  assert.throws(() => decodeRows('Q8_0', new Uint8Array(34), new Float32Array(31)), /of 32/);
});

test.run();
