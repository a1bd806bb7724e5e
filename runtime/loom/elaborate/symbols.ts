/** `@name<args>`: a root of the program by its full name and canonical template arguments. */
import type { Expr } from '../tree.js';
import type { Frame } from './frame.js';
import { unresolved } from './names.js';
import { Poisoned } from './problem.js';
import { applyTemplate, templateText } from './templates.js';
import type { Value } from './value.js';

const rootKinds: ReadonlySet<string> = new Set(['func', 'kernel', 'command']);

export function symbolValue(frame: Frame, expr: Extract<Expr, { kind: 'symbol' }>): Value {
  const bound = frame.bindings.get(expr.name);
  if (bound?.kind === 'unknown') throw new Poisoned();
  if (bound?.kind === 'symbol') return bound;
  if (bound?.kind === 'func') return { kind: 'func', ref: bound.ref };
  const found = frame.session.catalog.lookup(frame.file, expr.name);
  if (found === null || found.rest.length > 0) throw unresolved(frame, expr.name, expr.at);
  const { declaration } = found;
  if (!rootKinds.has(declaration.decl.kind)) {
    throw frame.problem(
      expr.at,
      `@${expr.name} is a ${declaration.decl.kind}; a symbol names a function, kernel or command`,
    );
  }
  const ref = applyTemplate(frame, {
    declaration,
    typeArgs: expr.args,
    params: [],
    values: [],
    at: expr.at,
  });
  const args = declaration.decl.template.map((param) => templateText(ref.bindings.get(param.name)));
  return { kind: 'symbol', name: declaration.name, args, declaration };
}
