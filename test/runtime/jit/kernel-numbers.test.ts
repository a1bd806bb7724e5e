/**
 * Arithmetic, conversions and intrinsics of kernels, on scalars and vectors, over numbers at every
 * edge: bit for bit what the definitions of the interpreter give.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import type { Expr, Intrinsic, ScalarName, Storage, Type } from '../../../runtime/loom/typed.js';
import { binary, comparison, inversion, negation } from '../../../runtime/vm/numbers/arithmetic.js';
import { conversion } from '../../../runtime/vm/numbers/convert.js';
import { intrinsicOf } from '../../../runtime/vm/numbers/intrinsic.js';
import * as b from '../../generators/typed-builder.js';
import { CommandBench } from './run-command.js';

const { t } = b;
const COUNT = 64;
type Word = 'f32' | 'i32' | 'u32';

const edges: Readonly<Record<Word, fc.Arbitrary<number>>> = {
  f32: fc.oneof(
    fc.float(),
    fc.constantFrom(
      0,
      -0,
      1,
      -1,
      0.5,
      1.5,
      2.5,
      -2.5,
      Infinity,
      -Infinity,
      NaN,
      2 ** 31,
      -(2 ** 31),
      2 ** 32,
      1e20,
    ),
    fc.constantFrom(2 ** -149, -(2 ** -149), 2 ** -126, 8388609, 16777217).map(Math.fround),
    fc.integer({ min: -40, max: 40 }).map((n) => n / 4),
  ),
  i32: fc.oneof(
    fc.integer(),
    fc.integer({ min: -40, max: 40 }),
    fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0, -1),
  ),
  u32: fc.oneof(fc.nat(2 ** 32 - 1), fc.nat(40), fc.constantFrom(2 ** 32 - 1, 2 ** 31, 0)),
};

interface Column {
  readonly store: Storage;
  readonly values: readonly number[];
}

const arrays = {
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  i8: Int8Array,
  u8: Uint8Array,
} as const;
type Stored = keyof typeof arrays;

function bytesOf({ store, values }: Column): Uint8Array {
  return new Uint8Array(arrays[store.elem as Stored].from(values).buffer);
}

/** y[i] = make(x0[i], x1[i], …) for all i, as the numbers of `result`. */
function apply(
  columns: readonly Column[],
  result: Storage,
  make: (args: readonly Expr[]) => Expr,
): number[] {
  const k = new b.KernelBuilder('apply', 1);
  const views = columns.map((column, n) => k.view(`x${n}`, 'in', column.store));
  const y = k.view('y', 'out', result);
  const lane = k.local('lane', t.i32);
  const value = make(views.map((view) => view.get(lane.get)));
  const stored =
    value.type.kind === 'scalar' && value.type.name === 'bool' ? b.convert(t.u32, value) : value;
  const body = b.block(
    k.parallel(lane, { from: b.i32(0), to: b.i32(COUNT) }, b.block(y.set(lane.get, stored))),
  );
  const program = b.commandProgram({
    roots: [...columns.map(() => b.root('in')), b.root('out')],
    kernels: [k.build(body)],
    steps: [
      b.dispatch(
        0,
        [...columns, null].map((_, n) => b.wholeRoot(n)),
        1,
      ),
    ],
  });
  const bench = new CommandBench(compileCommand(program), [
    ...columns.map(bytesOf),
    new Uint8Array(COUNT * result.size),
  ]);
  return [...new arrays[result.elem as Stored](bench.runAlone().roots.at(-1)!.slice().buffer)];
}

function column(elem: Word, lanes: 1 | 2 | 4, seed: number): Column {
  const values = fc.sample(edges[elem], { numRuns: COUNT * lanes, seed });
  return {
    store: b.storage(elem, lanes),
    values: elem === 'f32' ? values.map(Math.fround) : values,
  };
}

/** Element i as the interpreter holds it: a number, or an array of lanes. */
function element({ store, values }: Column, i: number): number | number[] {
  const lanes = values.slice(i * store.lanes, (i + 1) * store.lanes);
  return store.lanes === 1 ? lanes[0]! : lanes;
}

function same(actual: readonly number[], expected: readonly number[], what: string): void {
  actual.forEach((value, i) => {
    const want = expected[i]!;
    const equal = Object.is(value, want) || (Number.isNaN(value) && Number.isNaN(want));
    assert.ok(equal, `${what}, value ${i}: ${value} instead of ${want}`);
  });
}

const typeOf = (elem: ScalarName, lanes: number): Type =>
  lanes === 1 ? t[elem as Word] : t.vector(elem as Word, lanes as 2 | 4);
/** What `run` gives for every element, vectors lane after lane. */
function all(run: (i: number) => number | readonly number[]): number[] {
  return Array.from({ length: COUNT }, (_, i) => run(i)).flat();
}

