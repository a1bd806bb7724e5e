/**
 * From type expressions to terms: built-in names, template parameters, layouts, records and banks.
 * A bare name in a template argument may be a type or a constant; `resolveArgument` decides.
 */
import type { ArrayType, At, NamedType, TemplateArg, TypeExpr } from '../tree.js';
import type { Type } from '../typed.js';
import { bankOf } from './banks.js';
import { placeOf } from './catalog.js';
import { constantCount } from './coercion.js';
import type { Frame } from './frame.js';
import { layoutOf } from './layouts.js';
import { Poisoned } from './problem.js';
import { recordOf } from './records.js';
import { elaborationLimits } from './session.js';
import {
  bankTerm,
  builtinTerms,
  elementTerm,
  funcTerm,
  isHostType,
  recordType,
  typeTerm,
  viewTerm,
} from './types.js';
import type { Element, Term } from './types.js';

export function resolveTerm(frame: Frame, expr: TypeExpr): Term {
  if (expr.kind === 'arrayType') return resolveArray(frame, expr);
  if (expr.kind === 'funcType') {
    const params = expr.params.map((param) => resolveType(frame, param));
    return funcTerm({ params, results: expr.results.map((result) => resolveType(frame, result)) });
  }
  if (expr.args.length > 0) return resolveGeneric(frame, expr);
  const term = termOfName(frame, expr.name, expr.at);
  if (term !== null) return term;
  throw noType(frame, expr.name, expr.at);
}

function noType(frame: Frame, name: string, at: At) {
  const hidden = frame.session.catalog.find(name) ?? hiddenType(frame, name);
  if (hidden !== null && frame.session.catalog.lookup(frame.file, name) === null) {
    const related = [placeOf(hidden, 'it is here; `export` and `use` make it visible')];
    return frame.problem(at, `'${name}' is not visible in this file`, undefined, { related });
  }
  const near = frame.session.catalog.nearest(frame.file, name);
  return frame.problem(
    at,
    `there is no type '${name}'`,
    near === null ? undefined : `did you mean '${near}'?`,
  );
}

/** A type of that name in a library that the file uses, private there. */
function hiddenType(frame: Frame, name: string) {
  for (const use of frame.file.module.uses) {
    const found = frame.session.catalog.find(`${use.path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

/** A type of values. */
export function resolveType(frame: Frame, expr: TypeExpr): Type {
  const term = resolveTerm(frame, expr);
  if (term.type !== null) return term.type;
  const what =
    term.element !== null ? 'a storage element; it is used in views' : 'no type of values';
  throw frame.problem(expr.at, `'${term.name}' is ${what}`);
}

export function resolveElement(frame: Frame, expr: TemplateArg): Element {
  const resolved = resolveArgument(frame, expr);
  if (resolved !== null && resolved.element !== null) return resolved.element;
  if (resolved === null && expr.kind === 'name') {
    throw noType(frame, expr.name, expr.at);
  }
  const name = resolved === null ? 'this' : `'${resolved.name}'`;
  throw frame.problem(expr.at, `${name} is not a storage element of views`);
}

/** The term of a template argument, or null where it is not a type. */
export function resolveArgument(frame: Frame, arg: TemplateArg): Term | null {
  switch (arg.kind) {
    case 'namedType':
    case 'arrayType':
    case 'funcType':
      return resolveTerm(frame, arg);
    case 'name':
      return termOfName(frame, arg.name, arg.at);
    default:
      return null;
  }
}

/** What a name denotes as a type; null where it is no type. */
export function termOfName(frame: Frame, name: string, at: At): Term | null {
  const bound = frame.bindings.get(name);
  if (bound?.kind === 'unknown') throw new Poisoned();
  if (bound !== undefined) return bound.kind === 'type' ? bound.term : null;
  if (frame.scope.find(name.split('.')[0] as string) !== null) return null;
  const found = frame.session.catalog.lookup(frame.file, name);
  if (found !== null && found.rest.length === 0) {
    const { declaration } = found;
    switch (declaration.decl.kind) {
      case 'layout':
        return elementTerm({ kind: 'layout', layout: layoutOf(frame.session, declaration) });
      case 'record':
        return typeTerm(recordType(recordOf(frame.session, declaration)));
      case 'bank':
        return bankTerm(bankOf(frame.session, declaration));
      default:
        if (!builtinTerms.has(name)) return null;
    }
  }
  void at;
  return builtinTerms.get(name) ?? null;
}

function resolveGeneric(frame: Frame, expr: NamedType): Term {
  const { name, args, at } = expr;
  const [arg] = args;
  if (args.length !== 1 || arg === undefined || !['list', 'cell', 'view'].includes(name)) {
    throw frame.problem(at, `'${name}' takes no arguments of this form`);
  }
  if (name === 'view') return viewTerm(resolveElement(frame, arg));
  const term = resolveArgument(frame, arg);
  const type = term?.type ?? null;
  if (type === null || !isHostType(type)) {
    throw frame.problem(arg.at, `${name}<…> needs a type of host values`);
  }
  if (name === 'list') return typeTerm({ kind: 'list', elem: type });
  if (type.kind !== 'record') throw frame.problem(arg.at, 'cell<…> needs a record');
  return typeTerm({ kind: 'cell', elem: type });
}

function resolveArray(frame: Frame, expr: ArrayType): Term {
  const elem = resolveType(frame, expr.elem);
  const bounds = { what: 'the length of an array', min: 0, max: elaborationLimits.arrayElements };
  const count = constantCount(frame, frame.eval(expr.count), expr.count.at, bounds);
  return typeTerm({ kind: 'array', elem, count });
}
