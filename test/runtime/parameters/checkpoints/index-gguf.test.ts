/** The index of GGUF checkpoints: by hand, byte for byte, and round trips. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../../properties.js';
import { writeGguf } from '../../../../runtime/parameters/checkpoints/gguf-writer.js';
import { indexCheckpoint } from '../../../../runtime/parameters/checkpoints/index-checkpoint.js';
import { MemoryParameterFile } from '../../../../runtime/parameters/checkpoints/parameter-file.js';
import {
  bytesOf,
  counted,
  f32,
  f64,
  padded,
  text,
  u16,
  u32,
  u64,
  u8,
  zeros,
} from './byte-builder.js';

const index = (...files: readonly Uint8Array[]) =>
  indexCheckpoint(files.map((bytes, shard) => new MemoryParameterFile(`part-${shard}`, bytes)));

/** Every value type; three tensors: 2 × 32 of Q8_0, a scalar, and none of 0 × 5. */
const keysByHand = bytesOf(
  [counted('general.alignment'), u32(4), u32(64)],
  [counted('u8'), u32(0), u8(255)],
  [counted('i8'), u32(1), u8(-1)],
  [counted('u16'), u32(2), u16(65535)],
  [counted('i16'), u32(3), u16(-2)],
  [counted('i32'), u32(5), u32(-3)],
  [counted('f32'), u32(6), f32(0.1)],
  [counted('bool'), u32(7), u8(1)],
  [counted('string'), u32(8), counted('zwölf')],
  [counted('list'), u32(9), u32(8), u64(2), counted('a'), counted('')],
  [counted('lists'), u32(9), u32(9), u64(2), u32(5), u64(1), u32(7), u32(7), u64(0)],
  [counted('u64'), u32(10), u64(2n ** 53n)],
  [counted('i64'), u32(11), u64(-(2n ** 53n) + 1n)],
  [counted('f64'), u32(12), f64(0.1)],
);
const rowsByHand = bytesOf(
  [counted('q'), u32(2), u64(32), u64(2), u32(8), u64(0)],
  [counted('scalar'), u32(0), u32(28), u64(128)],
  [counted('none'), u32(2), u64(5), u64(0), u32(0), u64(192)],
);
const start = bytesOf(text('GGUF'), u32(3), u64(3), u64(14));
const header = padded(bytesOf(start, keysByHand, rowsByHand), 64);

test('a file by hand: every type of value, extents turned round, alignment of its own', () => {
  const { format, tensors, metadata } = index(bytesOf(header, zeros(192)));
  assert.is(format, 'gguf');
  assert.equal(Object.fromEntries(metadata), {
    'general.alignment': 64,
    u8: 255,
    i8: -1,
    u16: 65535,
    i16: -2,
    i32: -3,
    f32: Math.fround(0.1),
    bool: true,
    string: 'zwölf',
    list: ['a', ''],
    lists: [[7], []],
    u64: 2n ** 53n,
    i64: -(2 ** 53) + 1,
    f64: 0.1,
  });
  assert.equal(
    [...tensors.values()],
    [
      { name: 'q', type: 'Q8_0', shape: [2, 32], shard: 0, offset: header.length, bytes: 68 },
      { name: 'scalar', type: 'F64', shape: [], shard: 0, offset: header.length + 128, bytes: 8 },
      { name: 'none', type: 'F32', shape: [0, 5], shard: 0, offset: header.length + 192, bytes: 0 },
    ],
  );
});

test('padding may be missing at the end, and only there', () => {
  const row = bytesOf(counted('t'), u32(1), u64(3), u32(24), u64(0));
  const file = padded(bytesOf(text('GGUF'), u32(2), u64(1), u64(0), row), 32);
  for (const tail of [3, 4, 32, 34]) {
    assert.is(index(bytesOf(file, zeros(tail))).tensors.get('t')?.bytes, 3);
  }
  assert.throws(() => index(bytesOf(file, zeros(2))), /"t": expected bytes 64 to 67/);
  assert.throws(() => index(bytesOf(file, zeros(35))), /after tensor "t": expected fewer than 32/);
  const empty = bytesOf(text('GGUF'), u32(3), u64(0), u64(0));
  assert.is(index(empty).tensors.size, 0);
});

