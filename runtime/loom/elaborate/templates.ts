/**
 * Template arguments: written ones, inferred ones, and their canonical text. Parameters are
 * integers and other constants (`N: i64`), types (`T: f32 | f32x4`, `T: type`), functions
 * (`F: func(f32) -> f32`) and symbols. An argument that occurs in the type of a parameter may be
 * left out. The key of an instance is its full name with the canonical arguments.
 */
import type { At, Param, TemplateArg, TemplateParam, TypeExpr } from '../tree.js';
import type { Type } from '../typed.js';
import type { Declaration } from './catalog.js';
import { placeOf } from './catalog.js';
import { valueType } from './coercion.js';
import { adapt } from './constant-folding.js';
import { constantFrame } from './declaration-frame.js';
import type { Frame } from './frame.js';
import { resolveArgument, resolveTerm } from './type-resolution.js';
import { builtinTerms, elementName, elementTerm, typeName, typeTerm } from './types.js';
import type { Element, Term } from './types.js';
import { describeKind } from './value.js';
import type { ConstValue, FunctionRef, TemplateBindings, TemplateValue, Value } from './value.js';

const valueTypes: ReadonlySet<string> = new Set(['i32', 'i64', 'u32', 'bool', 'f32', 'string']);

type ParamKind = 'value' | 'type' | 'func' | 'symbol';

export function kindOf(param: TemplateParam): ParamKind {
  const [first] = param.constraint;
  if (param.constraint.length > 1 || first === undefined) return 'type';
  if (first.kind === 'funcType') return 'func';
  if (first.kind === 'namedType' && first.args.length === 0) {
    if (first.name === 'symbol') return 'symbol';
    if (valueTypes.has(first.name)) return 'value';
  }
  return 'type';
}

/** What an application gives: its arguments as written and the values of the call, if any. */
export interface Application {
  readonly declaration: Declaration;
  readonly typeArgs: readonly TemplateArg[];
  readonly params: readonly Param[];
  readonly values: readonly Value[];
  readonly at: At;
}

const plain: TemplateBindings = new Map();

export function applyTemplate(frame: Frame, application: Application): FunctionRef {
  const { declaration, typeArgs, at } = application;
  const { template } = declaration.decl;
  const related = [placeOf(declaration, `'${declaration.decl.name}' is declared here`)];
  if (typeArgs.length > template.length) {
    const message = `'${declaration.name}' takes ${template.length} template arguments, got ${typeArgs.length}`;
    throw frame.problem(at, message, undefined, { related });
  }
  if (template.length === 0) return { declaration, bindings: plain, key: declaration.name };
  const bindings = new Map<string, TemplateValue>();
  template.forEach((param, index) => {
    const arg = typeArgs[index];
    if (arg !== undefined) bindings.set(param.name, argument(frame, param, arg, declaration));
  });
  if (bindings.size < template.length) infer(frame, application, bindings);
  for (const param of template) {
    if (bindings.has(param.name)) continue;
    const message = `the template argument ${param.name} of '${declaration.name}' is not given and cannot be inferred`;
    throw frame.problem(at, message, 'write it: name<…>(…)', { related });
  }
  return { declaration, bindings, key: instanceKey(declaration, bindings) };
}

export function instanceKey(declaration: Declaration, bindings: TemplateBindings): string {
  const args = declaration.decl.template.map((param) => templateText(bindings.get(param.name)));
  return args.length === 0 ? declaration.name : `${declaration.name}<${args.join(', ')}>`;
}

export function templateText(value: TemplateValue | undefined): string {
  switch (value?.kind) {
    case 'const':
      return typeof value.value.value === 'string'
        ? JSON.stringify(value.value.value)
        : String(value.value.value);
    case 'type':
      return value.term.name;
    case 'func':
      return `@${value.ref.key}`;
    case 'symbol':
      return `@${value.name}${value.args.length > 0 ? `<${value.args.join(', ')}>` : ''}`;
    default:
      return '?';
  }
}

