/**
 * Values of `const.def` and `config.decl`, and of facts (`target.*`). A config value is its binding
 * or its default; reading one is recorded, for it then belongs to the key of the specialization.
 * Constants stay flexible whatever their declared type (they adapt), except `u32`, which wraps.
 */
import type { At } from '../tree.js';
import type { Type } from '../typed.js';
import type { Declaration } from './catalog.js';
import { constantExpr } from './coercion.js';
import type { ConfigValue } from './configuration.js';
import { adapt, flexible, misfitText, truth } from './constant-folding.js';
import { constantFrame } from './declaration-frame.js';
import type { Frame } from './frame.js';
import { elaborationLimits } from './session.js';
import type { Session } from './session.js';
import { resolveType } from './type-resolution.js';
import { componentOf, isScalar, typeName } from './types.js';
import { describeKind } from './value.js';
import type { ConstValue, Value } from './value.js';

export function constantOf(session: Session, declaration: Declaration): Value {
  const known = session.constants.get(declaration.id);
  if (known !== undefined) return known;
  const value = session.resolving(declaration, () => {
    const frame = constantFrame(session, declaration.file);
    const { decl } = declaration;
    if (decl.kind === 'config') return configValue(frame, declaration);
    if (decl.kind !== 'const') throw frame.problem(decl.at, `'${declaration.name}' is no constant`);
    const type = decl.type === null ? null : resolveType(frame, decl.type);
    const evaluated = frame.eval(decl.value);
    return checked(frame, evaluated, { type, at: decl.value.at });
  });
  session.constants.set(declaration.id, value);
  return value;
}

function configValue(frame: Frame, declaration: Declaration): Value {
  const { decl } = declaration;
  if (decl.kind !== 'config') return flexible(0n);
  const type = resolveType(frame, decl.type);
  if (!isConfigType(type)) {
    throw frame.problem(decl.type.at, 'a config.decl is bool, i32, i64 or f32');
  }
  frame.session.configRead.add(declaration.name);
  const bound = frame.session.configuration.bindings.get(declaration.name);
  if (bound !== undefined) return fromConfig(bound);
  return checked(frame, frame.eval(decl.value), { type, at: decl.value.at });
}

const isConfigType = (type: Type): boolean =>
  type.kind === 'scalar' && ['bool', 'i32', 'i64', 'f32'].includes(type.name);

export function fromConfig(value: ConfigValue): ConstValue {
  if (typeof value === 'boolean') return truth(value);
  return typeof value === 'bigint' ? flexible(value) : flexible(value);
}

function checked(frame: Frame, value: Value, want: { type: Type | null; at: At }): Value {
  const { type, at } = want;
  if (value.kind === 'array') return constantArray(frame, value, want);
  if (value.kind === 'expr' && value.expr.op === 'const') return value;
  if (value.kind !== 'const') {
    const shown =
      value.kind === 'expr' ? 'a value that is known at run time only' : describeKind(value);
    throw frame.problem(at, `a constant expression is needed, got ${shown}`);
  }
  if (type === null) return value;
  const adapted = adapt(value, type);
  if (adapted === null) {
    throw frame.problem(at, `expected ${typeName(type)}, got ${misfitText(value, type)}`);
  }
  if (isScalar(type, 'u32')) return { kind: 'const', type, value: adapted };
  return {
    kind: 'const',
    type: isScalar(type, 'bool') || type.kind === 'string' ? type : null,
    value: adapted,
  };
}

function constantArray(
  frame: Frame,
  value: Extract<Value, { kind: 'array' }>,
  { type, at }: { type: Type | null; at: At },
): Value {
  const known = value.items.every((item) => item.kind === 'expr' && item.expr.op === 'const');
  if (!known) throw frame.problem(at, 'every element of a constant array must be constant');
  const own: Type = { kind: 'array', elem: value.elem, count: value.items.length };
  if (type === null || typeName(type) === typeName(own)) return value;
  throw frame.problem(at, `expected ${typeName(type)}, got ${typeName(own)}`);
}

/** `target.NAME`, `f32.lowest`, `f32.max`; null for any other path. */
export function builtinConstant(frame: Frame, path: string): ConstValue | null {
  if (path === 'f32.lowest') return flexible(-3.4028234663852886e38);
  if (path === 'f32.max') return flexible(3.4028234663852886e38);
  if (!path.startsWith('target.')) return null;
  const name = path.slice('target.'.length);
  const facts = frame.session.configuration.target as unknown as Readonly<Record<string, unknown>>;
  const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
  if (typeof fact !== 'boolean' && typeof fact !== 'number') return null;
  frame.session.factsRead.add(name);
  return typeof fact === 'boolean' ? truth(fact) : flexible(BigInt(fact));
}

/** The zero of a type of scalars or vectors. */
export function zeroOf(frame: Frame, type: Type, at: At) {
  const site = frame.site(at);
  if (type.kind === 'vector') {
    return { op: 'const', type, site, value: new Array<number>(type.lanes).fill(0) } as const;
  }
  if (type.kind === 'bytes') {
    return { op: 'const', type, site, value: new Array<number>(type.lanes).fill(0) } as const;
  }
  if (componentOf(type) === null) {
    throw frame.problem(at, `${typeName(type)} has no zero value; give one`);
  }
  if (isScalar(type, 'bool')) return constantExpr(false, type, site);
  return constantExpr(0n, type, site);
}

export function checkHostArray(frame: Frame, count: number, at: At): void {
  const limit = elaborationLimits.hostArray;
  if (count <= limit) return;
  throw frame.problem(at, `an array of ${count} elements; the limit is ${limit}`, 'use a buffer');
}
