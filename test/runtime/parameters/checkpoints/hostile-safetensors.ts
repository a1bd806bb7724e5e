/** Safetensors files that mean harm or were damaged, and what must be said about each. */
import { bytesOf, safetensors, text, u64, zeros } from './byte-builder.js';

export interface HostileCase {
  readonly name: string;
  /** One checkpoint: its shards in order. */
  readonly files: readonly Uint8Array[];
  /** Which file is blamed; the first, without. */
  readonly blamed?: number;
  /** What follows the name of the file. */
  readonly says: RegExp;
}

const tensor = (rest: string): string => `{"dtype":"F32","shape":[2],${rest}}`;
const good = tensor('"data_offsets":[0,8]');

const one = (name: string, file: Uint8Array, says: RegExp): HostileCase => ({
  name,
  files: [file],
  says,
});
/** The header is `{"t": ROW}`; a payload of eight bytes. */
const row = (name: string, content: string, says: RegExp): HostileCase =>
  one(name, safetensors(`{"t":${content}}`, 8), says);
const shapeRow = (name: string, shape: string, says: RegExp): HostileCase =>
  row(name, `{"dtype":"F32","shape":${shape},"data_offsets":[0,8]}`, says);
const pair = (second: string, payload: number): Uint8Array =>
  safetensors(`{"a":${good},"b":{"dtype":"U8","shape":[4],"data_offsets":${second}}}`, payload);

const notUtf8 = bytesOf(u64(8), text('{"'), Uint8Array.of(0xff, 0xfe), text('":1}'));

const sizes: readonly HostileCase[] = [
  one(
    'nothing',
    zeros(0),
    /format: expected a GGUF or safetensors header, found a file of 0 bytes/,
  ),
  one('only a size', u64(2), /format: .*a file of 8 bytes/),
  one('text', text('not a checkpoint at all'), /format: .*found bytes 6e 6f 74/),
  one('size beyond the file', bytesOf(u64(99), text('{}')), /header size: .* 2, .*found 99/),
  one('size beyond the limit', bytesOf(u64(100_000_001), text('{}')), /at most 100000000, found/),
  one('size of 2^64 - 1', bytesOf(u64(-1), text('{}')), /header size: .*18446744073709551615/),
  one('size of nothing', bytesOf(u64(0), text('{}')), /header: expected "\{", found the end/),
  one('size one short', bytesOf(u64(1), text('{}')), /header: expected a string, found the end/),
];

const grammar: readonly HostileCase[] = [
  one('no UTF-8', notUtf8, /header: expected UTF-8 text/),
  one('no JSON', safetensors('{t:1}', 0), /header: expected a string, found "t:1}"/),
  one('cut JSON', safetensors(`{"t":${good}`, 8), /header: expected "}", found the end/),
  one('more behind it', safetensors(`{"t":${good}} {}`, 8), /the end of the header, found "{}"/),
  one('comma at the end', safetensors(`{"t":${good},}`, 8), /header: expected a string/),
  one('single quotes', safetensors(`{'t':${good}}`, 8), /header: expected a string/),
  one('string without end', safetensors('{"t', 0), /header: expected a string that ends/),
  one('control character', safetensors('{"t\n":1}', 0), /header: expected a string of well-formed/),
  one('bad escape', safetensors('{"\\x":1}', 0), /header: expected a string of well-formed/),
  one('half a character', safetensors('{"\\ud800":1}', 0), /header: .* well-formed text/),
  one('name twice', safetensors(`{"t":${good},"t":${good}}`, 8), /each key once, found "t" twice/),
  one('escaped name twice', safetensors(`{"t":${good},"\\u0074":${good}}`, 8), /"t" twice/),
  one('array for a tensor', safetensors('{"t":[]}', 0), /tensor "t": expected "{", found "\[\]}"/),
  one('null for a tensor', safetensors('{"t":null}', 0), /tensor "t": expected "{"/),
  one('deep nesting', safetensors(`{"t":${'['.repeat(50_000)}`, 0), /tensor "t": expected "{"/),
];

const metadata: readonly HostileCase[] = [
  one(
    'metadata of numbers',
    safetensors('{"__metadata__":{"a":1}}', 0),
    /_ "a": expected a string/,
  ),
  one('metadata in metadata', safetensors('{"__metadata__":{"a":{}}}', 0), /_ "a": expected a str/),
  one('metadata a list', safetensors('{"__metadata__":[]}', 0), /__metadata__: expected "{"/),
  one('key twice', safetensors('{"__metadata__":{"a":"","a":""}}', 0), /metadata__: .*"a" twice/),
  one(
    'metadata of 65,537 keys',
    safetensors(
      `{"__metadata__":{${Array.from({ length: 65_537 }, (_, at) => `"${at}":""`).join()}}}`,
      0,
    ),
    /__metadata__: expected at most 65536 keys, found more/,
  ),
  one(
    'metadata twice',
    safetensors('{"__metadata__":{},"__metadata__":{}}', 0),
    /"__metadata__" twice/,
  ),
];

