import fc from '../../properties.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { repositoryRoot } from '../packages/repository-root.js';

const file = readFileSync(join(repositoryRoot, 'models/embedding/tokenizer.json'));
const tokenizer = new Tokenizer(file, 'tokenizer.json');
const vocabulary = (JSON.parse(file.toString()) as { model: { vocab: Record<string, number> } })
  .model.vocab;

const encode = (text: string, flags = 0, capacity = 4096): number[] => {
  const { ids, count } = tokenizer.encode(text, flags, capacity);
  assert.is(ids.length, capacity);
  assert.ok(ids.subarray(count).every((id) => id === 0));
  return [...ids.subarray(0, count)];
};
const decode = (ids: number[], flags = 0): string => {
  const { bytes, length } = tokenizer.decode(Int32Array.from(ids), flags, 8192);
  assert.ok(bytes.subarray(length).every((byte) => byte === 0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length));
};

test('the vocabulary has every byte and 320 entries without gaps', () => {
  const ids = Object.values(vocabulary).sort((left, right) => left - right);
  assert.equal(
    ids,
    Array.from({ length: 320 }, (_, id) => id),
  );
});

test('every entry that merges make encodes to itself, and other bytes stand alone', () => {
  for (const [entry, id] of Object.entries(vocabulary)) {
    if (id < 258) continue;
    assert.equal(encode(entry.replaceAll('Ġ', ' ')), [id], entry);
  }
  assert.equal(encode('qz'), [vocabulary['q'], vocabulary['z']]);
  assert.is(encode('ž').length, 2);
});

test('decoding gives back any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.is(decode(encode(text, 8)), text);
    }),
  );
});

test('special tokens are added, kept and skipped by flags', () => {
  const inner = encode('hello');
  assert.equal(encode('hello', 4), [0, ...inner, 1]);
  assert.is(decode([0, ...inner, 1]), '<s>hello</s>');
  assert.is(decode([0, ...inner, 1], 1), 'hello');
});

test('special tokens in a text match unless a flag says no', () => {
  assert.equal(encode('<s>'), [0]);
  const plain = encode('<s>', 8);
  assert.not.equal(plain, [0]);
  assert.is(decode(plain), '<s>');
  assert.equal(encode('</s>', 12), [0, ...encode('</s>', 8), 1]);
});

test('encoding stops at the capacity', () => {
  const whole = encode('several words of text');
  assert.ok(whole.length > 3);
  assert.equal(encode('several words of text', 0, 3), whole.slice(0, 3));
  assert.equal(encode('several words of text', 0, 0), []);
});

test('decoding into too small a capacity fails, and an exact one does', () => {
  const ids = Int32Array.from(encode('hello'));
  assert.is(tokenizer.decode(ids, 0, 5).length, 5);
  assert.throws(() => tokenizer.decode(ids, 0, 4), /takes 5 bytes, and the capacity .* is 4/);
  assert.is(tokenizer.decode(new Int32Array(0), 0, 0).length, 0);
});

test('unknown ids, flags and capacities are errors', () => {
  assert.throws(() => tokenizer.decode(Int32Array.of(5, 999), 0, 99), /token 1 to decode is 999/);
  assert.throws(() => tokenizer.encode('a', 1, 8), /flags 1 of 'encode'/);
  assert.throws(() => tokenizer.decode(Int32Array.of(5), 4, 8), /flags 4 of 'decode'/);
  assert.throws(() => tokenizer.encode('a', 0, -1), /capacity -1/);
});

test('each call starts afresh', () => {
  const first = encode('hello world');
  decode(first);
  assert.equal(encode('hello world'), first);
  assert.is(decode(first), decode(first));
});

test('a file that is no tokenizer is refused by name', () => {
  for (const text of [
    '',
    '{}',
    '[]',
    '{"model": {"type": "Nothing"}}',
    '{"model": 1, "added_tokens": 2}',
  ]) {
    assert.throws(() => new Tokenizer(Buffer.from(text), 'assets/t.json'), /assets\/t\.json is no/);
  }
});

test('another thread gives the same ids', async () => {
  const module = new URL('../../../runtime/tokenizer/tokenizer.js', import.meta.url).href;
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ Tokenizer }) => {
      parentPort.postMessage(new Tokenizer(workerData.file, 't').encode('in a thread', 4, 32).ids);
    });`;
  const worker = new Worker(code, { eval: true, workerData: { module, file } });
  const ids = await new Promise<Int32Array>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  assert.equal(ids, tokenizer.encode('in a thread', 4, 32).ids);
  await worker.terminate();
});

test('a file that is cut is told as one that is no JSON, not by its contents', () => {
  const made = (bytes: Uint8Array) => () => new Tokenizer(Buffer.from(bytes), 'assets/t.json');
  for (const length of [0, 1, 1000, file.length - 2]) {
    assert.throws(made(file.subarray(0, length)), /^assets\/t\.json is not JSON \(.+\)$/);
  }
  assert.throws(made(Uint8Array.of(0x22, 0xff, 0x22)), /t\.json is not JSON \(.* not UTF-8\)/);
});

test.run();
