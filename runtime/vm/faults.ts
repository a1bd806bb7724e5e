/**
 * What a running program can do wrong, in the words that its author reads. Interpreter, heap and
 * emitted code raise through these functions, so the same mistake reads the same everywhere.
 * Each returns the fault; the caller throws it.
 */
import type { BufferElem } from '../loom/typed.js';
import { CALL_DEPTH_MAX, SEAL_DEPTH_MAX } from './memory-map.js';
import { ProgramFault } from './program-error.js';

const internal = (message: string): ProgramFault => new ProgramFault('internal', message);
const exhausted = (message: string): ProgramFault => new ProgramFault('resourceExhausted', message);

export const elemBytes: Readonly<Record<BufferElem, number>> = {
  u8: 1,
  i32: 4,
  u32: 4,
  i64: 8,
  f32: 4,
  f64: 8,
};

export const faults = {
  bufferIndex(elem: BufferElem, index: bigint, length: number): ProgramFault {
    const what = elem === 'u8' ? `index ${index}` : `${elem} element ${index}`;
    return internal(`${what} is outside a buffer of ${length} bytes`);
  },
  bufferRange: (offset: bigint, count: bigint, length: number) =>
    internal(`${count} bytes at offset ${offset} are outside a buffer of ${length} bytes`),
  frozenBuffer: () => internal('the buffer is read-only: it is frozen, or part of sealed state'),
  frozenList: () => internal('the list is read-only: it is part of sealed state'),
  stringRange: (offset: bigint, count: bigint, length: number) =>
    internal(`${count} bytes at offset ${offset} are outside a string of ${length} bytes`),
  stringBoundary: (offset: number) =>
    internal(`offset ${offset} lies inside a character of the string`),
  stringUtf8: () => internal('the bytes are not valid UTF-8'),
  listIndex: (index: bigint, length: number) =>
    internal(`index ${index} is outside a list of ${length} elements`),
  arrayIndex: (index: bigint, count: number) =>
    internal(`index ${index} is outside an array of ${count} elements`),
  negativeLength: (length: bigint) => internal(`a length of ${length} bytes`),
  narrow: (value: bigint, elem: string) => internal(`${value} does not fit into ${elem}`),
  overflow: (operator: string) => internal(`i64 overflow in '${operator}'`),
  divisionByZero: (operator: string) => internal(`division by zero in '${operator}'`),
  stateType: (expected: string) =>
    internal(`the ref does not hold ${expected}: it was sealed as another type`),
  fuel: (limit: number) =>
    exhausted(
      `out of fuel: the call ran more than its ${limit} steps (deployment.capacity.fuel in model.json)`,
    ),
  depth: () => exhausted(`calls are nested deeper than ${CALL_DEPTH_MAX}`),
  sealDepth: () =>
    exhausted(`what is sealed has objects in objects, more than ${SEAL_DEPTH_MAX} deep`),
  arena: (asked: number, limit: number) =>
    exhausted(
      `out of memory: ${asked} bytes do not fit into the arena of ${limit} bytes a call ` +
        '(deployment.memory.arena_bytes in model.json)',
    ),
} as const;
