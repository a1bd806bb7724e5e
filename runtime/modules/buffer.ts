/** Module `buffer`: what host bytes need beyond the language itself. Pure. */
import { StatusError } from '../base/errors.js';
import { signatureTable } from './signature-table.js';
import type { ModuleFunctions } from './signature-table.js';

export const bufferSignatures = signatureTable('buffer', [
  'compare(buffer, buffer) -> i64',
  'from_string(string) -> buffer',
  'to_string(buffer) -> string',
]);

export const bufferFunctions: ModuleFunctions = {
  /** -1, 0 or 1 by the first byte that differs, then by length. */
  compare: (left: Uint8Array, right: Uint8Array) => [BigInt(Buffer.compare(left, right))],
  from_string: (text: string) => [new TextEncoder().encode(text)],
  to_string: (bytes: Uint8Array) => [decodeUtf8(bytes)],
};

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StatusError(
      'invalidArgument',
      `buffer.to_string was given ${bytes.length} bytes that are not UTF-8`,
    );
  }
}
