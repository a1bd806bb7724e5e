/**
 * Numbers of host functions: emitted code gives what the interpreter gives, spends the same fuel,
 * and fails with the same reason at the same place.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RawValue } from '../../../runtime/vm/executor.js';
import * as b from '../../generators/typed-builder.js';
import { agree } from './host-pair.js';

const { t } = b;

const edges64 = [
  0n,
  1n,
  -1n,
  2n,
  -7n,
  2n ** 31n,
  -(2n ** 31n),
  2n ** 32n,
  3037000500n,
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];

test('i64 arithmetic raises on overflow and on zero divisors, with the operator and its position', () => {
  for (const operator of ['+', '-', '*', '/', '%', '<<', '>>', '&', '|', '^'] as const) {
    const f = new b.FunctionBuilder('f');
    const x = f.param('x', t.i64);
    const y = f.param('y', t.i64);
    const func = f.build([t.i64], b.block(b.ret(b.arithmetic(operator, x.get, y.get))));
    const outcomes = agree(
      [func],
      edges64.flatMap((left) => edges64.map((right) => [left, right])),
    );
    if ('+-*/%'.includes(operator)) assert.ok(outcomes.some((outcome) => outcome.error));
    assert.ok(outcomes.some((outcome) => outcome.results));
  }
});

test('mad of i64 raises where its product or its sum overflows', () => {
  const f = new b.FunctionBuilder('f');
  const [x, y, z] = [f.param('x', t.i64), f.param('y', t.i64), f.param('z', t.i64)];
  const mad = b.intrinsic('mad', t.i64, [x.get, y.get, z.get]);
  const func = f.build([t.i64], b.block(b.ret(mad)));
  const some = edges64.filter((_, index) => index % 2 === 0 || index > 8);
  const calls = some.flatMap((a) => some.flatMap((c) => edges64.map((d) => [a, c, d])));
  const outcomes = agree([func], calls);
  const fits = (value: bigint): boolean => BigInt.asIntN(64, value) === value;
  outcomes.forEach(({ results, error }, index) => {
    const [a, c, d] = calls[index] as [bigint, bigint, bigint];
    const product = a * c;
    if (fits(product) && fits(product + d)) assert.equal(results, [product + d]);
    else assert.match(error?.reason ?? '', `i64 overflow in '${fits(product) ? '+' : '*'}'`);
  });
});

test('i32 and u32 wrap, and only a zero divisor raises', () => {
  const edges = [0, 1, 2, 31, 32, 33, 7, 2 ** 31 - 1];
  for (const type of [t.i32, t.u32]) {
    const values =
      type === t.i32 ? [...edges, -1, -7, -(2 ** 31)] : [...edges, 2 ** 31, 2 ** 32 - 1];
    for (const operator of ['+', '-', '*', '/', '%', '<<', '>>', '&', '|', '^'] as const) {
      const f = new b.FunctionBuilder('f');
      const x = f.param('x', type);
      const y = f.param('y', type);
      const func = f.build([type], b.block(b.ret(b.arithmetic(operator, x.get, y.get))));
      agree(
        [func],
        values.flatMap((left) => values.map((right) => [left, right])),
      );
    }
  }
});

test('conversions between all scalars saturate, wrap and round alike', () => {
  const samples = new Map<string, readonly RawValue[]>([
    ['bool', [0, 1]],
    ['i32', [0, -1, 5, 2 ** 31 - 1, -(2 ** 31), 16777217]],
    ['u32', [0, 2 ** 32 - 1, 2 ** 31, 16777217]],
    ['i64', [...edges64, 9007199254740993n, 9007199791611905n, -9007199791611905n, 2n ** 40n + 5n]],
    [
      'f32',
      [0, -0, 0.5, -0.5, 1e20, -1e20, NaN, Infinity, -Infinity, 2147483648, 1e-40, 16777216].map(
        Math.fround,
      ),
    ],
    [
      'f64',
      [0, -0, 0.1, -1.9, 1e300, -1e300, NaN, Infinity, 2 ** 63, -(2 ** 63), 4294967295.9, 1e-320],
    ],
  ]);
  const names = ['bool', 'i32', 'u32', 'i64', 'f32', 'f64'] as const;
  for (const from of names) {
    for (const to of names) {
      const f = new b.FunctionBuilder('f');
      const x = f.param('x', t[from]);
      const func = f.build([t[to]], b.block(b.ret(b.convert(t[to], x.get))));
      agree(
        [func],
        samples.get(from)!.map((value) => [value]),
      );
    }
  }
});

test('unary operators and scalar intrinsics', () => {
  const floats = [0, -0, 0.5, 1.5, 2.5, -0.5, -1.5, 1e10, NaN, Infinity, 8388609, 1e-45].map(
    Math.fround,
  );
  for (const name of ['abs', 'sqrt', 'floor', 'ceil', 'trunc', 'round'] as const) {
    for (const type of [t.f32, t.f64]) {
      const f = new b.FunctionBuilder('f');
      const x = f.param('x', type);
      agree(
        [f.build([type], b.block(b.ret(b.intrinsic(name, type, [x.get]))))],
        floats.map((v) => [v]),
      );
    }
  }
  for (const name of ['min', 'max'] as const) {
    for (const type of [t.f32, t.f64]) {
      const f = new b.FunctionBuilder('f');
      const [x, y] = [f.param('x', type), f.param('y', type)];
      const func = f.build([type], b.block(b.ret(b.intrinsic(name, type, [x.get, y.get]))));
      agree(
        [func],
        floats.flatMap((v) => floats.map((w) => [v, w])),
      );
    }
  }
  for (const op of ['negate', 'invert'] as const) {
    const f = new b.FunctionBuilder('f');
    const x = f.param('x', t.i64);
    agree(
      [f.build([t.i64], b.block(b.ret(b.unary(op, x.get))))],
      edges64.map((v) => [v]),
    );
  }
  const f = new b.FunctionBuilder('f');
  const [x, y] = [f.param('x', t.u32), f.param('y', t.u32)];
  const bits = b.block(
    b.ret(
      b.intrinsic('mul_hi', t.u32, [x.get, y.get]),
      b.intrinsic('clz', t.u32, [x.get]),
      b.intrinsic('popcount', t.u32, [y.get]),
    ),
  );
  agree(
    [f.build([t.u32, t.u32, t.u32], bits)],
    [
      [0, 0],
      [2 ** 32 - 1, 2 ** 32 - 1],
      [123456789, 987654321],
    ],
  );
});

test.run();
