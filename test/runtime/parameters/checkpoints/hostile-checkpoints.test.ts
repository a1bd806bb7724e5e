/** The corpus: every file is refused before anything is placed, by file, place and reason. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../../runtime/base/errors.js';
import { indexCheckpoint } from '../../../../runtime/parameters/checkpoints/index-checkpoint.js';
import { MemoryParameterFile } from '../../../../runtime/parameters/checkpoints/parameter-file.js';
import { safetensors } from './byte-builder.js';
import { harmlessGguf, hostileGguf } from './hostile-gguf.js';
import { hostileSafetensors } from './hostile-safetensors.js';

const opened = (files: readonly Uint8Array[]): readonly MemoryParameterFile[] =>
  files.map((bytes, index) => new MemoryParameterFile(`part-${index}`, bytes));

function failureOf(files: readonly Uint8Array[]): StatusError {
  try {
    indexCheckpoint(opened(files));
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const corpus = [
  ...hostileSafetensors.map((row) => ({ ...row, format: 'safetensors' })),
  ...hostileGguf.map((row) => ({ ...row, format: 'gguf' })),
];

for (const { format, name, files, blamed = 0, says } of corpus) {
  test(`${format}: ${name}`, () => {
    const { code, message, status } = failureOf(files);
    assert.is(code, 'invalidArgument');
    assert.is(status.where, `part-${blamed}`);
    assert.ok(message.startsWith(`part-${blamed}: `), message);
    assert.match(message, says);
    assert.match(message, /: expected [^]+, found [^]+/);
    assert.ok(message.length < 500, `a message of ${message.length} characters`);
  });
}

test('the corpus has its size, and names its cases once', () => {
  const names = corpus.map(({ format, name }) => `${format}: ${name}`);
  assert.is(new Set(names).size, names.length);
  assert.ok(hostileSafetensors.length >= 30 && hostileGguf.length >= 30);
});

test('the parts of the corpus make good files as well', () => {
  for (const file of harmlessGguf) indexCheckpoint(opened([file]));
  const row = '{"dtype":"F32","shape":[2],"data_offsets":[0,8]}';
  assert.is(indexCheckpoint(opened([safetensors(`{"t":${row}}`, 8)])).tensors.size, 1);
  assert.is(indexCheckpoint(opened([safetensors('{}', 0)])).tensors.size, 0);
});

test('a checkpoint of no file is none', () => {
  assert.throws(() => indexCheckpoint([]), /at least one file, found none/);
});

test('names of any length and content are shown cut and escaped', () => {
  for (const long of ['n', '\u0007', '😀']) {
    const name = JSON.stringify(`\u0007${long.repeat(100_000)}`);
    const { message } = failureOf([safetensors(`{${name}:0}`, 0)]);
    assert.ok(message.length < 300, `a message of ${message.length} characters`);
    assert.ok(!message.includes('\u0007'));
  }
});

test.run();
