/** GGUF files that mean harm or were damaged, and what must be said about each. */
import { bytesOf, counted, padded, text, u16, u32, u64, u8, zeros } from './byte-builder.js';
import type { Part } from './byte-builder.js';
import type { HostileCase } from './hostile-safetensors.js';

const magic = text('GGUF');

interface Content {
  readonly version?: number;
  readonly tensorCount?: number | bigint;
  readonly keyCount?: number | bigint;
  readonly keys?: readonly Part[];
  readonly rows?: readonly Part[];
  readonly payload?: number;
}

/** A file whose counts are those of its parts, unless stated otherwise. */
function gguf(content: Content): Uint8Array {
  const { keys = [], rows = [] } = content;
  const header = bytesOf(
    magic,
    u32(content.version ?? 3),
    u64(content.tensorCount ?? rows.length),
    u64(content.keyCount ?? keys.length),
    keys,
    rows,
  );
  return bytesOf(padded(header, 32), zeros(content.payload ?? 0));
}

interface Row {
  readonly name?: string;
  readonly extents?: readonly (number | bigint)[];
  readonly type?: number;
  readonly offset?: number | bigint;
}

/** A row of an F32 vector of eight elements, unless stated otherwise. Innermost extent first. */
const row = ({ name = 't', extents = [8], type = 0, offset = 0 }: Row): Part => [
  counted(name),
  u32(extents.length),
  extents.map((extent) => u64(extent)),
  u32(type),
  u64(offset),
];
const key = (name: string, type: number, ...value: readonly Part[]): Part => [
  counted(name),
  u32(type),
  value,
];

const of = (name: string, content: Content, says: RegExp): HostileCase => ({
  name,
  files: [gguf(content)],
  says,
});
const withKey = (name: string, part: Part, says: RegExp): HostileCase =>
  of(name, { keys: [part] }, says);
const withRow = (name: string, content: Row, says: RegExp): HostileCase =>
  of(name, { rows: [row(content)], payload: 32 }, says);
const raw = (name: string, file: Uint8Array, says: RegExp): HostileCase => ({
  name,
  files: [file],
  says,
});

const starts: readonly HostileCase[] = [
  raw('magic alone', magic, /header: expected bytes 4 to 8, found a file that ends at 4/),
  raw('cut counts', bytesOf(magic, u32(3), u64(0)), /header: expected bytes 16 to 24/),
  raw('version 1', bytesOf(magic, u32(1), u64(0), u64(0)), /version 2 or 3.*found 1/),
  raw('version 4', bytesOf(magic, u32(4), u64(0), u64(0)), /version 2 or 3.*found 4/),
  raw('big-endian', bytesOf(magic, u32(0x03000000), zeros(16)), /header: .*a big-endian file/),
  of('tensors: 2^63', { tensorCount: 2n ** 63n }, /at most 500000 tensors, found 9223/),
  of('tensors beyond the file', { tensorCount: 1000 }, /tensors inside the file, found 1000 in/),
  of('keys: 2^32', { keyCount: 2n ** 32n }, /at most 65536 metadata keys, found 4294967296/),
  of('keys beyond the file', { keyCount: 9 }, /metadata keys inside the file, found 9 in/),
];

