/**
 * Values as the server sees them, and their way into and out of a program's memory. Strings and
 * buffers are copied in both directions, so nothing of the server aliases what a program may
 * change; a `ScratchBuffer` is made in the program's memory and read there. A ref is a sealed
 * record (`SealedState` to bring in or out, `FROZEN_STATE` for the state that the instance was made
 * with) or a value of the server that only capabilities understand.
 */
import { StatusError } from '../base/errors.js';
import type { Symbol, Type } from '../loom/typed.js';
import type { RawValue } from './executor.js';
import type { HandleTable } from './handle-table.js';
import type { Heap, SealedState } from './heap.js';
import { bufferBytes, newBufferOf } from './heap-buffers.js';
import { newList, listLength, pushElement } from './heap-lists.js';
import { newString, readString } from './heap-strings.js';
import { exportState, importState, REF_BYTES, SERVER_VALUE, type SealedTypes } from './sealing.js';
import { ScratchBuffer } from './scratch-buffer.js';
import { typeText } from './type-text.js';
import { valueAccess } from './value-access.js';
import { valueSize } from './value-layout.js';

/**
 * i64: bigint · bool: boolean · i32 u32 f32 f64: number · string · buffer: Uint8Array, as argument
 * also ScratchBuffer · list: array · symbol: SymbolValue · handles and refs: objects of the server,
 * null for the null handle.
 */
export type HostValue =
  bigint | number | boolean | string | Uint8Array | readonly HostValue[] | object | null;

export interface SymbolValue {
  readonly name: string;
  readonly args: readonly string[];
}

/** Argument for the `state` parameter of entries: the state that the instance was made with. */
export const FROZEN_STATE: object = Object.freeze({ state: 'frozen' });

export interface ValueContext {
  readonly heap: Heap;
  readonly handles: HandleTable;
  readonly sealedTypes: SealedTypes;
  readonly symbols: readonly Symbol[];
  /** Address of the frozen state's ref; null when the instance has none. */
  readonly frozenRoot: number | null;
}

export function toHostValue(context: ValueContext, type: Type, raw: RawValue): HostValue {
  const { heap } = context;
  switch (type.kind) {
    case 'scalar':
      return type.name === 'bool' ? raw !== 0 : (raw as number | bigint);
    case 'string':
      return readString(heap, raw as number);
    case 'buffer':
      return bufferBytes(heap, raw as number).slice();
    case 'handle':
      return context.handles.get(raw as number) as HostValue;
    case 'symbol': {
      const { name, args } = context.symbols[raw as number]!;
      return { name, args };
    }
    case 'ref':
      return refValue(context, raw as number);
    case 'list': {
      const at = raw as number;
      const access = valueAccess(type.elem);
      const size = valueSize(type.elem);
      return Array.from({ length: listLength(heap, at) }, (_, i) =>
        toHostValue(context, type.elem, access.load(heap, heap.u32(at) + i * size)),
      );
    }
    default:
      throw new StatusError('unimplemented', `a ${typeText(type)} cannot leave a program`);
  }
}

function refValue(
  { heap, handles, sealedTypes, frozenRoot }: ValueContext,
  ref: number,
): HostValue {
  if (ref === frozenRoot) return FROZEN_STATE;
  if (heap.u32(ref) === SERVER_VALUE) return handles.get(heap.u32(ref + 4)) as HostValue;
  return exportState(heap, ref, sealedTypes);
}

export function fromHostValue(context: ValueContext, type: Type, value: HostValue): RawValue {
  const { heap } = context;
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.name, value);
    case 'string':
      expect(typeof value === 'string', type, value);
      return newString(heap, value as string);
    case 'buffer':
      if (value instanceof ScratchBuffer) return value.place(heap);
      expect(value instanceof Uint8Array, type, value);
      return newBufferOf(heap, value as Uint8Array);
    case 'handle':
      expect(typeof value === 'object', type, value);
      return context.handles.add(value);
    case 'ref':
      expect(typeof value === 'object', type, value);
      return refOf(context, value as object | null);
    case 'list': {
      expect(Array.isArray(value), type, value);
      const access = valueAccess(type.elem);
      const list = newList(heap);
      for (const item of value as readonly HostValue[]) {
        const raw = fromHostValue(context, type.elem, item);
        access.store(heap, pushElement(heap, list, valueSize(type.elem)), raw);
      }
      return list;
    }
    default:
      throw new StatusError('unimplemented', `a ${typeText(type)} cannot be given to a program`);
  }
}

function scalarOf(name: string, value: HostValue): RawValue {
  const type: Type = { kind: 'scalar', name: name as 'i64' };
  if (name === 'bool') {
    expect(typeof value === 'boolean', type, value);
    return value ? 1 : 0;
  }
  if (name === 'i64') {
    expect(typeof value === 'bigint' && BigInt.asIntN(64, value) === value, type, value);
    return value as bigint;
  }
  const fits =
    name === 'i32'
      ? (value as number) === ((value as number) | 0)
      : name === 'u32'
        ? (value as number) === (value as number) >>> 0
        : true;
  expect(typeof value === 'number' && fits, type, value);
  return name === 'f32' ? Math.fround(value as number) : (value as number);
}

function refOf(context: ValueContext, value: object | null): number {
  const { heap, handles, frozenRoot } = context;
  if (value === FROZEN_STATE) {
    if (frozenRoot !== null) return frozenRoot;
    throw new StatusError('failedPrecondition', 'the program has no sealed state to be given');
  }
  if (isSealedState(value)) return importState(heap, value, context.sealedTypes);
  const ref = heap.alloc(REF_BYTES);
  heap.setU32(ref, SERVER_VALUE);
  heap.setU32(ref + 4, handles.add(value));
  return ref;
}

function isSealedState(value: object | null): value is SealedState {
  return value !== null && 'image' in value && 'root' in value && 'pointers' in value;
}

function expect(condition: boolean, type: Type, value: HostValue): void {
  if (condition) return;
  const given = value instanceof Uint8Array ? 'bytes' : value === null ? 'null' : typeof value;
  throw new StatusError(
    'internal',
    `expected a value of type ${typeText(type)}, got ${given} ${given === 'bigint' ? value : ''}`.trim(),
  );
}
