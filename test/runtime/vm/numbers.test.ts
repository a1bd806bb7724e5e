/**
 * Numbers of the language against what IEEE and two's complement say, computed another way: by
 * exact integers, by typed arrays, or by hand.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ArithmeticOp } from '../../../runtime/loom/typed.js';
import * as b from '../../generators/typed-builder.js';
import { deviceWord, errorOf, evaluate, hostFunctionOf } from './run-expression.js';

const { t } = b;
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const i64s = fc.oneof(
  fc.bigInt({ min: MIN, max: MAX }),
  fc.bigInt({ min: -5n, max: 70n }),
  fc.constantFrom(MIN, MIN + 1n, MAX, 2n ** 32n, 3037000500n),
);

function binaryOf(type: typeof t.i64, operator: ArithmeticOp): (a: never, c: never) => unknown {
  return hostFunctionOf([type, type], ([x, y]) => b.arithmetic(operator, x!, y!)) as never;
}

test('i64 sums, differences and products are exact or raise', () => {
  const exact = {
    '+': (a: bigint, c: bigint) => a + c,
    '-': (a: bigint, c: bigint) => a - c,
    '*': (a: bigint, c: bigint) => a * c,
  };
  for (const operator of ['+', '-', '*'] as const) {
    const run = binaryOf(t.i64, operator) as (a: bigint, c: bigint) => bigint;
    fc.assert(
      fc.property(i64s, i64s, (a, c) => {
        const expected = exact[operator](a, c);
        if (expected >= MIN && expected <= MAX) assert.is(run(a, c), expected);
        else assert.match(errorOf(() => run(a, c)).message, `i64 overflow in '${operator}'`);
      }),
    );
  }
});

test('i64 division truncates, MIN / -1 is MIN, and zero raises', () => {
  const divide = binaryOf(t.i64, '/') as (a: bigint, c: bigint) => bigint;
  const rest = binaryOf(t.i64, '%') as (a: bigint, c: bigint) => bigint;
  assert.is(divide(MIN, -1n), MIN);
  assert.is(rest(MIN, -1n), 0n);
  assert.is(divide(-7n, 2n), -3n);
  assert.is(rest(-7n, 2n), -1n);
  for (const run of [divide, rest])
    assert.match(errorOf(() => run(1n, 0n)).message, 'division by zero');
  fc.assert(
    fc.property(
      i64s,
      i64s.filter((n) => n !== 0n && n !== -1n),
      (a, c) => {
        const [quotient, remainder] = [divide(a, c), rest(a, c)];
        assert.is(quotient * c + remainder, a);
        assert.ok((remainder < 0n ? -remainder : remainder) < (c < 0n ? -c : c));
        assert.ok(remainder === 0n || remainder < 0n === a < 0n);
      },
    ),
  );
});

test('shifts use the low bits of the count', () => {
  assert.is(evaluate(b.arithmetic('<<', b.i64(1), b.i64(65))), 2n);
  assert.is(evaluate(b.arithmetic('<<', b.i64(1), b.i64(63))), MIN);
  assert.is(evaluate(b.arithmetic('>>', b.i64(-8), b.i64(-63))), -4n);
  assert.is(evaluate(b.arithmetic('<<', b.i32(1), b.i32(33))), 2);
  assert.is(evaluate(b.arithmetic('>>', b.i32(-8), b.i32(33))), -4);
  assert.is(evaluate(b.arithmetic('>>', b.u32(0x80000000), b.u32(31))), 1);
});

test('i32 and u32 wrap like 32-bit integers', () => {
  const word = new Int32Array(1);
  const wrap = (type: typeof t.i32, value: bigint): number => {
    word[0] = Number(BigInt.asIntN(32, value));
    return type === t.i32 ? word[0]! : word[0]! >>> 0;
  };
  for (const type of [t.i32, t.u32]) {
    const range =
      type === t.i32 ? { min: -(2 ** 31), max: 2 ** 31 - 1 } : { min: 0, max: 2 ** 32 - 1 };
    for (const operator of ['+', '-', '*'] as const) {
      const run = binaryOf(type, operator) as (a: number, c: number) => number;
      fc.assert(
        fc.property(fc.integer(range), fc.integer(range), (a, c) => {
          const [x, y] = [BigInt(a), BigInt(c)];
          const exact = operator === '+' ? x + y : operator === '-' ? x - y : x * y;
          assert.is(run(a, c), wrap(type, exact));
        }),
      );
    }
  }
});

test('division by zero raises on hosts and gives zero on devices', () => {
  for (const operator of ['/', '%'] as const) {
    assert.match(
      errorOf(() => evaluate(b.arithmetic(operator, b.u32(7), b.u32(0)))).message,
      'division by zero',
    );
    assert.is(deviceWord(b.arithmetic(operator, b.u32(7), b.u32(0))), 0);
    const quotient = b.arithmetic(operator, b.i32(-(2 ** 31)), b.i32(-1));
    assert.is(deviceWord(b.convert(t.u32, quotient)), operator === '/' ? 2 ** 31 : 0);
  }
});

test('f32 operations round once', () => {
  const f32 = fc.float({ noNaN: true });
  for (const operator of ['+', '-', '*', '/'] as const) {
    const run = binaryOf(t.f32, operator) as (a: number, c: number) => number;
    fc.assert(
      fc.property(f32, f32, (a, c) => {
        // Elementwise typed arrays store with one rounding of the double result.
        const expected = new Float32Array([
          operator === '+' ? a + c : operator === '-' ? a - c : operator === '*' ? a * c : a / c,
        ])[0]!;
        assert.ok(Object.is(run(a, c), expected), `${a} ${operator} ${c}`);
      }),
    );
  }
  const mad = b.intrinsic('mad', t.f32, [b.f32(16777217), b.f32(1.0000001), b.f32(-16777216)]);
  assert.is(evaluate(mad), Math.fround(Math.fround(16777216 * Math.fround(1.0000001)) - 16777216));
});

test('floats become integers by truncation, saturation, and zero for NaN', () => {
  const cases: readonly [number, number, number, bigint][] = [
    [1.9, 1, 1, 1n],
    [-1.9, -1, 0, -1n],
    [1e20, 2 ** 31 - 1, 2 ** 32 - 1, MAX],
    [-1e20, -(2 ** 31), 0, MIN],
    [Infinity, 2 ** 31 - 1, 2 ** 32 - 1, MAX],
    [NaN, 0, 0, 0n],
    [-0.5, 0, 0, 0n],
  ];
  for (const [value, i32, u32, i64] of cases) {
    for (const from of [b.f32(value), b.f64(value)]) {
      assert.is(evaluate(b.convert(t.i32, from)), i32);
      assert.is(evaluate(b.convert(t.u32, from)), u32);
      assert.is(evaluate(b.convert(t.i64, from)), i64);
    }
  }
});

test('an i64 rounds once on its way to f32', () => {
  const toFloat = hostFunctionOf([t.i64], ([x]) => b.convert(t.f32, x!)) as (n: bigint) => number;
  // Halfway and a bit: by way of a double the bit would be lost, and the tie go to the even one.
  assert.is(toFloat(2n ** 62n + 2n ** 38n + 1n), 2 ** 62 + 2 ** 39);
  assert.is(toFloat(2n ** 62n + 2n ** 38n), 2 ** 62);
  fc.assert(
    fc.property(fc.bigInt({ min: MIN, max: MAX }), (n) => {
      const found = toFloat(n);
      const exact = BigInt(found) - n;
      const distance = exact < 0n ? -exact : exact;
      const words = new Float32Array([found]);
      const bits = new Uint32Array(words.buffer);
      for (const step of [-1, 1]) {
        const neighbour = new Float32Array(new Uint32Array([bits[0]! + step]).buffer)[0]!;
        if (!Number.isInteger(neighbour) || found === 0) continue;
        const other = BigInt(neighbour) - n;
        assert.ok(distance <= (other < 0n ? -other : other), `${n}`);
      }
    }),
  );
});

test('rounding goes to the nearest even integer and keeps the sign of zero', () => {
  const cases = [
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [-0.5, -0],
    [-1.5, -2],
    [0.49999997, 0],
    [8388609, 8388609],
    [-0.2, -0],
  ];
  for (const [value, expected] of cases) {
    assert.ok(
      Object.is(evaluate(b.intrinsic('round', t.f32, [b.f32(value!)])), expected),
      `${value}`,
    );
  }
});

test('min and max keep the first operand unless the second is smaller (larger)', () => {
  const of = (name: 'min' | 'max', x: number, y: number): unknown =>
    evaluate(b.intrinsic(name, t.f64, [b.f64(x), b.f64(y)]));
  assert.ok(Object.is(of('min', 0, -0), 0));
  assert.is(of('max', 1, NaN), 1);
  assert.ok(Number.isNaN(of('max', NaN, 1)));
  assert.is(of('min', 2, 1), 1);
});

test('bits, clz, popcount, mul_hi and packed bytes', () => {
  assert.is(evaluate(b.intrinsic('bits', t.u32, [b.f32(-2)])), 0xc0000000);
  assert.is(evaluate(b.intrinsic('clz', t.u32, [b.u32(0)])), 32);
  assert.is(evaluate(b.intrinsic('popcount', t.u32, [b.u32(0xf0f0_0001)])), 9);
  assert.is(
    evaluate(b.intrinsic('mul_hi', t.u32, [b.u32(0xffffffff), b.u32(0xffffffff)])),
    0xfffffffe,
  );
  const bytes = Array.from({ length: 16 }, (_, i) => (i < 4 ? -1 - i : i));
  const words = b.intrinsic('bits', t.u32x4, [b.constant(t.i8x16, bytes)]);
  const total = 0xfcfdfeff + 0x07060504 + 0x0b0a0908 + 0x0f0e0d0c;
  assert.is(evaluate(b.intrinsic('sum', t.u32, [words])), total % 2 ** 32);
  const packed = b.intrinsic('pack_i8', t.i8x4, [b.constant(t.f32x4, [1.9, -300, 1e9, -0.5])]);
  const back = b.intrinsic('unpack_i8', t.i32x4, [packed]);
  const sum = b.intrinsic('sum', t.i32, [
    b.arithmetic('*', back, b.constant(t.i32x4, [1, 10, 100, 1000])),
  ]);
  assert.is(evaluate(sum), 1 - 1280 + 12700);
});

test('dot8 adds the products of byte pairs i and i + 4 to lane i', () => {
  const bytes = (f: (i: number) => number): number[] => Array.from({ length: 16 }, (_, i) => f(i));
  const a = bytes((i) => i - 8);
  const c = bytes((i) => 3 * i - 20);
  const dot = b.intrinsic('dot8', t.i32x4, [
    b.constant(t.i8x16, a),
    b.constant(t.i8x16, c),
    b.constant(t.i32x4, [1, 2, 3, 4]),
  ]);
  for (let lane = 0; lane < 4; lane++) {
    let expected = lane + 1;
    for (const pair of [lane, lane + 4])
      expected += a[2 * pair]! * c[2 * pair]! + a[2 * pair + 1]! * c[2 * pair + 1]!;
    assert.is(evaluate(b.extract(dot, lane)), expected);
  }
});

test.run();
