/**
 * Every operation on the heap as a function with WebAssembly-friendly parameters: one
 * implementation for both executors. Addresses, sizes, type numbers and bools are i32 (numbers
 * here; the emitter's addresses may arrive signed), lengths, offsets and indices i64 (bigints).
 * They raise ProgramFaults; the executor adds the position.
 *
 * Names of typed HeapOps are kept. Operations that depend on a static type take a trailing type
 * number (index into the `types` that the executor gave) or an element size in bytes.
 */
import type { BufferElem, Type } from '../loom/typed.js';
import type { RawValue } from './executor.js';
import { assert } from '../base/errors.js';
import { faults } from './faults.js';
import { FormatBuilder } from './format-builder.js';
import { HandleTable, type HalBufferHandle } from './handle-table.js';
import type { Heap } from './heap.js';
import * as buffers from './heap-buffers.js';
import * as lists from './heap-lists.js';
import * as strings from './heap-strings.js';
import { ProgramFault, raised } from './program-error.js';
import { openRef, sealRecord, type SealedTypes } from './sealing.js';

type WasmType = 'i32' | 'i64' | 'f32' | 'f64';
export interface OperationSignature {
  readonly params: readonly WasmType[];
  readonly results: readonly WasmType[];
}

/** `i32 i64 -> i32`, or `i32 i64` for no result. */
function signature(text: string): OperationSignature {
  const [params, results] = text.split('->').map((side) => side.split(' ').filter((name) => name));
  return { params: (params ?? []) as WasmType[], results: (results ?? []) as WasmType[] };
}

/** Codes of buffer elements in `fault.bufferIndex` and `fault.narrow`. */
export const elemCodes: readonly BufferElem[] = ['u8', 'i32', 'u32', 'i64', 'f32', 'f64'];
/** Codes of operators in `fault.overflow` and `fault.divisionByZero`. */
export const operatorCodes: readonly string[] = ['+', '-', '*', '/', '%', 'negate'];

export const heapSignatures = {
  alloc: signature('i32 -> i32'),
  'buffer.new': signature('i64 -> i32'),
  'buffer.len': signature('i32 -> i64'),
  'buffer.slice': signature('i32 i64 i64 -> i32'),
  'buffer.from': signature('i32 i64 -> i32'),
  'buffer.copy': signature('i32 i64 i32 i64 i64'),
  'buffer.fill': signature('i32 i64 i64 i64'),
  'buffer.freeze': signature('i32 -> i32'),
  'string.concat': signature('i32 i32 -> i32'),
  'string.eq': signature('i32 i32 -> i32'),
  'string.len': signature('i32 -> i64'),
  'string.slice': signature('i32 i64 i64 -> i32'),
  'string.find': signature('i32 i32 i64 -> i64'),
  'string.byte': signature('i32 i64 -> i64'),
  'list.new': signature('-> i32'),
  'list.len': signature('i32 -> i64'),
  /** list, element size → address of the new element, to be stored by the caller. */
  'list.push': signature('i32 i32 -> i32'),
  /** list, index, element size → address of the element, for a store. */
  'list.set': signature('i32 i64 i32 -> i32'),
  /** The same for a load. */
  'list.at': signature('i32 i64 i32 -> i32'),
  'list.bytes': signature('i32 i32 -> i32'),
  /** array, bytes of all elements. */
  'array.bytes': signature('i32 i32 -> i32'),
  /** array, type number. */
  'array.copy': signature('i32 i32 -> i32'),
  /** record or ref, type number of the record. */
  seal: signature('i32 i32 -> i32'),
  open: signature('i32 i32 -> i32'),
  'cell.new': signature('i32 -> i32'),
  'cell.read': signature('i32 -> i32'),
  'cell.write': signature('i32 i32'),
  'hal.slice': signature('i32 i64 i64 -> i32'),
  'hal.len': signature('i32 -> i64'),
  'format.begin': signature(''),
  'format.string': signature('i32'),
  'format.i64': signature('i64'),
  'format.i32': signature('i32'),
  'format.u32': signature('i32'),
  'format.f32': signature('f32'),
  'format.f64': signature('f64'),
  'format.bool': signature('i32'),
  'format.end': signature('-> i32'),
  /** 0 reject, 1 fail; message string. */
  'fault.raise': signature('i32 i32'),
  /** buffer, element code, index. */
  'fault.bufferIndex': signature('i32 i32 i64'),
  'fault.frozenBuffer': signature(''),
  'fault.listIndex': signature('i32 i64'),
  'fault.arrayIndex': signature('i32 i64'),
  /** value, element code. */
  'fault.narrow': signature('i64 i32'),
  'fault.overflow': signature('i32'),
  'fault.divisionByZero': signature('i32'),
  'fault.fuel': signature(''),
  'fault.depth': signature(''),
} as const satisfies Record<string, OperationSignature>;

