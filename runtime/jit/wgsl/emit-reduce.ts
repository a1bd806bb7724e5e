/**
 * Reductions of shared arrays in the fixed orders of the language. A function of the shader does
 * one: the first half-step reads the array and writes scratch memory, so the array stays as it was;
 * then log2(count) steps with a barrier between them. Called in uniform control flow, by all lanes.
 */
import type { Expr, Stmt } from '../../loom/typed.js';
import { declared, scratchArray, textOf, type WgslScope } from './wgsl-scope.js';
import { readShared, type SharedArray } from './shared-functions.js';
import { nameOf, stemOf, zeroOf, type Shape } from './wgsl-types.js';

type Reduce = Expr & { readonly op: 'reduce' };

export function emitReduce(scope: WgslScope, expr: Reduce): string {
  const array = scope.shared[expr.shared]!;
  const first = textOf(scope, expr.first);
  if (expr.count === 0) return zeroOf(array.shape);
  const name = `reduce_${expr.kind}_${expr.count}_${array.name}`;
  const read = readShared(scope.prelude, array);
  scope.prelude.add(name, () => {
    const body =
      expr.kind === 'in_order'
        ? inOrder(scope, expr, read)
        : tree(scope, { kind: expr.kind, count: expr.count, shape: array.shape, read });
    return `fn ${name}(first: i32, lane: u32) -> ${nameOf(array.shape)} {\n${body}}`;
  });
  // A call is a statement of its own: it has barriers, so nothing may decide whether it happens.
  return scope.code.let(`${name}(${first}, lane)`);
}

const barrier = ({ kernel }: WgslScope) => (kernel.lanes === 1 ? '' : '  workgroupBarrier();\n');

/** Left to right, by every lane for itself. */
function inOrder(scope: WgslScope, { count }: Reduce, read: string): string {
  return `${barrier(scope)}  var sum = ${read}(first);
  for (var i = 1i; i < ${count}i; i++) { sum = sum + ${read}(first + i); }
  return sum;
`;
}

interface Tree {
  readonly kind: 'add' | 'max' | 'min';
  readonly count: number;
  readonly shape: Shape;
  readonly read: string;
}

/** The largest power of two below n, for n > 1. */
const halfOf = (n: number): number => 2 ** (31 - Math.clz32(n - 1));

function tree(scope: WgslScope, { kind, count, shape, read }: Tree): string {
  if (count === 1) return `${barrier(scope)}  return ${read}(first);\n`;
  const half = halfOf(count);
  const scratch = scratchArray(scope, 'reduction', shape, half);
  const combine = (a: string, b: string): string => {
    if (kind === 'add') return `${a} + ${b}`;
    return `${shape.elem === 'f32' ? scope.prelude.call(kind, shape) : kind}(${a}, ${b})`;
  };
  const both = combine('value', `${read}(first + i32(i + ${half}u))`);
  const merge = count === 2 * half ? '' : `if (i + ${half}u < ${count}u) `;
  const begin = `${barrier(scope)}${strided(scope, half, [
    `var value = ${read}(first + i32(i));`,
    `${merge}{ value = ${both}; }`,
    `${scratch}[i] = value;`,
  ])}${barrier(scope)}`;
  return `${begin}${halvings(scope, half, (h) => [
    `${scratch}[i] = ${combine(`${scratch}[i]`, `${scratch}[i + ${h}u]`)};`,
  ])}  return ${scratch}[0];\n`;
}

/** Steps from `count` (a power of two) down to one, each followed by a barrier. */
function halvings(
  scope: WgslScope,
  count: number,
  step: (half: number) => readonly string[],
): string {
  let text = '';
  for (let half = count / 2; half >= 1; half /= 2) {
    text += strided(scope, half, step(half)) + barrier(scope);
  }
  return text;
}

/** Runs lines for i in 0 … count - 1, shared out over the lanes. */
function strided({ kernel }: WgslScope, count: number, lines: readonly string[]): string {
  const { lanes } = kernel;
  const body = lines.map((line) => `    ${line}\n`).join('');
  if (count > lanes) {
    return `  for (var i = lane; i < ${count}u; i += ${lanes}u) {\n${body}  }\n`;
  }
  const head = count === lanes ? '{' : `if (lane < ${count}u) {`;
  return `  ${head}\n    let i = lane;\n${body}  }\n`;
}

type Argmax = Stmt & { readonly op: 'argmax' };

/** The largest value and its id, as names; ties go to the lower id, so any order gives the same. */
export function emitArgmax(scope: WgslScope, stmt: Argmax): { value: string; index: string } {
  const values = scope.shared[stmt.values]!;
  const ids = scope.shared[stmt.ids]!;
  const name = `argmax_${stmt.count}_${values.name}_${ids.name}`;
  const result = `Best_${stemOf(values.shape)}_${stemOf(ids.shape)}`;
  scope.prelude.add(
    result,
    () =>
      `struct ${result} { value: ${nameOf(values.shape)}, index: ${nameOf(ids.shape)} }\n` +
      betterText(result),
  );
  const [readValue, readId] = [values, ids].map((array) => readShared(scope.prelude, array));
  scope.prelude.add(name, () => {
    const count = Math.min(stmt.count, values.count, ids.count);
    const read = (at: string) => `${result}(${readValue}(${at}), ${readId}(${at}))`;
    const body = argmaxBody(scope, { count, result, read, values, ids });
    return `fn ${name}(lane: u32) -> ${result} {\n${body}}`;
  });
  const best = scope.code.let(`${name}(lane)`);
  return { value: `${best}.value`, index: `${best}.index` };
}

const betterText = (result: string): string =>
  `fn better_${result}(a: ${result}, b: ${result}) -> ${result} {
  if (b.value > a.value || (b.value == a.value && b.index < a.index)) { return b; }
  return a;
}`;

interface ArgmaxText {
  readonly count: number;
  readonly result: string;
  readonly read: (at: string) => string;
  readonly values: SharedArray;
  readonly ids: SharedArray;
}

function argmaxBody(scope: WgslScope, { count, result, read, values, ids }: ArgmaxText): string {
  if (count <= 1) return `${barrier(scope)}  return ${read('0i')};\n`;
  const half = halfOf(count);
  const valueAt = scratchArray(scope, 'reduction', values.shape, half);
  const indexAt = scratchArray(scope, 'best', ids.shape, half);
  const stored = (at: string) => `${result}(${valueAt}[${at}], ${indexAt}[${at}])`;
  const store = [`${valueAt}[i] = best.value;`, `${indexAt}[i] = best.index;`];
  const begin = strided(scope, half, [
    declared('best', result),
    `best = ${read('i32(i)')};`,
    `let other = ${read(`i32(i + ${half}u)`)};`,
    `if (i + ${half}u < ${count}u) { best = better_${result}(best, other); }`,
    ...store,
  ]);
  const steps = halvings(scope, half, (h) => [
    `let best = better_${result}(${stored('i')}, ${stored(`i + ${h}u`)});`,
    ...store,
  ]);
  return `${barrier(scope)}${begin}${barrier(scope)}${steps}  return ${stored('0')};\n`;
}
