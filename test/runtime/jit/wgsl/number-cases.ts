/**
 * One kernel for each element type that applies every operator, conversion and intrinsic to numbers
 * at the edges: the least and largest integers, zero divisors, shifts beyond the word, halves
 * between integers, floats that no integer holds, infinities and NaN where they become integers.
 */
import type { CommandProgram, Expr, Type } from '../../../../runtime/loom/typed.js';
import * as b from '../../../generators/typed-builder.js';

const { t } = b;

export interface NumberCase {
  readonly name: string;
  readonly program: CommandProgram;
  readonly roots: () => Uint8Array[];
  readonly contents: readonly ('f32' | 'word')[];
}

const integers = [0, 1, -1, 2, 3, 7, -7, 31, 32, 33, 255, -128, 65_535, 2 ** 31 - 1, -(2 ** 31)];
const floats = [0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.25, 1e10, -1e10, 2 ** 31, -(2 ** 31)];
const wideFloats = [2 ** 32, 1e20, -1e20, 2_147_483_520, 4_294_967_040, 8_388_609, 0.999_999_94];

/** All pairs of two lists, as two columns. */
function pairs(list: readonly number[]): readonly [number[], number[]] {
  return [list.flatMap((x) => list.map(() => x)), list.flatMap(() => [...list])];
}

type Make = (x: Expr, y: Expr) => Expr;

interface Table {
  readonly name: string;
  readonly from: 'f32' | 'i32' | 'u32';
  readonly lanes: 1 | 4;
  /** Type of results: words unless it is f32. */
  readonly to: 'f32' | 'i32' | 'u32';
  readonly columns: readonly [ArrayBufferView, ArrayBufferView];
  readonly rows: readonly Make[];
}

function caseOf({ name, from, lanes, to, columns, rows }: Table): NumberCase {
  const k = new b.KernelBuilder(name, 8);
  const views = ['x', 'y'].map((view) => k.view(view, 'in', b.storage(from, lanes)));
  const z = k.view('z', 'out', b.storage(to, lanes));
  const lane = k.local('lane', t.i32);
  const count = columns[0].byteLength / 4 / lanes;
  const results = rows.map((make, row) => {
    const value = make(views[0]!.get(lane.get), views[1]!.get(lane.get));
    return z.set(b.add(b.i32(row * count), lane.get), value);
  });
  const body = k.parallel(lane, { from: b.i32(0), to: b.i32(count) }, b.block(...results));
  const program = b.commandProgram({
    roots: [b.root('in'), b.root('in'), b.root('out')],
    kernels: [k.build(b.block(body))],
    steps: [b.dispatch(0, [0, 1, 2].map(b.wholeRoot), 1)],
  });
  const bytes = columns.map(({ buffer }) => new Uint8Array(buffer as ArrayBuffer));
  return {
    name,
    program,
    roots: () => [...bytes.map((c) => c.slice()), new Uint8Array(bytes[0]!.length * rows.length)],
    contents: ['word', 'word', to === 'f32' ? 'f32' : 'word'],
  };
}

const typeOf = (elem: 'f32' | 'i32' | 'u32', lanes: 1 | 4): Type =>
  lanes === 1 ? t[elem] : t.vector(elem, 4);

function integerCase(elem: 'i32' | 'u32', lanes: 1 | 4): NumberCase {
  const type = typeOf(elem, lanes);
  const [x, y] = pairs(integers);
  // Vectors take four pairs at a time.
  const whole = x.length - (x.length % 4);
  const column = (list: readonly number[]) => Int32Array.from(list.slice(0, whole));
  const operators = ['+', '-', '*', '/', '%', '<<', '>>', '&', '|', '^'] as const;
  // Vectors meet one constant each: what guards them is the same, and shaders compile slowly.
  const numbers = lanes === 1 ? [7, -1, 0] : [-1];
  const constants = (['/', '%', '<<', '>>'] as const).flatMap((operator): Make[] =>
    numbers.map((number) => {
      const value = elem === 'u32' ? number >>> 0 : number;
      const right = b.constant(type, lanes === 1 ? value : [value, value, 3, value]);
      return (left) => b.arithmetic(operator, left, right);
    }),
  );
  const abs: readonly Make[] = elem === 'i32' ? [(left) => b.intrinsic('abs', type, [left])] : [];
  const bits: readonly Make[] =
    elem === 'i32'
      ? []
      : [
          (left, right) => b.intrinsic('mul_hi', type, [left, right]),
          (left) => b.intrinsic('clz', type, [left]),
          (left) => b.intrinsic('popcount', type, [left]),
        ];
  const rows: readonly Make[] = [
    ...operators.map(
      (operator): Make =>
        (left, right) =>
          b.arithmetic(operator, left, right),
    ),
    ...constants,
    ...abs,
    ...bits,
    (left, right) => b.intrinsic('min', type, [left, right]),
    (left, right) => b.intrinsic('max', type, [left, right]),
    (left) => b.unary('negate', left),
    (left) => b.unary('invert', left),
  ];
  const name = `${elem}x${lanes}`;
  return caseOf({ name, from: elem, lanes, to: elem, columns: [column(x), column(y)], rows });
}

/** Floats to integers and back, and what rounds. */
function conversionCase(to: 'i32' | 'u32', lanes: 1 | 4): NumberCase {
  const list = [...floats, ...wideFloats, Infinity, -Infinity, NaN, -0, 4_294_967_295];
  const column = Float32Array.from(list);
  const target = typeOf(to, lanes);
  const rows: readonly Make[] = [
    (x) => b.convert(target, x),
    (x) => b.intrinsic('bits', typeOf('u32', lanes), [b.intrinsic('abs', x.type, [x])]),
  ];
  const unsigned = rows.map((make): Make => (x, y) => {
    const value = make(x, y);
    return value.type === target ? value : b.convert(target, value);
  });
  const columns = [column, column] as const;
  return caseOf({ name: `f32x${lanes} to ${to}`, from: 'f32', lanes, to, columns, rows: unsigned });
}

function floatCase(lanes: 1 | 4): NumberCase {
  const type = typeOf('f32', lanes);
  const some = floats.filter((value) => value !== 0);
  const [x, y] = pairs(some).map((list) => Float32Array.from(list.slice(0, 120)));
  const unary = ['abs', 'floor', 'ceil', 'trunc', 'round'] as const;
  const rows: readonly Make[] = [
    ...(['+', '-', '*', '/'] as const).map(
      (operator): Make =>
        (left, right) =>
          b.arithmetic(operator, left, right),
    ),
    ...unary.map(
      (name): Make =>
        (left) =>
          b.intrinsic(name, type, [left]),
    ),
    (left) => b.intrinsic('sqrt', type, [b.intrinsic('abs', type, [left])]),
    (left, right) => b.intrinsic('min', type, [left, right]),
    (left, right) => b.intrinsic('max', type, [left, right]),
    (left) => b.convert(type, b.convert(typeOf('i32', lanes), left)),
    (left) => b.convert(type, b.convert(typeOf('u32', lanes), left)),
  ];
  const columns = [x!, y!] as const;
  return caseOf({ name: `f32x${lanes}`, from: 'f32', lanes, to: 'f32', columns, rows });
}

export function numberCases(): readonly NumberCase[] {
  return [
    ...([1, 4] as const).flatMap((lanes) => [
      integerCase('i32', lanes),
      integerCase('u32', lanes),
      conversionCase('i32', lanes),
      conversionCase('u32', lanes),
      floatCase(lanes),
    ]),
  ];
}
