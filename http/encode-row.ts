/**
 * One embedding as JSON text: a list of numbers, or a string of base64 over little-endian 32-bit
 * floats. A value that JSON cannot spell is an error of the model, not a `null` in its answer.
 */
import { endianness } from 'node:os';
import { StatusError } from '../runtime/base/errors.js';

export type RowFormat = 'float' | 'base64';

const isLittleEndian = endianness() === 'LE';

export function encodeRow(row: Float32Array, format: RowFormat): string {
  for (let index = 0; index < row.length; index += 1) {
    if (!Number.isFinite(row[index])) {
      throw new StatusError(
        'internal',
        `value ${index} of an embedding is ${row[index]}; only finite values can be sent`,
      );
    }
  }
  return format === 'float' ? `[${row.join(',')}]` : `"${base64(row)}"`;
}

function base64(row: Float32Array): string {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  // `swap32` works in place, and the row may be read again.
  return (isLittleEndian ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}
