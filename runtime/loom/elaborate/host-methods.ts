/** Methods of host values: buffers, strings, lists, arrays, cells and device buffer handles. */
import type { Expr, HeapOp, Type } from '../typed.js';
import { NOTHING } from './call.js';
import type { Call } from './call.js';
import { coerce, valueType } from './coercion.js';
import { resolveArgument } from './type-resolution.js';
import { BUFFER, HAL_BUFFER, I64, STRING, VOID, sameType, typeName } from './types.js';
import type { Value } from './value.js';

/** A heap operation as a value, or as a statement where it gives nothing. */
export function heap(call: Call, name: HeapOp, type: Type, args: readonly Expr[]): Value {
  const { frame, site } = call;
  const expr: Expr = { op: 'heap', type, site, name, args };
  if (type.kind !== 'void') return { kind: 'expr', rank: 'uniform', expr };
  call.statement();
  frame.emit({ op: 'call', site, results: [], call: expr });
  return NOTHING;
}

export function hostMethod(base: Value, call: Call): Value | null {
  if (base.kind !== 'expr' && base.kind !== 'const' && base.kind !== 'array') return null;
  const type = valueType(call.frame, base);
  if (type === null) return null;
  const self = coerce(call.frame, base, type, call.at);
  switch (type.kind) {
    case 'buffer':
      return bufferMethod(self, call);
    case 'string':
      return stringMethod(self, call);
    case 'list':
      return listMethod(self, type.elem, call);
    case 'array':
      return call.name === 'bytes' ? packedBytes(self, type.elem, call) : null;
    case 'cell':
      return cellMethod(self, type.elem, call);
    case 'handle':
      return sameType(type, HAL_BUFFER) ? handleMethod(self, call) : null;
    default:
      return null;
  }
}

function bufferMethod(self: Expr, call: Call): Value | null {
  switch (call.name) {
    case 'len':
      call.counts(0);
      return heap(call, 'buffer.len', I64, [self]);
    case 'slice':
      call.counts(2);
      return heap(call, 'buffer.slice', BUFFER, [self, call.wide(0), call.wide(1)]);
    case 'from':
      call.counts(1);
      return heap(call, 'buffer.from', BUFFER, [self, call.wide(0)]);
    case 'copy':
      call.counts(4);
      return heap(call, 'buffer.copy', VOID, [
        self,
        call.wide(0),
        call.arg(1, BUFFER),
        call.wide(2),
        call.wide(3),
      ]);
    case 'fill':
      call.counts(3);
      return heap(call, 'buffer.fill', VOID, [self, call.wide(0), call.wide(1), call.wide(2)]);
    case 'freeze':
      call.counts(0);
      return heap(call, 'buffer.freeze', BUFFER, [self]);
    case 'at':
      return recordAt(self, call);
    default:
      return null;
  }
}

/** `b.at<Layout>(k)`: a reference to record `k`, not a copy. */
function recordAt(self: Expr, call: Call): Value {
  call.counts(1);
  call.typeCounts(1);
  const [arg] = call.typeArgs;
  const term = arg === undefined ? null : resolveArgument(call.frame, arg);
  if (term === null || term.element?.kind !== 'layout') {
    throw call.frame.problem(
      call.at,
      'at<…> takes a layout',
      'single elements are b.i64[k], b.f32[k] …',
    );
  }
  return { kind: 'layoutRef', buffer: self, index: call.wide(0), layout: term.element.layout };
}

function stringMethod(self: Expr, call: Call): Value | null {
  switch (call.name) {
    case 'len':
      call.counts(0);
      return heap(call, 'string.len', I64, [self]);
    case 'slice':
      call.counts(2);
      return heap(call, 'string.slice', STRING, [self, call.wide(0), call.wide(1)]);
    case 'find': {
      call.counts(1, 2);
      const from = call.args.length === 2 ? call.wide(1) : zero(call);
      return heap(call, 'string.find', I64, [self, call.arg(0, STRING), from]);
    }
    case 'byte':
      call.counts(1);
      return heap(call, 'string.byte', I64, [self, call.wide(0)]);
    default:
      return null;
  }
}

const zero = (call: Call): Expr => ({ op: 'const', type: I64, site: call.site, value: 0n });

function listMethod(self: Expr, elem: Type, call: Call): Value | null {
  const { frame, site } = call;
  switch (call.name) {
    case 'len':
      call.counts(0);
      return heap(call, 'list.len', I64, [self]);
    case 'push': {
      call.counts(1);
      call.statement();
      frame.emit({ op: 'list.push', site, list: self, value: call.arg(0, elem) });
      return NOTHING;
    }
    case 'bytes':
      return packedBytes(self, elem, call);
    default:
      return null;
  }
}

function packedBytes(self: Expr, elem: Type, call: Call): Value {
  call.counts(0);
  if (elem.kind !== 'scalar' || elem.name === 'bool') {
    throw call.frame.problem(call.at, `bytes() packs numbers, not ${typeName(elem)}`);
  }
  return heap(call, self.type.kind === 'list' ? 'list.bytes' : 'array.bytes', BUFFER, [self]);
}

function cellMethod(self: Expr, record: Type, call: Call): Value | null {
  switch (call.name) {
    case 'read':
      call.counts(0);
      return heap(call, 'cell.read', record, [self]);
    case 'write':
      call.counts(1);
      return heap(call, 'cell.write', VOID, [self, call.arg(0, record)]);
    default:
      return null;
  }
}

function handleMethod(self: Expr, call: Call): Value | null {
  switch (call.name) {
    case 'len':
      call.counts(0);
      return heap(call, 'hal.len', I64, [self]);
    case 'slice':
      call.counts(2);
      return heap(call, 'hal.slice', HAL_BUFFER, [self, call.wide(0), call.wide(1)]);
    default:
      return null;
  }
}