export type HeapFunction = keyof typeof heapSignatures;

/** Numbers and bigints per `heapSignatures`; each function names its own types for them. */
export type HeapOperation = { run(...args: RawValue[]): RawValue | void }['run'];
export type HeapOperations = Readonly<Record<HeapFunction, HeapOperation>>;

export interface OperationContext {
  readonly heap: Heap;
  /** Types that operations name by number; may grow while an executor compiles. */
  readonly types: readonly Type[];
  readonly sealedTypes: SealedTypes;
  readonly handles: HandleTable;
  readonly format: FormatBuilder;
}

/** An object with all names: V8 takes a hundred times as long to add one name after the other. */
const unbound: object = Object.fromEntries(Object.keys(heapSignatures).map((name) => [name, null]));

/** The operations bound to one heap. Emitted modules import them under `heap`. */
export function heapOperations(context: OperationContext): HeapOperations {
  const values = Object.assign(
    { ...unbound },
    bufferOperations(context),
    stringOperations(context),
    listOperations(context),
  );
  const others = stateOperations(context);
  return Object.assign(values, others, formatOperations(context), faultOperations(context));
}

type Group<Prefix extends string> = Pick<
  HeapOperations,
  Extract<HeapFunction, `${Prefix}.${string}`>
>;

function bufferOperations({ heap }: OperationContext): Group<'buffer'> {
  return {
    'buffer.new': (length: bigint) => buffers.newBuffer(heap, length),
    'buffer.len': (buffer: number) => BigInt(buffers.bufferLength(heap, buffer >>> 0)),
    'buffer.slice': (buffer: number, offset: bigint, count: bigint) =>
      buffers.sliceBuffer(heap, buffer >>> 0, offset, count),
    'buffer.from': (buffer: number, offset: bigint) =>
      buffers.bufferFrom(heap, buffer >>> 0, offset),
    'buffer.copy': (
      ...[target, offset, source, sourceOffset, length]: [number, bigint, number, bigint, bigint]
    ) =>
      buffers.copyBuffer(heap, {
        target: target >>> 0,
        offset,
        source: source >>> 0,
        sourceOffset,
        length,
      }),
    'buffer.fill': (buffer: number, ...[offset, count, byte]: [bigint, bigint, bigint]) =>
      buffers.fillBuffer(heap, buffer >>> 0, { offset, count, byte }),
    'buffer.freeze': (buffer: number) => buffers.freezeBuffer(heap, buffer >>> 0),
  };
}

function stringOperations({ heap }: OperationContext): Group<'string'> {
  return {
    'string.concat': (left: number, right: number) =>
      strings.concatStrings(heap, left >>> 0, right >>> 0),
    'string.eq': (left: number, right: number) =>
      strings.equalStrings(heap, left >>> 0, right >>> 0) ? 1 : 0,
    'string.len': (string: number) => BigInt(strings.stringLength(heap, string >>> 0)),
    'string.slice': (string: number, offset: bigint, count: bigint) =>
      strings.sliceString(heap, string >>> 0, offset, count),
    'string.find': (string: number, needle: number, from: bigint) =>
      strings.findInString(heap, string >>> 0, needle >>> 0, from),
    'string.byte': (string: number, index: bigint) =>
      strings.byteOfString(heap, string >>> 0, index),
  };
}

function listOperations({ heap, types }: OperationContext): Group<'list' | 'array'> {
  return {
    'list.new': () => lists.newList(heap),
    'list.len': (list: number) => BigInt(lists.listLength(heap, list >>> 0)),
    'list.push': (list: number, size: number) => lists.pushElement(heap, list >>> 0, size),
    'list.set': (list: number, index: bigint, size: number) =>
      lists.writableElement(heap, list >>> 0, index, size),
    'list.at': (list: number, index: bigint, size: number) =>
      lists.listElement(heap, list >>> 0, index, size),
    'list.bytes': (list: number, size: number) => lists.listBytes(heap, list >>> 0, size),
    'array.bytes': (array: number, bytes: number) =>
      buffers.newBufferFrom(heap, array >>> 0, bytes),
    'array.copy': (array: number, type: number) => {
      const arrayType = types[type]!;
      assert(arrayType.kind === 'array', 'the number of an array type');
      return lists.copyArray(heap, array >>> 0, arrayType);
    },
  };
}

