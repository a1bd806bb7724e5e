import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { weightsFunctions } from '../../../runtime/modules/weights.js';
import { indexCheckpoint } from '../../../runtime/parameters/checkpoints/index-checkpoint.js';
import { writeGguf } from '../../../runtime/parameters/checkpoints/gguf-writer.js';
import { MemoryParameterFile } from '../../../runtime/parameters/checkpoints/parameter-file.js';

const file = writeGguf(
  ['b.weight', 'a.weight', 'c'].map((name) => {
    return {
      name,
      type: 'F32',
      shape: name === 'c' ? [] : [2, 3],
      bytes: new Uint8Array(name === 'c' ? 4 : 24),
    };
  }),
  {
    layers: { type: 'u32', value: 7 },
    huge: { type: 'u64', value: 2n ** 63n },
    big: { type: 'i64', value: -(2n ** 62n) },
    epsilon: { type: 'f64', value: 0.5 },
    name: { type: 'string', value: 'n' },
    flags: { type: 'array', of: 'bool', values: [{ type: 'bool', value: true }] },
    heads: { type: 'array', of: 'u32', values: [8, 4].map((value) => ({ type: 'u32', value })) },
    'odd[0]': { type: 'u32', value: 9 },
  },
);
const index = indexCheckpoint([new MemoryParameterFile('net.gguf', file)]);
const weights = weightsFunctions({ source: () => ({ ordinal: 5, index }), placements: null });
const call = (name: string, ...args: unknown[]) => {
  const run = weights[name] as (...all: unknown[]) => readonly unknown[];
  return run(...args);
};

test('keys come sorted, and end', () => {
  assert.equal(call('kind', 0n), ['gguf']);
  assert.equal(call('count', 0n), [3n]);
  assert.equal(
    [0n, 1n, 2n].map((at) => call('key', 0n, at)[0]),
    ['a.weight', 'b.weight', 'c'],
  );
  assert.throws(() => call('key', 0n, 3n), /weights\.key 3 of a checkpoint of 3 tensors/);
  assert.throws(() => call('key', 0n, -1n), /weights\.key -1/);
});

test('tensors: shape from the outside in, type, and nearest keys for those that are not there', () => {
  const [tensor] = call('find', 0n, 'a.weight');
  assert.equal(call('rank', tensor), [2n]);
  assert.equal(
    [0n, 1n].map((axis) => call('dim', tensor, axis)[0]),
    [2n, 3n],
  );
  assert.equal(call('type', tensor), ['F32']);
  assert.equal(call('rank', call('find', 0n, 'c')[0]), [0n]);
  assert.throws(
    () => call('dim', tensor, 2n),
    /weights\.dim 2 of tensor "a\.weight", which has 2 axes/,
  );
  assert.throws(() => call('dim', tensor, -1n), /weights\.dim -1/);
  assert.equal(call('has', 0n, 'a.weight'), [true]);
  assert.equal(call('has', 0n, 'toString'), [false]);
  assert.throws(
    () => call('find', 0n, 'a.weights'),
    /net\.gguf has no tensor "a\.weights" \(nearest: "a\.weight"/,
  );
});

test('metadata by type, with defaults', () => {
  assert.equal(call('meta_i64', 0n, 'layers', 1n), [7n]);
  assert.equal(call('meta_i64', 0n, 'big', 1n), [-(2n ** 62n)]);
  assert.equal(call('meta_i64', 0n, 'lost', 1n), [1n]);
  assert.equal(call('meta_f64', 0n, 'epsilon', 1), [0.5]);
  assert.equal(call('meta_f64', 0n, 'layers', 1), [7]);
  assert.equal(call('meta_string', 0n, 'name', ''), ['n']);
  assert.equal(
    ['heads[0]', 'heads[1]', 'heads[2]', 'odd[0]', 'name[0]'].map(
      (key) => call('meta_i64', 0n, key, 1n)[0],
    ),
    [8n, 4n, 1n, 9n, 1n],
  );
  const expected = /metadata "\w+" of net\.gguf: expected a/;
  assert.throws(() => call('meta_i64', 0n, 'huge', 1n), expected);
  assert.throws(() => call('meta_i64', 0n, 'epsilon', 1n), /expected an integer, got a number/);
  assert.throws(() => call('meta_f64', 0n, 'name', 1), /expected a number, got a string/);
  assert.throws(() => call('meta_string', 0n, 'flags', ''), /expected a string, got a list of 1/);
});

test('nothing is placed outside of policies', () => {
  for (const name of ['copy', 'place', 'fill']) {
    assert.throws(
      () => call(name, 'field'),
      new RegExp(`weights\\.${name}: parameters are placed by policies only`),
    );
  }
});

test.run();
