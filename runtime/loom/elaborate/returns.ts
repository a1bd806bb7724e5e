/** `return`: results of host functions, values of inlined functions, the end of a workgroup. */
import type { Stmt } from '../tree.js';
import type { Type } from '../typed.js';
import { coerce } from './coercion.js';
import type { Frame } from './frame.js';
import { sameType, typeName } from './types.js';
import type { Value } from './value.js';

type Return = Extract<Stmt, { kind: 'return' }>;

export function returnStatement(frame: Frame, stmt: Return): void {
  const { returns } = frame;
  const site = frame.site(stmt.at);
  switch (returns.kind) {
    case 'none':
      throw frame.problem(stmt.at, '`return` has no place here');
    case 'unknown':
      return countReturned(frame, stmt, returns.count);
    case 'kernel':
      if (frame.region !== null) {
        throw frame.problem(stmt.at, '`return` is for kernel level', 'use `if` inside a region');
      }
      if (stmt.values.length > 0) throw frame.problem(stmt.at, 'a kernel returns no value');
      frame.emit({ op: 'return', site, values: [] });
      return;
    case 'host': {
      const values = returned(frame, stmt, returns.results).map((value, index) =>
        coerce(frame, value, returns.results[index] as Type, {
          at: stmt.values[index]?.at ?? stmt.at,
          what: 'the result',
        }),
      );
      frame.emit({ op: 'return', site, values });
      return;
    }
    case 'tail':
      returns.values = returned(frame, stmt, returns.results).map((value, index) =>
        result(frame, value, returns.results[index] as Type, stmt.values[index]?.at ?? stmt.at),
      );
      return;
    case 'label':
      returned(frame, stmt, returns.results).forEach((value, index) => {
        const type = returns.results[index] as Type;
        if (type.kind === 'array') {
          const hint = 'end the function with one `return`';
          throw frame.problem(
            stmt.at,
            'an array is returned from the end of a function only',
            hint,
          );
        }
        const local = returns.locals[index] as number;
        frame.emit({
          op: 'set',
          site,
          local,
          value: coerce(frame, value, type, {
            at: stmt.values[index]?.at ?? stmt.at,
            what: 'the result',
          }),
        });
      });
      frame.emit({ op: 'leave', site, label: returns.label });
  }
}

function countReturned(frame: Frame, stmt: Return, count: number): void {
  const values = stmt.values.map((value) => frame.eval(value));
  const [only] = values;
  const got = values.length === 1 && only?.kind === 'tuple' ? only.items.length : values.length;
  if (got !== count) throw frame.problem(stmt.at, `${count} results expected, got ${got}`);
}

/** The values of a `return`; a call with several results stands for all of them. */
function returned(frame: Frame, stmt: Return, results: readonly Type[]): Value[] {
  let values = stmt.values.map((value) => frame.eval(value));
  const [only] = values;
  if (values.length === 1 && only?.kind === 'tuple') values = [...only.items];
  if (values.length === results.length) return values;
  const hint = results.length === 0 ? undefined : `return (${results.map(typeName).join(', ')})`;
  throw frame.problem(stmt.at, `${results.length} results expected, got ${values.length}`, hint);
}

function result(frame: Frame, value: Value, type: Type, at: number): Value {
  if (value.kind === 'array' && type.kind === 'array') {
    if (sameType(value.elem, type.elem) && value.items.length === type.count)
      return { ...value, locals: null };
  }
  const expr = coerce(frame, value, type, { at, what: 'the result' });
  return { kind: 'expr', expr, rank: frame.rankOf(value) };
}