test('operators of scalars and vectors; division by zero gives zero', () => {
  let seed = 1;
  for (const elem of ['f32', 'i32', 'u32'] as const) {
    for (const lanes of [1, 2, 4] as const) {
      const operators =
        elem === 'f32'
          ? (['+', '-', '*', '/'] as const)
          : (['+', '-', '*', '/', '%', '<<', '>>', '&', '|', '^'] as const);
      for (const operator of operators) {
        const [x, y] = [column(elem, lanes, seed++), column(elem, lanes, seed++)];
        const run = binary(operator, elem, 'device');
        const actual = apply([x, y], b.storage(elem, lanes), ([left, right]) =>
          b.arithmetic(operator, left!, right!),
        );
        same(
          actual,
          x.values.map((value, i) => run(value, y.values[i])),
          `${elem}x${lanes} ${operator}`,
        );
      }
    }
  }
});

test('operators with a constant on the right take the same shortcuts to the same bits', () => {
  for (const elem of ['i32', 'u32'] as const) {
    for (const operator of ['/', '%', '<<', '>>'] as const) {
      for (const right of elem === 'i32'
        ? [0, 1, -1, 3, 16, -5, 33]
        : [0, 1, 3, 16, 33, 2 ** 32 - 1]) {
        const x = column(elem, 1, 77);
        const run = binary(operator, elem, 'device');
        const actual = apply([x], b.storage(elem), ([left]) =>
          b.arithmetic(operator, left!, b.constant(t[elem], right)),
        );
        same(
          actual,
          x.values.map((value) => run(value, right)),
          `${elem} ${operator} ${right}`,
        );
        if (operator === '/' || operator === '%') continue;
        const wide = column(elem, 4, 78);
        const type = typeOf(elem, 4);
        const shifted = apply([wide], b.storage(elem, 4), ([left]) =>
          b.arithmetic(operator, left!, b.splat(type, b.constant(t[elem], right))),
        );
        same(
          shifted,
          wide.values.map((value) => run(value, right)),
          `${elem}x4 ${operator} ${right}`,
        );
      }
    }
  }
});

test('comparisons, negation, complement', () => {
  for (const elem of ['f32', 'i32', 'u32'] as const) {
    const [x, y] = [column(elem, 1, 5), column(elem, 1, 6)];
    for (const operator of ['==', '!=', '<', '<=', '>', '>='] as const) {
      const run = comparison(operator);
      const actual = apply([x, y], b.storage('u32'), ([left, right]) =>
        b.compare(operator, left!, right!),
      );
      same(
        actual,
        x.values.map((value, i) => run(value, y.values[i])),
        `${elem} ${operator}`,
      );
    }
    for (const lanes of [1, 4] as const) {
      const v = column(elem, lanes, 7);
      same(
        apply([v], b.storage(elem, lanes), ([value]) => b.unary('negate', value!)),
        v.values.map(negation(elem)),
        `-${elem}`,
      );
      if (elem === 'f32') continue;
      same(
        apply([v], b.storage(elem, lanes), ([value]) => b.unary('invert', value!)),
        v.values.map(inversion(elem)),
        `~${elem}`,
      );
    }
  }
});

test('conversions truncate, saturate and round', () => {
  for (const from of ['f32', 'i32', 'u32'] as const) {
    for (const to of ['f32', 'i32', 'u32'] as const) {
      for (const lanes of [1, 2, 4] as const) {
        const x = column(from, lanes, 11);
        const actual = apply([x], b.storage(to, lanes), ([value]) =>
          b.convert(typeOf(to, lanes), value!),
        );
        same(actual, x.values.map(conversion(from, to)), `${from} to ${to} x${lanes}`);
      }
    }
  }
});

function checkIntrinsic(
  name: Intrinsic,
  columns: readonly Column[],
  args: readonly Type[],
  result: { type: Type; store: Storage },
): void {
  const run = intrinsicOf(name, args);
  const actual = apply(columns, result.store, (values) => b.intrinsic(name, result.type, values));
  const expected = all((i) => run(...columns.map((one) => element(one, i))) as number | number[]);
  same(actual, expected, `${name}(${args.map((type) => JSON.stringify(type)).join()})`);
}

test('intrinsics by component', () => {
  const groups: readonly (readonly [readonly Intrinsic[], number, readonly Word[]])[] = [
    [['min', 'max'], 2, ['f32', 'i32', 'u32']],
    [['abs'], 1, ['f32', 'i32']],
    [['sqrt', 'floor', 'ceil', 'trunc', 'round'], 1, ['f32']],
    [['mad'], 3, ['f32', 'i32', 'u32']],
    [['mul_hi'], 2, ['u32']],
    [['clz', 'popcount'], 1, ['u32']],
  ];
  for (const [names, arity, elems] of groups) {
    for (const name of names) {
      for (const elem of elems) {
        for (const lanes of [1, 2, 4] as const) {
          const type = typeOf(elem, lanes);
          const columns = Array.from({ length: arity }, (_, n) => column(elem, lanes, 20 + n));
          checkIntrinsic(
            name,
            columns,
            columns.map(() => type),
            { type, store: b.storage(elem, lanes) },
          );
        }
      }
    }
  }
});