const keys: readonly HostileCase[] = [
  withKey('key beyond the file', [u64(60_000), zeros(20)], /metadata key 0: .*ends at 64/),
  withKey('key of 64 KiB', [u64(65_536), zeros(20)], /metadata key 0: expected at most 65535/),
  withKey('key not UTF-8', [u64(1), u8(0xff), u32(0), u8(0)], /metadata key 0: expected UTF-8/),
  withKey(
    'value type 13',
    key('k', 13, zeros(8)),
    /metadata "k": expected a value type .*found 13/,
  ),
  withKey('bool of 2', key('k', 7, u8(2)), /metadata "k": expected a bool of 0 or 1, found 2/),
  withKey(
    'string beyond the file',
    key('k', 8, u64(999)),
    /metadata "k": .*found a file that ends/,
  ),
  withKey('string of 2^64 - 1', key('k', 8, u64(-1)), /metadata "k": expected at most 16777216/),
  withKey('string not UTF-8', key('k', 8, u64(2), u16(0xaffe)), /metadata "k": expected UTF-8/),
  withKey('array beyond the file', key('k', 9, u32(0), u64(5000)), /"k": .*found 5000 elements in/),
  withKey('array of 2^40', key('k', 9, u32(4), u64(2n ** 40n)), /"k": expected at most 2097152/),
  withKey('array of type 99', key('k', 9, u32(99), u64(1)), /"k": .*value type .*found 99/),
  withKey(
    'cut array',
    key('k', 9, u32(10), u64(8), zeros(8)),
    /"k": .*found a file that ends at 64/,
  ),
  withKey(
    'five arrays deep',
    key('k', 9, ...Array.from({ length: 5 }, () => [u32(9), u64(1)])),
    /"k": expected arrays nested at most 4 deep/,
  ),
  of(
    'arrays of too much together',
    { keys: ['k', 'l'].map((name) => key(name, 9, u32(0), u64(1_100_000), zeros(1_100_000))) },
    /"l": expected at most 2097152 elements in all arrays, found 1100000 where 997152 are left/,
  ),
  of(
    'key twice',
    { keys: [key('k', 0, u8(1)), key('k', 0, u8(1))] },
    /"k": expected each key once/,
  ),
  ...[0, 4, 48, 2 ** 31].map((value) =>
    withKey(`alignment ${value}`, key('general.alignment', 4, u32(value)), /a power of two from 8/),
  ),
  withKey('alignment a text', key('general.alignment', 8, counted('32')), /alignment": .*"32"/),
];

const rows: readonly HostileCase[] = [
  withRow('five dimensions', { extents: [1, 1, 1, 1, 8] }, /"t": expected at most 4 dimensions/),
  withRow(
    'extent 2^63',
    { extents: [2n ** 63n] },
    /"t": expected at most 9007199254740991 elements/,
  ),
  withRow('extents overflow', { extents: [2 ** 32, 2 ** 32] }, /"t": .*found F32 of shape/),
  withRow(
    'extents overflow, bytes do not',
    { type: 2, extents: [2 ** 32, 2 ** 21] },
    /"t": expected at most 9007199254740991 bytes, found Q4_0 of shape \[2097152, 4294967296\]/,
  ),
  withRow('type 4, which is gone', { type: 4 }, /"t": expected a type of .*found type 4/),
  withRow('type Q2_K', { type: 10, extents: [256] }, /"t": .*found Q2_K \(type 10\)/),
  withRow('half a block', { type: 8, extents: [16] }, /"t": .*multiple of 32 .*found rows of 16/),
  withRow('blocks over rows', { type: 12, extents: [64, 4] }, /"t": .*of 256 .*rows of 64/),
  withRow('scalar of blocks', { type: 8, extents: [] }, /"t": .*rows of 1/),
  withRow('odd offset', { offset: 4 }, /"t": expected an offset that is a multiple of 32, found 4/),
  withRow('offset beyond the file', { offset: 64 }, /"t": expected bytes .*found a file that ends/),
  withRow('offset 2^64 - 32', { offset: 2n ** 64n - 32n }, /"t": expected at most .*before it/),
  withRow('cut payload', { extents: [9] }, /"t": .*found a file that ends at 96/),
  withRow('bytes behind', { name: 'u', extents: [0] }, /after tensor "u": .*fewer than 32/),
  of('name twice', { rows: [row({}), row({})], payload: 64 }, /"t": expected each name once/),
  of('overlap', { rows: [row({}), row({ name: 'u' })], payload: 32 }, /"u": .*inside tensor "t"/),
  of(
    'hole',
    { rows: [row({}), row({ name: 'u', offset: 64 })], payload: 96 },
    /after tensor "t": expected fewer than 32 bytes of padding, found 32/,
  ),
  of('hole at the start', { rows: [row({ offset: 32 })], payload: 64 }, /after header: .*found 32/),
  of('payload of none', { payload: 64 }, /after header: .*belong to no tensor/),
  of('rows cut', { tensorCount: 2, rows: [row({})] }, /tensor 1: expected bytes 57 to 65/),
];

const split = (name: string, value: number): Part => key(name, 2, u16(value));
const piece = (no: number, count: number, total: number): Uint8Array =>
  gguf({
    keys: [
      split('split.no', no),
      split('split.count', count),
      key('split.tensors.count', 5, u32(total)),
    ],
    rows: [row({ name: `t${no}` })],
    payload: 32,
  });

const pieces: readonly HostileCase[] = [
  {
    name: 'a piece is missing',
    files: [piece(0, 2, 2)],
    says: /split.count": expected 2, .*found 1/,
  },
  { name: 'exchanged', files: [piece(1, 2, 2), piece(0, 2, 2)], says: /split.no": expected 1,/ },
  {
    name: 'of another',
    files: [piece(0, 2, 3), piece(1, 2, 3)],
    says: /tensors.count": expected 3/,
  },
  {
    name: 'one of another format',
    files: [piece(0, 2, 2), bytesOf(u64(2), text('{}'))],
    blamed: 1,
    says: /format: expected gguf, as part-0 has it, found safetensors/,
  },
];

export const hostileGguf: readonly HostileCase[] = [...starts, ...keys, ...rows, ...pieces];

/** The same parts without harm, so that the corpus is known to fail for its own reasons. */
export const harmlessGguf: readonly Uint8Array[] = [
  gguf({}),
  gguf({ keys: [key('k', 0, u8(1))], rows: [row({})], payload: 32 }),
  gguf({ version: 2, rows: [row({}), row({ name: 'u', offset: 32 })], payload: 64 }),
];