test('pieces that belong together, and files that do not say', () => {
  const tensor = (name: string) =>
    ({ name, type: 'I8', shape: [1], bytes: Uint8Array.of(1) }) as const;
  const piece = (no: number) =>
    writeGguf([tensor(`t${no}`)], {
      'split.no': { type: 'u16', value: no },
      'split.count': { type: 'u16', value: 2 },
      'split.tensors.count': { type: 'i32', value: 2 },
    });
  assert.equal([...index(piece(0), piece(1)).tensors.keys()], ['t0', 't1']);
  const plain = index(writeGguf([tensor('a')]), writeGguf([tensor('b')]));
  assert.equal(
    [...plain.tensors.values()].map(({ shard }) => shard),
    [0, 1],
  );
  const again = [writeGguf([tensor('a')]), writeGguf([tensor('a')])];
  assert.throws(() => index(...again), /part-1: tensor "a": .* it in part-0 as well/);
});

test('a long header is read through its window', () => {
  const words = Array.from({ length: 60_000 }, (_, at) => {
    return { type: 'string', value: `word ${at}` } as const;
  });
  const large = 'x'.repeat(700_000);
  const { metadata } = index(
    writeGguf([], {
      words: { type: 'array', of: 'string', values: words },
      large: { type: 'string', value: large },
      after: { type: 'u8', value: 7 },
    }),
  );
  assert.equal(
    metadata.get('words'),
    words.map((word) => word.value),
  );
  assert.is(metadata.get('large'), large);
  assert.is(metadata.get('after'), 7);
});

/** Names, blocks and bytes of a few types, from the published tables and not from ours. */
const types = [
  { type: 'F32', elements: 1, bytes: 4 },
  { type: 'BF16', elements: 1, bytes: 2 },
  { type: 'I8', elements: 1, bytes: 1 },
  { type: 'Q4_0', elements: 32, bytes: 18 },
  { type: 'Q5_1', elements: 32, bytes: 24 },
  { type: 'Q4_K', elements: 256, bytes: 144 },
  { type: 'Q5_K', elements: 256, bytes: 176 },
  { type: 'Q6_K', elements: 256, bytes: 210 },
] as const;
const rows = fc.uniqueArray(
  fc.record({
    name: fc.string({ unit: 'grapheme', maxLength: 12 }),
    kind: fc.constantFrom(...types),
    shape: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
    seed: fc.nat(255),
  }),
  { maxLength: 6, selector: ({ name }) => name },
);

test('what is written is found again, with its bytes', () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(8, 32, 256), fc.string(), (given, alignment, note) => {
      const tensors = given.map(({ name, kind, shape, seed }) => {
        const blocks = shape.reduce((product, extent) => product * extent, 1);
        return {
          name,
          type: kind.type,
          shape: [...shape.slice(0, -1), shape.at(-1)! * kind.elements],
          bytes: new Uint8Array(blocks * kind.bytes).fill(seed),
        };
      });
      const file = writeGguf(tensors, {
        'general.alignment': { type: 'u32', value: alignment },
        note: { type: 'string', value: note },
      });
      const found = index(file);
      assert.is(found.metadata.get('note'), note);
      assert.equal(
        [...found.tensors.keys()],
        tensors.map(({ name }) => name),
      );
      for (const { name, type, shape, bytes } of tensors) {
        const entry = found.tensors.get(name)!;
        assert.equal([entry.type, entry.shape], [type, shape]);
        assert.is(entry.offset % alignment, 0);
        assert.equal(file.slice(entry.offset, entry.offset + entry.bytes), bytes);
      }
    }),
    { numRuns: 150 },
  );
});

test('what no reader would take is refused by tensor', () => {
  const one = { name: 'a', type: 'I8', shape: [1], bytes: Uint8Array.of(1) } as const;
  assert.throws(() => writeGguf([{ ...one, shape: [2] }]), /"a" cannot be written: I8/);
  assert.throws(() => writeGguf([{ ...one, type: 'BOOL' }]), /"a" cannot be written: BOOL/);
  assert.throws(() => writeGguf([{ ...one, shape: [1, 1, 1, 1, 1] }]), /"a" cannot be written/);
});

test.run();
