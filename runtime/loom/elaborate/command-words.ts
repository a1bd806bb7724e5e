/**
 * Scalars of a command program that are known at submission: words of an uploaded root, constants,
 * and + − × ÷ min max ceil_div of these. They feed scalar parameters and grids, never offsets.
 */
import type { At, BinaryOp } from '../tree.js';
import type { WordExpr } from '../typed.js';
import type { Call } from './call.js';
import { adapt, misfitText } from './constant-folding.js';
import type { Frame } from './frame.js';
import { F32, I32, U32, scalar } from './types.js';
import { describeKind } from './value.js';
import type { Value } from './value.js';

type WordType = 'i32' | 'u32' | 'f32';
const types = { i32: I32, u32: U32, f32: F32, bool: scalar('bool') } as const;

interface Operation {
  readonly op: BinaryOp;
  readonly left: Value;
  readonly right: Value;
  readonly at: At;
}

export function wordBinary(frame: Frame, { op, left, right, at }: Operation): Value {
  if (op !== '+' && op !== '-' && op !== '*' && op !== '/') {
    const hint = 'a word takes + - * / min max ceil_div';
    throw frame.problem(at, `'${op}' does not apply to words of a root`, hint);
  }
  return combine(frame, { op, left, right, at });
}

export function wordCall(call: Call): Value {
  const { frame, name, at } = call;
  if (name !== 'min' && name !== 'max' && name !== 'ceil_div') {
    const hint = 'a word takes + - * / min max ceil_div';
    throw frame.problem(at, `'${name}' does not apply to words of a root`, hint);
  }
  call.counts(2);
  return combine(frame, { op: name, left: call.value(0), right: call.value(1), at });
}

type WordOp = '+' | '-' | '*' | '/' | 'min' | 'max' | 'ceil_div';

function combine(frame: Frame, parts: { op: WordOp; left: Value; right: Value; at: At }): Value {
  const { op, left, right, at } = parts;
  const known =
    left.kind === 'word' ? left.word.type : right.kind === 'word' ? right.word.type : 'i32';
  const type = known === 'bool' ? 'i32' : known;
  if (op === 'ceil_div' && type === 'f32') throw frame.problem(at, 'ceil_div is for integers');
  const word: WordExpr = {
    op,
    type,
    left: toWord(frame, left, type, at),
    right: toWord(frame, right, type, at),
  };
  const terms = termsOf(word.left) + termsOf(word.right);
  if (terms > termsMax) {
    const hint = 'let the host compute it and upload the result as a word';
    throw frame.problem(at, `this computes with ${terms} words; the limit is ${termsMax}`, hint);
  }
  termCounts.set(word, terms);
  return { kind: 'word', word };
}

/** Words and constants in one scalar: `let a = w + w`, `let b = a + a`, … double. */
const termsMax = 256;
const termCounts = new WeakMap<WordExpr, number>();
const termsOf = (word: WordExpr): number => termCounts.get(word) ?? 1;

/** `value` as a word of a wanted type. */
export function toWord(frame: Frame, value: Value, type: WordType | 'bool', at: At): WordExpr {
  if (value.kind === 'word') {
    if (value.word.type === type) return value.word;
    const hint = `read it as word<${type}>(root, offset)`;
    throw frame.problem(at, `expected ${type}, got a word of type ${value.word.type}`, hint);
  }
  if (value.kind === 'const') {
    const adapted = adapt(value, types[type]);
    if (adapted !== null && typeof adapted !== 'string')
      return { op: 'const', type, value: Number(adapted) };
    throw frame.problem(at, `expected ${type}, got ${misfitText(value, types[type])}`);
  }
  throw frame.problem(at, `expected a constant or a word of a root, got ${describeKind(value)}`);
}
