/**
 * Calls of functions where a constant is needed: sizes of workspaces and bank fields, template
 * arguments. A function is a formula if its body is one `return` of one value; with constant
 * arguments the call is that value. So a library states once how large its layouts are, for host
 * and command programs alike.
 */
import type { FuncDef } from '../tree.js';
import type { Call } from './call.js';
import { placeOf } from './catalog.js';
import { adapt } from './constant-folding.js';
import { constantFrame } from './declaration-frame.js';
import { resolveType } from './type-resolution.js';
import { isInteger, isScalar, typeName } from './types.js';
import type { FunctionRef, Value } from './value.js';

export function formulaValue(call: Call, ref: FunctionRef, values: readonly Value[]): Value {
  const { frame, at } = call;
  const { declaration, bindings } = ref;
  const decl = declaration.decl as FuncDef;
  const [only] = decl.body.stmts;
  const isFormula = only?.kind === 'return' && only.values.length === 1;
  if (!isFormula || decl.body.stmts.length !== 1 || values.some(({ kind }) => kind !== 'const')) {
    const hint = 'only a function of one `return`, with constant arguments, is a constant';
    throw frame.problem(
      at,
      `'${decl.name}' cannot be called here: a constant expression is needed`,
      hint,
      { related: [placeOf(declaration, `'${decl.name}' is declared here`)] },
    );
  }
  return frame.session.resolving(declaration, () => {
    const own = constantFrame(frame.session, declaration.file, bindings);
    return own.scoped(() => {
      decl.params.forEach((param, index) => {
        const value = values[index] as Extract<Value, { kind: 'const' }>;
        const type = param.type === null ? null : resolveType(own, param.type);
        const adapted = type === null ? null : adapt(value, type);
        if (type === null || adapted === null) {
          const wanted = type === null ? 'nothing' : typeName(type);
          throw frame.problem(call.argAt(index), `'${param.name}' takes ${wanted}`);
        }
        const kept = isInteger(type) && !isScalar(type, 'u32') ? null : type;
        own.define(param.name, param.at, { kind: 'const', type: kept, value: adapted });
      });
      return own.eval(only.values[0]!);
    });
  });
}
