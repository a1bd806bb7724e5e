/**
 * The input of one request as a program sees it: indexed records in one buffer, made by the server
 * from the HTTP request and read through the `input` capabilities or directly.
 *
 *   i64 count, then count × { i64 kind, i64 offset, i64 length }, then the payloads; offsets are in
 *   bytes from the start of the packet and multiples of 8; lengths are exact.
 *
 * A payload is text (UTF-8), tokens (i32), a number (f64) or a chat (JSON). Which record holds
 * what is in the file of the profile.
 */
import { assert, StatusError } from '../base/errors.js';
import { tableBytes } from './record-table.js';

const utf8 = new TextEncoder();
const utf8Text = new TextDecoder('utf-8', { ignoreBOM: true });

export const recordKind = { text: 1, tokens: 2, number: 3, chat: 4 } as const;
export type RecordKind = (typeof recordKind)[keyof typeof recordKind];

export type PacketRecord =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'chat'; readonly json: string };

/** One member as its program sees it, and what the server holds its row to. */
export interface Frame {
  readonly records: readonly PacketRecord[];
  /** f32 values that its row must have; null: as many as the package gives. */
  readonly values: number | null;
}

export function encodePacket(records: readonly PacketRecord[]): Uint8Array {
  const payloads = records.map(payloadOf);
  const words: number[] = [records.length];
  let end = 8 + records.length * 24;
  const offsets = payloads.map((payload, index) => {
    const offset = end;
    words.push(recordKind[records[index]!.kind], offset, payload.length);
    end = Math.ceil((offset + payload.length) / 8) * 8;
    return offset;
  });
  const packet = new Uint8Array(end);
  packet.set(tableBytes(words));
  payloads.forEach((payload, index) => packet.set(payload, offsets[index]));
  return packet;
}

/** Bytes that the payload of a record has in a packet. */
export function payloadBytes(record: PacketRecord): number {
  if (record.kind === 'text') return Buffer.byteLength(record.text);
  if (record.kind === 'chat') return Buffer.byteLength(record.json);
  return record.kind === 'number' ? 8 : record.tokens.length * 4;
}

function payloadOf(record: PacketRecord): Uint8Array {
  if (record.kind === 'text') return utf8.encode(record.text);
  if (record.kind === 'chat') return utf8.encode(record.json);
  if (record.kind === 'number') {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, record.number, true);
    return bytes;
  }
  const bytes = new Uint8Array(record.tokens.length * 4);
  const view = new DataView(bytes.buffer);
  record.tokens.forEach((token, index) => {
    if (!Number.isInteger(token) || token < 0 || token > 0x7fffffff) {
      throw new StatusError(
        'invalidArgument',
        `token ${index} of the input is ${token}; token ids are integers from 0 to 2147483647`,
        { param: 'input' },
      );
    }
    view.setInt32(index * 4, token, true);
  });
  return bytes;
}

/** Read access to a packet; the packet is our own, so a broken one is a bug. */
export class RequestPacket {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    assert(bytes.length >= 8 + this.count * 24, 'a request packet with its whole table');
  }

  get count(): number {
    return Number(this.#view.getBigInt64(0, true));
  }

  kind(index: number): RecordKind {
    return this.#word(index, 0) as RecordKind;
  }

  bytes(index: number): Uint8Array {
    const offset = this.#word(index, 1);
    return this.#bytes.subarray(offset, offset + this.#word(index, 2));
  }

  /** Of a chat: its JSON. */
  text(index: number): string {
    if (this.kind(index) !== recordKind.chat) this.#expect(index, recordKind.text);
    return utf8Text.decode(this.bytes(index));
  }

  number(index: number): number {
    this.#expect(index, recordKind.number);
    return this.#view.getFloat64(this.#word(index, 1), true);
  }

  /** Programs choose indices and kinds, so these two are errors of operations. */
  #expect(index: number, kind: RecordKind): void {
    const actual = this.kind(index);
    if (actual === kind) return;
    throw new StatusError(
      'invalidArgument',
      `record ${index} of the input is ${kindName(actual)}, and this model reads ${kindName(kind)}`,
      { param: 'input' },
    );
  }

  #word(index: number, field: number): number {
    if (!Number.isInteger(index) || index < 0 || index >= this.count) {
      throw new StatusError(
        'internal',
        `the program asked for record ${index} of the input, which has ${this.count}`,
      );
    }
    return Number(this.#view.getBigInt64(8 + index * 24 + field * 8, true));
  }
}

function kindName(kind: RecordKind): string {
  if (kind === recordKind.text) return 'text';
  if (kind === recordKind.chat) return 'a chat';
  return kind === recordKind.tokens ? 'an array of token ids' : 'a number';
}