function argument(
  frame: Frame,
  param: TemplateParam,
  arg: TemplateArg,
  declaration: Declaration,
): TemplateValue {
  if (kindOf(param) === 'type') {
    const term = resolveArgument(frame, arg);
    if (term === null) throw frame.problem(arg.at, `${param.name} must be a type`);
    return typeArgument(frame, param, term, { at: arg.at, declaration });
  }
  if (arg.kind === 'namedType' || arg.kind === 'arrayType' || arg.kind === 'funcType') {
    throw frame.problem(arg.at, `${param.name} must be a value, got a type`);
  }
  return checkArgument(frame, param, frame.eval(arg), { at: arg.at, declaration });
}

interface Where {
  readonly at: At;
  readonly declaration: Declaration;
}

/** A value as the argument of `param`, whatever way it came. */
export function checkArgument(
  frame: Frame,
  param: TemplateParam,
  value: Value,
  where: Where,
): TemplateValue {
  const [first] = param.constraint as readonly [TypeExpr];
  const fail = (expected: string): never => {
    throw frame.problem(where.at, `${param.name} must be ${expected}, got ${describeKind(value)}`);
  };
  switch (kindOf(param)) {
    case 'type':
      if (value.kind === 'term') return typeArgument(frame, param, value.term, where);
      return fail('a type');
    case 'symbol':
      if (value.kind === 'symbol') return value;
      return fail('a symbol like @name');
    case 'func':
      return functionArgument(frame, param, value, where);
    case 'value': {
      if (value.kind !== 'const') return fail('a constant');
      const own = constantFrame(frame.session, where.declaration.file);
      const type = resolveTerm(own, first).type as Type;
      const adapted = adapt({ ...value, type: null }, type);
      if (adapted === null) return fail(`a constant of type ${typeName(type)}`);
      return { kind: 'const', value: settled(adapted, type) };
    }
  }
}

/** Integers stay flexible; u32 keeps its type, for its arithmetic wraps. */
function settled(value: ConstValue['value'], type: Type): ConstValue {
  const keeps =
    type.kind === 'string' ||
    (type.kind === 'scalar' && (type.name === 'u32' || type.name === 'bool'));
  return { kind: 'const', type: keeps ? type : null, value };
}

function typeArgument(frame: Frame, param: TemplateParam, term: Term, where: Where): TemplateValue {
  const own = constantFrame(frame.session, where.declaration.file);
  const allowed = param.constraint.map((entry) =>
    entry.kind === 'namedType' && entry.name === 'type' ? null : resolveTerm(own, entry),
  );
  if (!allowed.some((entry) => entry === null || entry.name === term.name)) {
    const names = allowed.map((entry) => entry?.name ?? 'type').join(' or ');
    const related = [placeOf(where.declaration, 'the template is here')];
    throw frame.problem(where.at, `${param.name} must be ${names}, got ${term.name}`, undefined, {
      related,
    });
  }
  return { kind: 'type', term };
}

function functionArgument(
  frame: Frame,
  param: TemplateParam,
  value: Value,
  where: Where,
): TemplateValue {
  if (value.kind === 'func') return { kind: 'func', ref: value.ref };
  if (value.kind === 'declaration' && value.declaration.decl.kind === 'func') {
    const { declaration } = value;
    const ref = applyTemplate(frame, {
      declaration,
      typeArgs: [],
      params: [],
      values: [],
      at: where.at,
    });
    return { kind: 'func', ref };
  }
  if (value.kind === 'symbol') {
    const declaration = value.declaration ?? frame.session.catalog.find(value.name);
    if (declaration?.decl.kind === 'func') {
      const bindings = bindSymbolArgs(frame, declaration, value.args, where.at);
      return {
        kind: 'func',
        ref: { declaration, bindings, key: instanceKey(declaration, bindings) },
      };
    }
  }
  throw frame.problem(
    where.at,
    `${param.name} must be a function like @name, got ${describeKind(value)}`,
  );
}

/** Bindings from the canonical texts of a symbol's arguments (`64`, `f32x4`, `@gelu`). */
export function bindSymbolArgs(
  frame: Frame,
  declaration: Declaration,
  args: readonly string[],
  at: At,
): TemplateBindings {
  const { template } = declaration.decl;
  if (args.length !== template.length) {
    const message = `'${declaration.name}' takes ${template.length} template arguments, got ${args.length}`;
    throw frame.problem(at, message);
  }
  const bindings = new Map<string, TemplateValue>();
  template.forEach((param, index) => {
    const value = parseArgument(frame, args[index] as string, at);
    bindings.set(param.name, checkArgument(frame, param, value, { at, declaration }));
  });
  return bindings;
}

