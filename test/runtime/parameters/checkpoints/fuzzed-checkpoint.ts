/**
 * Good checkpoints of both formats, damaged at random: bits and bytes changed, words set to telling
 * values, ends cut, pieces lost and doubled. Most damage goes into the header, where it hurts.
 */
import { writeGguf } from '../../../../runtime/parameters/checkpoints/gguf-writer.js';
import { writeSafetensors } from '../../../../runtime/parameters/checkpoints/safetensors-writer.js';
import type { Random } from '../../../generators/random.js';

const tensors = [
  { name: 'a', type: 'F32', shape: [2, 3], bytes: new Uint8Array(24) },
  { name: 'layer.0.b', type: 'I8', shape: [5], bytes: new Uint8Array(5) },
  { name: 'c', type: 'F16', shape: [], bytes: new Uint8Array(2) },
  { name: 'none', type: 'I64', shape: [0, 7], bytes: new Uint8Array(0) },
] as const;

const good: readonly Uint8Array[] = [
  writeSafetensors(tensors, { format: 'pt', '"\\': 'é\n' }),
  writeSafetensors([]),
  writeGguf([...tensors, { name: 'q', type: 'Q4_K', shape: [256], bytes: new Uint8Array(144) }], {
    'general.alignment': { type: 'u32', value: 16 },
    name: { type: 'string', value: 'some' },
    list: { type: 'array', of: 'u64', values: [{ type: 'u64', value: 2n ** 63n }] },
    lists: {
      type: 'array',
      of: 'array',
      values: [{ type: 'array', of: 'bool', values: [{ type: 'bool', value: true }] }],
    },
  }),
];

const tellingWords = [
  0n,
  1n,
  0xffn,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const tellingTexts = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '-1',
  '1e9',
  '\\u',
  '"a":',
  '9999999',
];

const damages: readonly ((random: Random, bytes: Uint8Array) => Uint8Array)[] = [
  (random, bytes) => {
    bytes[place(random, bytes)]! ^= 1 << random.below(8);
    return bytes;
  },
  (random, bytes) => {
    bytes[place(random, bytes)] = random.below(256);
    return bytes;
  },
  (random, bytes) => {
    const at = place(random, bytes);
    if (at + 8 <= bytes.length) {
      new DataView(bytes.buffer).setBigUint64(at, random.of(tellingWords), true);
    }
    return bytes;
  },
  (random, bytes) => {
    bytes.set(new TextEncoder().encode(random.of(tellingTexts)).slice(0, 1), place(random, bytes));
    return bytes;
  },
  (random, bytes) => bytes.slice(0, random.below(bytes.length + 1)),
  (random, bytes) => {
    const at = place(random, bytes);
    const skipped = at + random.below(9);
    return joined(bytes.subarray(0, at), bytes.subarray(skipped));
  },
  (random, bytes) => {
    const at = place(random, bytes);
    const piece = bytes.subarray(at, at + 1 + random.below(40));
    return joined(bytes.subarray(0, at), piece, bytes.subarray(at));
  },
  (random, bytes) => {
    const at = place(random, bytes);
    const text = new TextEncoder().encode(random.of(tellingTexts));
    return joined(bytes.subarray(0, at), text, bytes.subarray(at));
  },
];

const place = (random: Random, bytes: Uint8Array): number =>
  random.below(Math.max(1, random.chance(2) ? Math.min(40, bytes.length) : bytes.length));

const joined = (...pieces: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(Buffer.concat(pieces));

/** One damaged file. The size of a safetensors header is often put right again. */
export function fuzzedCheckpoint(random: Random): Uint8Array {
  const original = random.of(good);
  let bytes: Uint8Array = original.slice();
  for (let count = 1 + random.below(3); count > 0 && bytes.length > 0; count -= 1) {
    bytes = random.of(damages)(random, bytes);
  }
  const grown = bytes.length - original.length;
  const isText = original[8] === '{'.charCodeAt(0);
  if (isText && grown !== 0 && bytes.length >= 8 && random.chance(2)) {
    const size = new DataView(original.buffer).getBigUint64(0, true) + BigInt(grown);
    new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, size), true);
  }
  return bytes;
}
