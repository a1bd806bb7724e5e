/**
 * What the tokens of a sequence gave, as an answer spells it: numbers, or base64 over the bytes as
 * they are. What a number is says the package; `float` reads little-endian 32-bit floats.
 */
import { StatusError } from '../runtime/base/errors.js';
import type { RowFormat } from './encode-row.js';

const BYTES = 4;

export function capturedOutput(
  captured: Uint8Array,
  format: RowFormat,
): readonly number[] | string {
  const { buffer, byteOffset, length } = captured;
  if (format === 'base64') return Buffer.from(buffer, byteOffset, length).toString('base64');
  if (length % BYTES !== 0) {
    throw new StatusError(
      'invalidArgument',
      `encoding_format: an output of ${length} bytes is no list of 32-bit floats; ask for "base64"`,
      { param: 'encoding_format' },
    );
  }
  const view = new DataView(buffer, byteOffset, length);
  return Array.from({ length: length / BYTES }, (_, at) => finite(view, at));
}

/** JSON cannot spell others, and a `null` would hide an error of the model. */
function finite(view: DataView, at: number): number {
  const value = view.getFloat32(at * BYTES, true);
  if (Number.isFinite(value)) return value;
  throw new StatusError(
    'internal',
    `value ${at} of a sequence is ${value}; only finite values can be sent as numbers`,
  );
}