const rows: readonly HostileCase[] = [
  row('unknown dtype', tensor('"data_offsets":[0,8]').replace('F32', 'F31'), /"t": .*"F31"/),
  row('block dtype', '{"dtype":"Q8_0","shape":[32],"data_offsets":[0,34]}', /"t": .*found "Q8_0"/),
  row('dtype a number', '{"dtype":1,"shape":[2],"data_offsets":[0,8]}', /"t": expected a string/),
  row('no dtype', '{"shape":[2],"data_offsets":[0,8]}', /"t": .*found no dtype/),
  row('no shape', '{"dtype":"F32","data_offsets":[0,8]}', /"t": .*found no shape/),
  row('no offsets', '{"dtype":"F32","shape":[2]}', /"t": .*found no data_offsets/),
  row('unknown key', tensor('"data_offsets":[0,8],"x":0'), /"t": .*data_offsets, found "x"/),
  row('shape twice', tensor('"shape":[2],"data_offsets":[0,8]'), /"t": .*"shape" twice/),
  row('one offset', tensor('"data_offsets":[8]'), /"t": expected two data_offsets, found 1/),
  row('three offsets', tensor('"data_offsets":[0,8,8]'), /"t": expected at most 2/),
  row('negative offset', tensor('"data_offsets":[-8,0]'), /"t": expected an integer from 0/),
  row('offsets backwards', tensor('"data_offsets":[8,0]'), /"t": expected 8 bytes.*found -8/),
  row('offset 2^53', tensor('"data_offsets":[0,9007199254740992]'), /"t": .*"9007199254740992/),
  shapeRow('range too short', '[3]', /"t": expected 12 bytes for F32 of shape \[3\], found 8/),
  shapeRow('range too long', '[1]', /"t": expected 4 bytes .*found 8 from data_offsets \[0, 8\]/),
  shapeRow('range for zero', '[0,2]', /"t": expected 0 bytes/),
  shapeRow('negative extent', '[-2]', /"t": expected an integer from 0 .*found "-2\]/),
  shapeRow('minus zero', '[-0]', /"t": expected an integer from 0 .*found "-0\]/),
  shapeRow('fractional extent', '[1.5]', /"t": expected an integer from 0 .*found "1.5\]/),
  shapeRow('extent with a point', '[2.0]', /"t": expected an integer from 0/),
  shapeRow('extent with an exponent', '[2e0]', /"t": expected an integer from 0/),
  shapeRow('leading zero', '[02]', /"t": expected "\]"/),
  shapeRow('extent a string', '["2"]', /"t": expected an integer from 0/),
  shapeRow('extents overflow', '[4294967296,4294967296]', /"t": .*bytes, found F32 of shape/),
  shapeRow('bytes overflow', '[9007199254740991]', /"t": expected at most 9007199254740991 bytes/),
  shapeRow('rank 33', `[${'1,'.repeat(32)}2]`, /"t": expected at most 32 in shape, found more/),
];

const ranges: readonly HostileCase[] = [
  one('cut payload', safetensors(`{"t":${good}}`, 7), /"t": .*found a file that ends at 69/),
  one('byte behind', safetensors(`{"t":${good}}`, 9), /after tensor "t": expected no unused bytes/),
  one('payload of none', safetensors('{}', 1), /after header: expected no unused bytes, found 1/),
  one('overlap', pair('[6,10]', 10), /tensor "b": .*inside tensor "a"/),
  one(
    'overlap of a byte',
    pair('[7,11]', 11),
    /tensor "b": .*bytes of its own .*, inside tensor "a"/,
  ),
  one('same range', pair('[0,4]', 8), /tensor "a": .*inside tensor "b"/),
  one('hole', pair('[9,13]', 13), /after tensor "a": .*found 1 bytes from/),
  row('hole at the start', '{"dtype":"F32","shape":[1],"data_offsets":[4,8]}', /after header: .*4/),
];

const shards: readonly HostileCase[] = [
  {
    name: 'name in two shards',
    files: [safetensors(`{"t":${good}}`, 8), safetensors(`{"t":${good}}`, 8)],
    blamed: 1,
    says: /tensor "t": expected each name once in all shards, found it in part-0 as well/,
  },
  {
    name: 'second shard cut',
    files: [safetensors(`{"t":${good}}`, 8), safetensors(`{"u":${good}}`, 4)],
    blamed: 1,
    says: /tensor "u": .*found a file that ends/,
  },
  {
    name: 'second shard of another format',
    files: [safetensors(`{"t":${good}}`, 8), text('GGUF and something')],
    blamed: 1,
    says: /format: expected safetensors, as part-0 has it, found gguf/,
  },
];

export const hostileSafetensors: readonly HostileCase[] = [
  ...sizes,
  ...grammar,
  ...metadata,
  ...rows,
  ...ranges,
  ...shards,
];
