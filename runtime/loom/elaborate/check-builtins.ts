/**
 * What `check.def` bodies may call: capability imports of the module `check`, typed here, run by
 * whoever runs checks. `expect_equal` is one name for several typed imports.
 */
import type { Type } from '../typed.js';
import type { Builtin, Call } from './call.js';
import { expression } from './coercion.js';
import { spread } from './spread.js';
import {
  BOOL,
  BUFFER,
  F32,
  F64,
  I32,
  I64,
  STRING,
  SYMBOL,
  U32,
  sameType,
  typeName,
} from './types.js';
import type { Value } from './value.js';

const buffers: Type = { kind: 'list', elem: BUFFER };
const integers: Type = { kind: 'list', elem: I64 };

interface Signature {
  readonly params: readonly Type[];
  readonly results: readonly Type[];
}

function invoke(call: Call, name: string, signature: Signature): Value {
  const { frame, site } = call;
  const { params, results } = signature;
  call.counts(params.length);
  const args = params.map((type, index) => widened(call, index, type));
  const index =
    frame.host?.import({ module: 'check', name, params, results, site }, `check ${name}`) ?? 0;
  return spread(call, results, (type) => ({ op: 'capability', type, site, index, args }));
}

/** Narrow numbers widen to what a check compares. */
function widened(call: Call, index: number, type: Type) {
  const value = call.value(index);
  if (value.kind === 'expr') {
    const { expr } = value;
    const integer = sameType(type, I64) && (sameType(expr.type, I32) || sameType(expr.type, U32));
    const real = sameType(type, F64) && sameType(expr.type, F32);
    if (integer || real) return { op: 'convert', type, site: call.site, value: expr } as const;
  }
  if (
    value.kind === 'const' &&
    value.type !== null &&
    sameType(type, I64) &&
    typeof value.value === 'bigint'
  ) {
    return { op: 'const', type, site: call.site, value: value.value } as const;
  }
  return call.arg(index, type);
}

const equal: Builtin = (call) => {
  call.counts(2);
  const { type } = expression(call.frame, call.value(0), call.argAt(0));
  const table: readonly (readonly [string, Type, readonly Type[]])[] = [
    ['expect_equal_i64', I64, [I64, I32, U32]],
    ['expect_equal_f64', F64, [F64, F32]],
    ['expect_equal_string', STRING, [STRING]],
    ['expect_equal_buffer', BUFFER, [BUFFER]],
  ];
  for (const [name, wide, accepted] of table) {
    if (!accepted.some((entry) => sameType(entry, type))) continue;
    return invoke(call, name, { params: [wide, wide], results: [] });
  }
  throw call.frame.problem(call.at, `expect_equal does not compare ${typeName(type)}`);
};

const simple = (
  name: string,
  params: readonly Type[],
  results: readonly Type[] = [],
): [string, Builtin] => [name, (call) => invoke(call, name, { params, results })];

export const checkBuiltins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  simple('launch', [SYMBOL, buffers, integers, integers], [buffers]),
  simple('expect', [BOOL]),
  ['expect_equal', equal],
  simple('expect_near', [F64, F64, F64, F64]),
  simple('expect_rejects', [SYMBOL]),
  simple('expect_invariant', [SYMBOL, I64]),
]);