type StateFunction =
  'alloc' | 'seal' | 'open' | Extract<HeapFunction, `cell.${string}` | `hal.${string}`>;

function stateOperations({
  heap,
  types,
  sealedTypes,
  handles,
}: OperationContext): Pick<HeapOperations, StateFunction> {
  const recordType = (number: number) => {
    const type = types[number]!;
    assert(type.kind === 'record', 'the number of a record type');
    return type.record;
  };
  const halBuffer = (handle: number): HalBufferHandle => {
    const value = handles.get(handle >>> 0);
    if (value === null) throw new ProgramFault('internal', 'the hal.buffer is null');
    return value as HalBufferHandle;
  };
  return {
    alloc: (bytes: number) => heap.alloc(bytes >>> 0),
    seal: (record: number, type: number) =>
      sealRecord(heap, record >>> 0, recordType(type), sealedTypes),
    open: (ref: number, type: number) => openRef(heap, ref >>> 0, recordType(type), sealedTypes),
    'cell.new': (record: number) => {
      const at = heap.alloc(8);
      heap.setU32(at, record >>> 0);
      heap.setU32(at + 4, 0);
      return at;
    },
    'cell.read': (cell: number) => heap.u32(cell >>> 0),
    'cell.write': (cell: number, record: number) => {
      // A cell of the frozen image belongs to every call: only retained cells may change.
      if (cell >>> 0 < heap.arenaBase)
        throw new ProgramFault('internal', 'the cell is part of sealed state');
      heap.setU32(cell >>> 0, record >>> 0);
    },
    'hal.slice': (handle: number, offset: bigint, count: bigint) => {
      const buffer = halBuffer(handle);
      if (offset < 0n || count < 0n || offset + count > BigInt(buffer.length)) {
        throw faults.bufferRange(offset, count, buffer.length);
      }
      return handles.add(buffer.slice(Number(offset), Number(count)));
    },
    'hal.len': (handle: number) => BigInt(halBuffer(handle).length),
  };
}

function formatOperations({ format }: OperationContext): Group<'format'> {
  return {
    'format.begin': () => format.begin(),
    'format.string': (string: number) => format.string(string >>> 0),
    'format.i64': (value: bigint) => format.integer(value),
    'format.i32': (value: number) => format.integer(value | 0),
    'format.u32': (value: number) => format.integer(value >>> 0),
    'format.f32': (value: number) => format.float(value, 'f32'),
    'format.f64': (value: number) => format.float(value, 'f64'),
    'format.bool': (value: number) => format.bool(value),
    'format.end': () => format.end(),
  };
}

function faultOperations({ heap }: OperationContext): Group<'fault'> {
  return {
    'fault.raise': (kind: number, message: number) => {
      throw raised(kind === 0 ? 'reject' : 'fail', strings.readString(heap, message >>> 0));
    },
    'fault.bufferIndex': (buffer: number, elem: number, index: bigint) => {
      throw faults.bufferIndex(elemCodes[elem]!, index, buffers.bufferLength(heap, buffer >>> 0));
    },
    'fault.frozenBuffer': () => {
      throw faults.frozenBuffer();
    },
    'fault.listIndex': (list: number, index: bigint) => {
      throw faults.listIndex(index, lists.listLength(heap, list >>> 0));
    },
    'fault.arrayIndex': (count: number, index: bigint) => {
      throw faults.arrayIndex(index, count);
    },
    'fault.narrow': (value: bigint, elem: number) => {
      throw faults.narrow(value, elemCodes[elem]!);
    },
    'fault.overflow': (operator: number) => {
      throw faults.overflow(operatorCodes[operator]!);
    },
    'fault.divisionByZero': (operator: number) => {
      throw faults.divisionByZero(operatorCodes[operator]!);
    },
    'fault.fuel': () => {
      throw faults.fuel(heap.fuelLimit);
    },
    'fault.depth': () => {
      throw faults.depth();
    },
  };
}
