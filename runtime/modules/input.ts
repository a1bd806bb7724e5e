/**
 * Module `input`: the request's records and the deployment's tokenizer, for `prepare_request` and
 * `prompt_ids`. Each call of the tokenizer starts afresh; buffers that are returned belong to the
 * program.
 */
import { StatusError } from '../base/errors.js';
import type { RequestPacket } from '../profiles/request-packet.js';
import type { Tokenizer } from '../tokenizer/tokenizer.js';
import { signatureTable } from './signature-table.js';
import type { ModuleFunctions } from './signature-table.js';

export const inputSignatures = signatureTable('input', [
  'bytes(i64) -> buffer',
  'count() -> i64',
  'decode(buffer, i64, i64) -> (buffer, i64)',
  'encode(string, i64, i64) -> (buffer, i64)',
  'kind(i64) -> i64',
  'number(i64) -> f64',
  'text(i64) -> string',
]);

export interface InputHost {
  /** The request of the call in progress; null when the entry has none. */
  readonly packet: () => RequestPacket | null;
  /** Null when the package declared no tokenizer. */
  readonly tokenizer: Tokenizer | null;
}

export function inputFunctions(host: InputHost): ModuleFunctions {
  const packet = (): RequestPacket => {
    const current = host.packet();
    if (current !== null) return current;
    throw new StatusError(
      'failedPrecondition',
      'the input records are there in prepare_request and prompt_ids only',
    );
  };
  const tokenizer = (): Tokenizer => {
    if (host.tokenizer !== null) return host.tokenizer;
    throw new StatusError(
      'failedPrecondition',
      "the package has no tokenizer: 'prepare' returned no tokenizer asset",
    );
  };
  return {
    count: () => [BigInt(packet().count)],
    kind: (index: bigint) => [BigInt(packet().kind(Number(index)))],
    text: (index: bigint) => [packet().text(Number(index))],
    bytes: (index: bigint) => [packet().bytes(Number(index))],
    number: (index: bigint) => [packet().number(Number(index))],
    encode(text: string, flags: bigint, capacity: bigint) {
      const { ids, count } = tokenizer().encode(text, Number(flags), Number(capacity));
      return [littleEndian(ids), BigInt(count)];
    },
    decode(ids: Uint8Array, flags: bigint, capacity: bigint) {
      const decoded = tokenizer().decode(fromLittleEndian(ids), Number(flags), Number(capacity));
      return [decoded.bytes, BigInt(decoded.length)];
    },
  };
}

function littleEndian(ids: Int32Array): Uint8Array {
  const bytes = new Uint8Array(ids.length * 4);
  const view = new DataView(bytes.buffer);
  ids.forEach((id, index) => view.setInt32(index * 4, id, true));
  return bytes;
}

function fromLittleEndian(bytes: Uint8Array): Int32Array {
  if (bytes.length % 4 !== 0) {
    throw new StatusError('internal', `input.decode was given ${bytes.length} bytes; ids are i32`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int32Array.from({ length: bytes.length / 4 }, (_, index) =>
    view.getInt32(index * 4, true),
  );
}
