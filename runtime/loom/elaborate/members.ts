/** `value.name` without parentheses, for every kind of value: components, fields, lengths. */
import type { At } from '../tree.js';
import type { BufferElem, Expr } from '../typed.js';
import { bankMember } from './command-ranges.js';
import { viewMember } from './device-places.js';
import type { Frame } from './frame.js';
import { bufferElems, fieldOf } from './host-layout.js';
import { Poisoned } from './problem.js';
import { HAL_BUFFER, I32, I64, componentOf, sameType, typeName } from './types.js';
import { describeKind, int } from './value.js';
import type { Value } from './value.js';

const componentNames = ['x', 'y', 'z', 'w'];

export function member(frame: Frame, base: Value, name: string, at: At): Value {
  switch (base.kind) {
    case 'poison':
      throw new Poisoned();
    case 'expr':
      return exprMember(frame, base, name, at);
    case 'layoutRef':
      return fieldOf(frame, base, name, at);
    case 'viewElement':
      return viewMember(frame, base, name, at);
    case 'view':
      if (name === 'len') {
        const expr: Expr = { op: 'view.length', type: I32, site: frame.site(at), view: base.view };
        return { kind: 'expr', rank: 'uniform', expr };
      }
      break;
    case 'shared':
    case 'private':
      if (name === 'len') return int(base.count);
      break;
    case 'array':
      if (name === 'len') return int(base.items.length);
      break;
    case 'viewField':
    case 'layoutField':
      if (name === 'len') return int(base.field.count);
      break;
    case 'parts': {
      const part = base.parts.get(name);
      if (part !== undefined) return part;
      break;
    }
    case 'term':
      return layoutConstant(frame, base, name, at);
    case 'bank':
      return bankMember(frame, base, name, at);
    case 'const':
      if (name === 'len' && typeof base.value === 'string')
        return int(Buffer.byteLength(base.value));
      break;
    default:
      break;
  }
  throw frame.problem(at, `${describeKind(base)} has no member '${name}'`);
}

/** `Tok.size`, `Tok.pos` (byte offset), `Tok.tail.len` is not one. */
function layoutConstant(
  frame: Frame,
  base: Extract<Value, { kind: 'term' }>,
  name: string,
  at: At,
): Value {
  const { element } = base.term;
  if (element?.kind === 'layout') {
    const field = element.layout.fields.find((entry) => entry.name === name);
    if (field !== undefined) return int(field.offset);
    if (name === 'size') return int(element.layout.size);
    throw frame.problem(at, `layout ${element.layout.name} has no field '${name}'`);
  }
  if (element?.kind === 'storage' && name === 'size') return int(element.storage.size);
  throw frame.problem(at, `the type ${base.term.name} has no constant '${name}'`);
}

function exprMember(
  frame: Frame,
  base: Extract<Value, { kind: 'expr' }>,
  name: string,
  at: At,
): Value {
  const { expr, rank } = base;
  const { type } = expr;
  const site = frame.site(at);
  switch (type.kind) {
    case 'vector': {
      const index = componentNames.indexOf(name);
      if (index < 0 || index >= type.lanes) break;
      return component(frame, expr, index, { rank, at });
    }
    case 'cell': {
      // A cell is read as a whole, then its record's field.
      const record: Expr = { op: 'heap', type: type.elem, site, name: 'cell.read', args: [expr] };
      return exprMember(frame, { kind: 'expr', rank, expr: record }, name, at);
    }
    case 'record': {
      const index = type.record.fields.findIndex((field) => field.name === name);
      const field = type.record.fields[index];
      if (field === undefined) break;
      return {
        kind: 'expr',
        rank,
        expr: { op: 'record.field', type: field.type, site, value: expr, index },
      };
    }
    case 'string':
    case 'buffer':
    case 'list':
      if (name === 'len') {
        const heap = `${type.kind}.len` as const;
        return {
          kind: 'expr',
          rank,
          expr: { op: 'heap', type: I64, site, name: heap, args: [expr] },
        };
      }
      if (type.kind === 'buffer' && bufferElems.has(name)) {
        return { kind: 'elements', buffer: expr, elem: name as BufferElem };
      }
      break;
    case 'handle':
      if (name === 'len' && sameType(type, HAL_BUFFER)) {
        return {
          kind: 'expr',
          rank,
          expr: { op: 'heap', type: I64, site, name: 'hal.len', args: [expr] },
        };
      }
      break;
    case 'array':
      if (name === 'len') return int(type.count);
      break;
    default:
      break;
  }
  throw frame.problem(at, `${typeName(type)} has no member '${name}'`);
}

/** One component of a vector; known components are not computed again. */
export function component(
  frame: Frame,
  expr: Expr,
  index: number,
  how: { rank: 'uniform' | 'lane'; at: At },
): Value {
  const type = componentOf(expr.type) ?? I32;
  const site = frame.site(how.at);
  return { kind: 'expr', rank: how.rank, expr: { op: 'extract', type, site, value: expr, index } };
}
