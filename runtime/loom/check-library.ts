/**
 * Functions that are in scope inside `check.def` and nowhere else. In the typed tree each is a
 * capability import of module `check`; overloads are told apart by the type of their first
 * argument, which the import's name ends in (`expect_equal` of two i64 imports `expect_equal_i64`).
 *
 *   launch(@command or @kernel, inputs, sizes, words) -> outputs. A command takes its `in` and
 *     `inout` roots from `inputs` and makes its `out` roots (zeroed) of `sizes`; `words` is empty.
 *     A kernel does the same with its views (`acc` from `inputs`) and takes its scalars, then one
 *     to three grid extents from `words` (an f32 by its bits). Outputs: all that may be written.
 *   expect(condition) · expect_equal(a, b) (floats by ==, buffers byte for byte)
 *   expect_near(a, b, abs, rel): |a - b| <= abs + rel * |b|; buffers as f32 elements
 *   expect_rejects(@f, text): the function without parameters `f` ends in a reject that has `text`
 *   expect_invariant(@command, @pack, rows): pack(rows) -> (packet, bytes of one output row) feeds
 *     the command's roots (in, out); every row alone = packed = packed in reverse, bit for bit
 */
import type { ScalarName, Type } from './typed.js';

export interface CheckFunction {
  /** As the source writes it. */
  readonly name: string;
  /** Name of the capability in module `check`. */
  readonly importName: string;
  readonly params: readonly Type[];
  readonly results: readonly Type[];
}

const scalar = (name: ScalarName): Type => ({ kind: 'scalar', name });
const bool = scalar('bool');
const i64 = scalar('i64');
const f32 = scalar('f32');
const f64 = scalar('f64');
const string: Type = { kind: 'string' };
const buffer: Type = { kind: 'buffer' };
const symbol: Type = { kind: 'symbol' };
const list = (elem: Type): Type => ({ kind: 'list', elem });

function overload(name: string, suffix: string, params: readonly Type[]): CheckFunction {
  return { name, importName: `${name}_${suffix}`, params, results: [] };
}

function single(
  name: string,
  params: readonly Type[],
  results: readonly Type[] = [],
): CheckFunction {
  return { name, importName: name, params, results };
}

export const checkLibrary: readonly CheckFunction[] = [
  single('launch', [symbol, list(buffer), list(i64), list(i64)], [list(buffer)]),
  single('expect', [bool]),
  ...(['bool', 'i32', 'u32', 'i64', 'f32', 'f64'] as const).map((name) =>
    overload('expect_equal', name, [scalar(name), scalar(name)]),
  ),
  overload('expect_equal', 'string', [string, string]),
  overload('expect_equal', 'buffer', [buffer, buffer]),
  overload('expect_near', 'f32', [f32, f32, f32, f32]),
  overload('expect_near', 'f64', [f64, f64, f64, f64]),
  overload('expect_near', 'buffer', [buffer, buffer, f64, f64]),
  single('expect_rejects', [symbol, string]),
  single('expect_invariant', [symbol, symbol, list(buffer)]),
];
