/**
 * What `check.def` bodies and the functions that they reach may call: capability imports of the
 * module `check`, as `check-library.ts` lists them. Overloads go by the type of the first argument;
 * constants take the type of their neighbour.
 */
import { checkLibrary } from '../check-library.js';
import type { CheckFunction } from '../check-library.js';
import type { Type } from '../typed.js';
import type { Builtin, Call } from './call.js';
import { valueType } from './coercion.js';
import { spread } from './spread.js';
import { sameType, typeName } from './types.js';
import type { Value } from './value.js';

function invoke(call: Call, { importName, params, results }: CheckFunction): Value {
  const { frame, site } = call;
  call.counts(params.length);
  const args = params.map((type, index) => call.arg(index, type));
  const entry = { module: 'check', name: importName, params, results, site };
  const index = frame.host?.import(entry, `check ${importName}`) ?? 0;
  return spread(call, results, (type) => ({ op: 'capability', type, site, index, args }));
}

/** The overload for the types at hand: a flexible constant leaves the choice to the other side. */
function chosen(call: Call, overloads: readonly CheckFunction[]): CheckFunction {
  const [only] = overloads;
  if (overloads.length === 1 && only !== undefined) return only;
  call.counts(...new Set(overloads.map((entry) => entry.params.length)));
  const first = call.value(0);
  const model = first.kind === 'const' && first.type === null ? call.value(1) : first;
  const type = valueType(call.frame, model);
  const found = overloads.find((entry) => type !== null && sameType(entry.params[0] as Type, type));
  if (found !== undefined) return found;
  const shown = type === null ? 'this' : typeName(type);
  throw call.frame.problem(call.at, `'${call.name}' does not compare ${shown}`);
}

function table(): ReadonlyMap<string, Builtin> {
  const byName = new Map<string, CheckFunction[]>();
  for (const entry of checkLibrary) {
    byName.set(entry.name, [...(byName.get(entry.name) ?? []), entry]);
  }
  return new Map(
    [...byName].map(([name, overloads]): [string, Builtin] => [
      name,
      (call) => invoke(call, chosen(call, overloads)),
    ]),
  );
}

export const checkBuiltins: ReadonlyMap<string, Builtin> = table();
