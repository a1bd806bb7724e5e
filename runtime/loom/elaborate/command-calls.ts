/** Calls of command programs: words of roots and ranges. */
import type { Builtin, Call } from './call.js';
import { rangeMethod, rootRange } from './command-ranges.js';
import { resolveArgument } from './type-resolution.js';
import { describeKind } from './value.js';
import type { Value } from './value.js';

/** `word(root, byteOffset)`, `word<f32>(root, byteOffset)`: a word as the host uploaded it. */
const word: Builtin = (call) => {
  call.counts(2);
  const { frame } = call;
  const root = call.value(0);
  const state = root.kind === 'root' ? frame.command?.roots[root.root] : undefined;
  if (root.kind !== 'root' || state === undefined) {
    throw frame.problem(call.argAt(0), `word reads a root, not ${describeKind(root)}`);
  }
  const offset = call.constant(1, { what: 'the byte offset of a word', min: 0, max: 2 ** 31 - 4 });
  if (offset % 4 !== 0)
    throw frame.problem(call.argAt(1), `the offset ${offset} is not a multiple of 4`);
  state.hosted ??= call.at;
  state.bytesMin = Math.max(state.bytesMin, offset + 4);
  return { kind: 'word', word: { op: 'word', type: wordType(call), root: root.root, offset } };
};

function wordType(call: Call): 'i32' | 'u32' | 'f32' {
  const [arg] = call.typeArgs;
  if (arg === undefined) return 'i32';
  const name = resolveArgument(call.frame, arg)?.name;
  if (name === 'i32' || name === 'u32' || name === 'f32') return name;
  throw call.frame.problem(arg.at, 'a word is i32, u32 or f32');
}

export const commandBuiltins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['word', word],
]);

export function commandMethod(base: Value, call: Call): Value | null {
  if (base.kind === 'root') return rootRange(base.root, call);
  return base.kind === 'range' ? rangeMethod(base, call) : null;
}