test('folds of vectors in their fixed pairing', () => {
  for (const elem of ['f32', 'i32', 'u32'] as const) {
    for (const lanes of [2, 4] as const) {
      const x = column(elem, lanes, 31);
      for (const name of ['sum', 'max_lane', 'min_lane'] as const) {
        checkIntrinsic(name, [x], [typeOf(elem, lanes)], { type: t[elem], store: b.storage(elem) });
      }
    }
  }
  const pair = [column('f32', 4, 32), column('f32', 4, 33)];
  checkIntrinsic('dot', pair, [t.f32x4, t.f32x4], { type: t.f32, store: b.storage('f32') });
});

test('bits, packed bytes and their dot product', () => {
  const x = column('f32', 1, 41);
  const bits = apply([x], b.storage('u32'), ([value]) => b.intrinsic('bits', t.u32, [value!]));
  const words = new Uint32Array(Float32Array.from(x.values).buffer);
  // NaN payloads are unspecified.
  bits.forEach((word, i) => assert.ok(Number.isNaN(x.values[i]) || word === words[i]));
  const u = column('u32', 1, 42);
  same(
    apply([u], b.storage('f32'), ([value]) => b.intrinsic('f32_from_bits', t.f32, [value!])),
    [...new Float32Array(Uint32Array.from(u.values).buffer)],
    'f32_from_bits',
  );
  const bytes = (elem: 'i8' | 'u8', lanes: 4 | 16, seed: number): Column => ({
    store: b.storage(elem, lanes),
    values: fc.sample(fc.integer(elem === 'i8' ? { min: -128, max: 127 } : { min: 0, max: 255 }), {
      numRuns: COUNT * lanes,
      seed,
    }),
  });
  checkIntrinsic('unpack_i8', [bytes('i8', 4, 1)], [t.i8x4], {
    type: t.i32x4,
    store: b.storage('i32', 4),
  });
  checkIntrinsic('unpack_u8', [bytes('u8', 4, 2)], [t.u8x4], {
    type: t.i32x4,
    store: b.storage('i32', 4),
  });
  checkIntrinsic('bits', [bytes('i8', 16, 5)], [t.i8x16], {
    type: t.u32x4,
    store: b.storage('u32', 4),
  });
  for (const elem of ['f32', 'i32'] as const) {
    const wide = {
      ...column(elem, 4, 51),
      values: column(elem, 4, 51).values.map((value, i) => (i % 2 ? value : (i % 600) - 300)),
    };
    checkIntrinsic('pack_i8', [wide], [typeOf(elem, 4)], {
      type: t.i8x4,
      store: b.storage('i8', 4),
    });
    checkIntrinsic('pack_u8', [wide], [typeOf(elem, 4)], {
      type: t.u8x4,
      store: b.storage('u8', 4),
    });
  }
  const dot = [bytes('i8', 16, 3), bytes('i8', 16, 4), column('i32', 4, 61)];
  checkIntrinsic('dot8', dot, [t.i8x16, t.i8x16, t.i32x4], {
    type: t.i32x4,
    store: b.storage('i32', 4),
  });
  same(
    apply([bytes('i8', 1 as never, 5)], b.storage('i32'), ([value]) => value!),
    bytes('i8', 1 as never, 5).values,
    'single bytes',
  );
});

test('select, extraction and dynamic components', () => {
  const [x, y] = [column('f32', 4, 71), column('i32', 1, 72)];
  const pick = { ...y, values: y.values.map((value, i) => (i < 8 ? i - 2 : value)) };
  const dynamic = apply([x, pick], b.storage('f32'), ([vector, index]) =>
    b.component(vector!, index!),
  );
  same(
    dynamic,
    all((i) => (element(x, i) as number[])[pick.values[i]!] ?? 0),
    'component',
  );
  const built = apply([x], b.storage('f32', 4), ([v]) =>
    b.vector(
      t.f32x4,
      [3, 2, 1, 0].map((lane) => b.extract(v!, lane)),
    ),
  );
  same(
    built,
    all((i) => (element(x, i) as number[]).toReversed()),
    'reversed',
  );
  const chosen = apply([x, pick], b.storage('f32', 4), ([v, n]) =>
    b.intrinsic('select', t.f32x4, [
      b.compare('<', n!, b.i32(3)),
      v!,
      b.constant(t.f32x4, [1, 2, 3, 4]),
    ]),
  );
  same(
    chosen,
    all((i) => (pick.values[i]! < 3 ? (element(x, i) as number[]) : [1, 2, 3, 4])),
    'select',
  );
});

test.run();