function parseArgument(frame: Frame, text: string, at: At): Value {
  if (/^-?\d+$/.test(text)) return { kind: 'const', type: null, value: BigInt(text) };
  if (text === 'true' || text === 'false') {
    return { kind: 'const', type: { kind: 'scalar', name: 'bool' }, value: text === 'true' };
  }
  if (text.startsWith('"')) {
    return { kind: 'const', type: { kind: 'string' }, value: JSON.parse(text) as string };
  }
  if (text.startsWith('@')) return parseSymbolText(text.slice(1));
  if (/^-?\d/.test(text)) return { kind: 'const', type: null, value: Number(text) };
  return {
    kind: 'term',
    term: resolveTerm(frame, { kind: 'namedType', at, name: text, args: [] }),
  };
}

/** `name` or `name<a, b>` in canonical text. */
export function parseSymbolText(text: string): Extract<Value, { kind: 'symbol' }> {
  const open = text.indexOf('<');
  if (open < 0) return { kind: 'symbol', name: text, args: [], declaration: null };
  const args: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let index = open + 1; index < text.length; index += 1) {
    const char = text[index];
    if (char === '<') depth += 1;
    const ends = depth === 0 && (char === ',' || char === '>');
    if (ends) {
      args.push(text.slice(start, index).trim());
      start = index + 1;
    }
    if (char === '>') depth -= 1;
  }
  return { kind: 'symbol', name: text.slice(0, open), args, declaration: null };
}

// --- inference -------------------------------------------------------------------------------

function infer(frame: Frame, application: Application, bindings: Map<string, TemplateValue>): void {
  const { declaration, params, values } = application;
  const open = new Map(declaration.decl.template.map((param) => [param.name, param]));
  // Flexible constants say little, so they speak last.
  for (const flexible of [false, true]) {
    params.forEach((param, index) => {
      const value = values[index];
      if (value === undefined || param.type === null) return;
      const isFlexible = value.kind === 'const' && value.type === null;
      if (isFlexible === flexible) match(param.type, value);
    });
  }

  function bind(name: string, value: Value): boolean {
    const param = open.get(name);
    if (param === undefined) return false;
    if (!bindings.has(name)) {
      bindings.set(name, checkArgument(frame, param, value, { at: application.at, declaration }));
    }
    return true;
  }

  function match(type: TypeExpr, value: Value): void {
    if (type.kind === 'namedType' && type.name === 'view') {
      const [arg] = type.args;
      const element = value.kind === 'view' || value.kind === 'range' ? value.element : null;
      if (element !== null && arg !== undefined)
        matchArgument(arg, { kind: 'term', term: termOfElement(element) });
      return;
    }
    const actual = valueType(frame, value);
    if (actual !== null) matchType(type, actual);
  }

  function matchType(type: TypeExpr, actual: Type): void {
    if (type.kind === 'arrayType' && actual.kind === 'array') {
      matchType(type.elem, actual.elem);
      if (type.count.kind === 'name')
        bind(type.count.name, { kind: 'const', type: null, value: BigInt(actual.count) });
      return;
    }
    if (type.kind !== 'namedType') return;
    if (type.args.length === 0) bind(type.name, { kind: 'term', term: typeTerm(actual) });
    const [arg] = type.args;
    if (arg !== undefined && (actual.kind === 'list' || actual.kind === 'cell')) {
      matchArgument(arg, { kind: 'term', term: typeTerm(actual.elem) });
    }
  }

  function matchArgument(arg: TemplateArg, value: Extract<Value, { kind: 'term' }>): void {
    if (arg.kind === 'name') bind(arg.name, value);
    else if (arg.kind === 'namedType' && value.term.type !== null) matchType(arg, value.term.type);
  }
}

/** A built-in element is also a type of values (`f32`), so the term by its name is preferred. */
function termOfElement(element: Element): Term {
  return builtinTerms.get(elementName(element)) ?? elementTerm(element);
}
