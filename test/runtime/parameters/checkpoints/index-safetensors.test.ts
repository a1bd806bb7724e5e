/** The index of safetensors checkpoints: by hand, against JSON.parse, and round trips. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../../properties.js';
import { indexCheckpoint } from '../../../../runtime/parameters/checkpoints/index-checkpoint.js';
import { MemoryParameterFile } from '../../../../runtime/parameters/checkpoints/parameter-file.js';
import { writeSafetensors } from '../../../../runtime/parameters/checkpoints/safetensors-writer.js';
import { plainTypes } from '../../../../runtime/parameters/checkpoints/tensor-type.js';
import { safetensors } from './byte-builder.js';

const index = (...files: readonly Uint8Array[]) =>
  indexCheckpoint(files.map((bytes, shard) => new MemoryParameterFile(`part-${shard}`, bytes)));

test('a file by hand: white space, escapes, scalars, nothing, any order of rows', () => {
  const header = ` {
    "__metadata__" : { "format" : "pt", "\\u00e9" : "" },
    "b.\\"c\\"" : { "data_offsets" : [ 4, 10 ], "shape" : [ 3 ], "dtype" : "F16" },
    "scalar":{"dtype":"F32","shape":[],"data_offsets":[0,4]},
    "__proto__":{"dtype":"F64","shape":[9007199254740991,9,0],"data_offsets":[10,10]},
    "":{"dtype":"BOOL","shape":[1,1],"data_offsets":[10,11]}
  }   `.trimStart();
  const { format, shards, tensors, metadata } = index(safetensors(header, 11));
  const begin = 8 + new TextEncoder().encode(header).length;
  assert.is(format, 'safetensors');
  assert.equal(shards, [{ name: 'part-0', bytes: begin + 11 }]);
  assert.equal(Object.fromEntries(metadata), { format: 'pt', é: '' });
  const rows = [...tensors.values()].map((row) => ({ ...row, offset: row.offset - begin }));
  assert.equal(rows, [
    { name: 'b."c"', type: 'F16', shape: [3], shard: 0, offset: 4, bytes: 6 },
    { name: 'scalar', type: 'F32', shape: [], shard: 0, offset: 0, bytes: 4 },
    {
      name: '__proto__',
      type: 'F64',
      shape: [9007199254740991, 9, 0],
      shard: 0,
      offset: 10,
      bytes: 0,
    },
    { name: '', type: 'BOOL', shape: [1, 1], shard: 0, offset: 10, bytes: 1 },
  ]);
  assert.equal([...tensors.keys()], ['b."c"', 'scalar', '__proto__', '']);
});

test('shards make one index; the first to state a key of metadata is heard', () => {
  const tensor = (name: string) =>
    ({ name, type: 'I8', shape: [1], bytes: Uint8Array.of(1) }) as const;
  const { tensors, metadata, shards } = index(
    writeSafetensors([tensor('a')], { who: 'first', one: '1' }),
    writeSafetensors([], {}),
    writeSafetensors([tensor('b'), tensor('c')], { who: 'third', three: '3' }),
  );
  assert.equal(
    [...tensors.values()].map(({ name, shard }) => [name, shard]),
    [
      ['a', 0],
      ['b', 2],
      ['c', 2],
    ],
  );
  assert.equal(Object.fromEntries(metadata), { who: 'first', one: '1', three: '3' });
  assert.is(shards.length, 3);
});

test('an index may cross threads', () => {
  const bytes = writeSafetensors([{ name: 'a', type: 'I8', shape: [0], bytes: new Uint8Array(0) }]);
  const made = index(bytes);
  assert.equal(structuredClone(made), made);
});

const names = fc.uniqueArray(
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((name) => name !== '__metadata__'),
  { maxLength: 8 },
);
const tensorRows = names.chain((unique) =>
  fc.tuple(
    ...unique.map((name) =>
      fc.record({
        name: fc.constant(name),
        type: fc.constantFrom(...plainTypes),
        shape: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
        seed: fc.nat(255),
      }),
    ),
  ),
);
const widths: Readonly<Record<string, number>> = { '64': 8, '32': 4, '16': 2 };
const widthOf = (type: string): number => widths[/(64|32|16)$/.exec(type)?.[0] ?? ''] ?? 1;

test('what is written is found again, as JSON.parse sees it, with its bytes', () => {
  const texts = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(tensorRows, texts, (rows, metadata) => {
      const tensors = rows.map(({ seed, ...row }) => {
        const elements = row.shape.reduce((product, extent) => product * extent, 1);
        return { ...row, bytes: new Uint8Array(elements * widthOf(row.type)).fill(seed) };
      });
      const file = writeSafetensors(tensors, metadata);
      const size = Number(new DataView(file.buffer).getBigUint64(0, true));
      const said = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size))) as object;
      const found = index(file);
      assert.equal(
        [...found.tensors.keys()].sort(),
        Object.keys(said)
          .filter((name) => name !== '__metadata__')
          .sort(),
      );
      assert.equal([...found.metadata].sort(), Object.entries(metadata).sort());
      for (const { name, type, shape, bytes } of tensors) {
        const entry = found.tensors.get(name)!;
        assert.equal([entry.type, entry.shape], [type, shape]);
        assert.equal(file.slice(entry.offset, entry.offset + entry.bytes), bytes);
        assert.is((entry.offset - size) % widthOf(type), 0, 'aligned for its elements');
      }
    }),
    { numRuns: 200 },
  );
});

test('a name in every spelling that JSON has is the same name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 6 }), (name) => {
      fc.pre(name !== '__metadata__');
      const units = Array.from({ length: name.length }, (_, at) => name.charCodeAt(at));
      const escaped = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
      for (const spelled of [`"${escaped}"`, JSON.stringify(name)]) {
        const header = `{${spelled}:{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}`;
        assert.equal([...index(safetensors(header, 0)).tensors.keys()], [name]);
      }
    }),
    { numRuns: 200 },
  );
});

test.run();
