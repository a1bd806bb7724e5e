/**
 * From values to expressions of a wanted type. Constants adapt where they fit; nothing else does:
 * conversions are written. Also the default types of constants (i64 and f64 on the host, i32 and
 * f32 on devices) and the scope check of values that exist at compile time only.
 */
import type { At } from '../tree.js';
import type { Expr, Site, Type } from '../typed.js';
import { adapt, constantText, misfitText } from './constant-folding.js';
import type { Frame } from './frame.js';
import { Poisoned } from './problem.js';
import { F32, F64, I32, I64, SYMBOL, isScalar, sameType, typeName } from './types.js';
import { describeKind } from './value.js';
import type { ConstValue, Value } from './value.js';

/** An expression node for a constant of a known type. */
export function constantExpr(value: ConstValue['value'], type: Type, site: Site): Expr {
  const wide = isScalar(type, 'i64');
  const plain = typeof value === 'bigint' && !wide ? Number(value) : value;
  return { op: 'const', type, site, value: plain };
}

/** The type that a value has, or would have by default; null for values without one. */
export function valueType(frame: Frame, value: Value): Type | null {
  if (value.kind === 'expr') return value.expr.type;
  if (value.kind === 'symbol') return SYMBOL;
  if (value.kind === 'array') return { kind: 'array', elem: value.elem, count: value.items.length };
  if (value.kind !== 'const') return null;
  return value.type ?? defaultType(frame, value);
}

function defaultType(frame: Frame, value: ConstValue): Type {
  if (typeof value.value === 'bigint') return frame.narrow ? I32 : I64;
  return frame.narrow ? F32 : F64;
}

/** The expression of a value at its own or its default type. */
export function expression(frame: Frame, value: Value, at: At): Expr {
  if (value.kind === 'expr') return value.expr;
  if (value.kind === 'poison') throw new Poisoned();
  const type = valueType(frame, value);
  if (type !== null) return coerce(frame, value, type, at);
  throw frame.problem(at, `expected a value, got ${describeKind(value)}`);
}

/** A place in the text, with the name of what stands there for messages. */
export interface NamedPlace {
  readonly at: At;
  readonly what: string;
}

/** The expression of `value` as `type`. */
export function coerce(frame: Frame, value: Value, type: Type, place: At | NamedPlace): Expr {
  const at = typeof place === 'number' ? place : place.at;
  const where = typeof place === 'number' || place.what === '' ? '' : `${place.what}: `;
  const site = frame.site(at);
  switch (value.kind) {
    case 'poison':
      throw new Poisoned();
    case 'expr': {
      if (sameType(value.expr.type, type)) return value.expr;
      const got = typeName(value.expr.type);
      throw frame.problem(
        at,
        `${where}expected ${typeName(type)}, got ${got}`,
        convertHint(value.expr.type, type),
      );
    }
    case 'const':
      return constant(frame, value, type, { at, what: where });
    case 'symbol':
      if (type.kind === 'symbol' && frame.host !== null) {
        const index = frame.host.symbol({ name: value.name, args: value.args });
        return { op: 'const', type, site, value: index };
      }
      break;
    case 'array':
      if (type.kind === 'array' && type.count === value.items.length && frame.world === 'host') {
        const items = value.items.map((item) => coerce(frame, item, type.elem, place));
        return { op: 'array.new', type, site, items };
      }
      break;
    default:
      break;
  }
  throw frame.problem(at, `${where}expected ${typeName(type)}, got ${describeKind(value)}`);
}

function constant(frame: Frame, value: ConstValue, type: Type, place: NamedPlace): Expr {
  const { at, what: where } = place;
  const adapted = adapt(value, type);
  if (adapted !== null) return constantExpr(adapted, type, frame.site(at));
  const shown = misfitText(value, type);
  const own = value.type === null ? shown : `${shown} of type ${typeName(value.type)}`;
  const hint = value.type === null ? undefined : convertHint(value.type, type);
  throw frame.problem(at, `${where}expected ${typeName(type)}, got ${own}`, hint);
}

function convertHint(from: Type, to: Type): string | undefined {
  const numeric = (type: Type): boolean =>
    type.kind === 'scalar' || (type.kind === 'vector' && to.kind === 'vector');
  if (numeric(from) && numeric(to) && !isScalar(to, 'bool')) {
    return `convert it: ${typeName(to)}(…)`;
  }
  return undefined;
}

/** An exact integer constant, for sizes, indices and template arguments. */
export function constantInteger(frame: Frame, value: Value, at: At, what: string): bigint {
  if (value.kind === 'poison') throw new Poisoned();
  if (value.kind === 'const' && typeof value.value === 'bigint') return value.value;
  const got =
    value.kind === 'const' ? `the constant ${constantText(value.value)}` : describeKind(value);
  const shown = value.kind === 'expr' ? 'a value that is known at run time only' : got;
  throw frame.problem(at, `${what} must be a constant integer, got ${shown}`);
}

/** As `constantInteger`, within bounds. */
export function constantCount(
  frame: Frame,
  value: Value,
  at: At,
  bounds: { what: string; min: number; max: number },
): number {
  const count = constantInteger(frame, value, at, bounds.what);
  if (count >= BigInt(bounds.min) && count <= BigInt(bounds.max)) return Number(count);
  throw frame.problem(at, `${bounds.what} is ${count}; it must be ${bounds.min} to ${bounds.max}`);
}
