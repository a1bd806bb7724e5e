/**
 * Checkpoints of the Llama family as their makers publish them, served without a model.json: a
 * folder and a GGUF file of the same weights, what they bring along, and what is refused.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { locatePackage } from '../../actors/edge/package-location.js';
import { openPackageFiles } from '../../runtime/packages/imported-files.js';
import { preparePackage } from '../../runtime/packages/prepare-package.js';
import { closeSources } from '../../runtime/packages/package-checkpoints.js';
import { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import { llamaLogits } from '../oracles/llama.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { EpochBench } from './epoch-bench.js';
import {
  Folders,
  ggufFile,
  randomTensors,
  safetensorsFiles,
  smallSizes,
} from './llama-checkpoint.js';
import { LlamaRows } from './llama-rows.js';

const folders = new Folders();
test.after(() => folders.remove());

const sizes = smallSizes;
const tensors = randomTensors(sizes, 21);
const ids = [3, 77, 5, 5, 98, 0, 41, 12, 66, 30, 1, 2];
const roots = { packageRoots: [], parameterRoots: [], cacheDir: null };
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const json = (value: unknown): Uint8Array => text(JSON.stringify(value));

const locate = (path: string, id?: string) =>
  locatePackage({ kind: 'package', package: path, ...(id === undefined ? {} : { id }) }, roots);

function bench(path: string): EpochBench {
  const location = locate(path);
  return new EpochBench({
    document: location.document,
    files: openPackageFiles(location),
  } as never);
}

function logits(path: string): Float32Array {
  const rows = new LlamaRows(bench(path));
  const row = rows.open(ids);
  return rows.epoch([{ row, take: ids.length }])[0]!.logits[0]!;
}

/** A folder with these files in it; gives its path. */
function folderOf(files: Readonly<Record<string, Uint8Array>>, name = 'a model'): string {
  const folder = join(folders.make(), name);
  mkdirSync(folder, { recursive: true });
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(folder, file), bytes);
  return folder;
}

/** 99 tokens with scores; the first three are control tokens. */
const tokens = ['<unk>', '<s>', '</s>', '\u2581', ...'abcdefghijklmnopqrstuvwxyz'];
for (const a of 'aeiou') for (const b of 'nstrlmdc\u2581hgpb') tokens.push(a + b);
tokens.push('ing', 'and', 'the', 'er\u2581');
const list = (of: 'string' | 'f32' | 'i32', values: readonly (string | number)[]) =>
  ({ type: 'array', of, values: values.map((value) => ({ type: of, value })) }) as never;
const tokenizerMetadata = {
  'tokenizer.ggml.model': { type: 'string', value: 'llama' },
  'tokenizer.ggml.tokens': list('string', tokens),
  'tokenizer.ggml.scores': list(
    'f32',
    tokens.map((_, id) => -id),
  ),
  'tokenizer.ggml.token_type': list(
    'i32',
    tokens.map((_, id) => (id === 0 ? 2 : id < 3 ? 3 : 1)),
  ),
  'tokenizer.ggml.bos_token_id': { type: 'u32', value: 1 },
  'tokenizer.chat_template': { type: 'string', value: '{{ bos_token }}{{ messages[0].content }}' },
  'tokenizer.chat_template.tools': { type: 'string', value: 'T' },
} as const;

const kjvFile = (name: string) =>
  new Uint8Array(readFileSync(join(repositoryRoot, 'models/kjv', name)));

function publishedFiles(): Readonly<Record<string, Uint8Array>> {
  return {
    ...safetensorsFiles({ sizes, tensors }),
    'model.safetensors.index.json': json({
      weight_map: { x: 'b.safetensors', y: 'a.safetensors', z: 'b.safetensors' },
    }),
    'unrelated.safetensors': text('not read'),
    'tokenizer.json': kjvFile('tokenizer.json'),
  };
}

const publishedFolder = (more: Readonly<Record<string, Uint8Array>> = {}): string =>
  folderOf({ ...publishedFiles(), ...more });

const publishedGguf = (metadata = {}): string =>
  join(
    folderOf({
      'small.Q8.gguf': ggufFile(
        { sizes, tensors },
        { architecture: 'llama', metadata: { ...tokenizerMetadata, ...metadata } },
      ),
    }),
    'small.Q8.gguf',
  );

test('a folder and a GGUF file of the same weights give the same logits', () => {
  const [folder, file] = [logits(publishedFolder()), logits(publishedGguf())];
  const largest = Math.max(...folder.map(Math.abs));
  assert.ok(largest > 0.5, `${largest}`);
  folder.forEach((value, id) => assert.ok(Math.abs(value - file[id]!) <= 1e-5, `logit ${id}`));
});

test('divisors of frequencies in a GGUF file are used', () => {
  const factors = Float32Array.from({ length: 8 }, (_, i) => 1 + i * i * 0.5);
  const more = new Map([...tensors, ['rope_freqs.weight', factors]]);
  const given = { architecture: 'llama', metadata: tokenizerMetadata };
  const file = ggufFile({ sizes, tensors: more }, given);
  const found = logits(join(folderOf({ 'm.gguf': file }), 'm.gguf'));
  const frequencies = Array.from(factors, (factor, i) => 10000 ** (-i / 8) / factor);
  const model = { ...sizes, tensors, frequencies, turnScale: 1 };
  const wanted = llamaLogits(model, ids).at(-1)!;
  wanted.forEach((value, id) => assert.ok(Math.abs(value - found[id]!) <= 2e-4, `logit ${id}`));
  const plain = llamaLogits(
    { ...model, frequencies: frequencies.map((f, i) => f * factors[i]!) },
    ids,
  );
  assert.ok(
    plain.at(-1)!.some((value, id) => Math.abs(value - wanted[id]!) > 1e-2),
    'it matters',
  );
});

test('the id is the name of the folder or file, or the one that is asked for', () => {
  assert.is(locate(publishedFolder()).id, 'a-model');
  assert.is(locate(publishedGguf()).id, 'small.Q8');
  assert.is(locate(publishedGguf(), 'mine').document.id, 'mine');
});

test('a GGUF file brings its tokenizer and its chat templates along', () => {
  const path = publishedGguf();
  const plan = preparePackage(locate(path));
  closeSources(plan.parameters.sources);
  assert.is(plan.contract, 'text');
  if (plan.contract !== 'text') return;
  const tokenizer = new Tokenizer(plan.tokenizer!, 'tokenizer');
  const { ids: found, count } = tokenizer.encode('hand the ring', 4, 32);
  const pieces = [...found.subarray(0, count)].map((id) => tokens[id]);
  // `the` has the best score but one, and no two tokens make it.
  assert.equal(pieces, ['<s>', '\u2581', 'h', 'and', '\u2581', 't', 'h', 'e\u2581', 'r', 'ing']);
  assert.is(tokenizer.text(found.subarray(1, count)), 'hand the ring');
  const { '': preferred, tools } = plan.templates.templates;
  assert.is(preferred, '{{ bos_token }}{{ messages[0].content }}');
  assert.is(tools, 'T');
  assert.is(plan.templates.tokens.bos_token, '<s>');
  assert.equal(readdirSync(join(path, '..')), ['small.Q8.gguf'], 'nothing is written');
});

test('a folder brings its template, its ends of turns and its defaults along', () => {
  const folder = publishedFolder({
    'chat_template.jinja': text('in a file of its own'),
    'tokenizer_config.json': json({ chat_template: 'older', eos_token: '</s>' }),
    'generation_config.json': json({ eos_token_id: [7, 9], temperature: 0.25, top_k: 11 }),
  });
  const before = readdirSync(folder);
  const { geometry, model, control } = bench(folder);
  assert.is(model.templates.templates[''], 'in a file of its own');
  assert.equal([...geometry.terminal], [7, 9]);
  assert.is(control.defaults.temperature, 0.25);
  assert.is(control.defaults.topK, 11);
  assert.equal(readdirSync(folder), before, 'nothing is written');
});

test('a folder of links, as download caches have it', () => {
  const blobs = publishedFolder();
  const cache = folders.make();
  const snapshot = join(cache, 'models--x', 'snapshots', 'abc');
  mkdirSync(join(cache, 'models--x', 'blobs'), { recursive: true });
  mkdirSync(snapshot, { recursive: true });
  for (const name of readdirSync(blobs)) {
    writeFileSync(join(cache, 'models--x', 'blobs', name), readFileSync(join(blobs, name)));
    symlinkSync(join('..', '..', 'blobs', name), join(snapshot, name));
  }
  symlinkSync(join(blobs, 'config.json'), join(snapshot, 'outside.json'));
  const files = openPackageFiles(locate(snapshot));
  assert.equal(files.read('config.json'), openPackageFiles(locate(blobs)).read('config.json'));
  const shard = files.openParameters('b.safetensors');
  assert.ok(shard.bytes > 1000);
  shard.close();
  assert.throws(() => files.read('outside.json'), /escapes the folders/);
});

test('what no package serves is named, with what is served', () => {
  const other = folderOf({ 'config.json': json({ architectures: ['OtherForCausalLM'] }) });
  assert.throws(
    () => locate(other),
    /architectures is OtherForCausalLM; supported: LlamaForCausalLM, .*Qwen3ForCausalLM/,
  );
  const silent = folderOf({ 'config.json': json({}) });
  assert.throws(() => locate(silent), /architectures is \(nothing\); supported: Llama/);
  const metadata = { 'general.architecture': { type: 'string', value: 'other' } };
  assert.throws(
    () => locate(publishedGguf(metadata)),
    /general\.architecture is other; supported: llama, qwen2, qwen3/,
  );
  const pre = { 'tokenizer.ggml.model': { type: 'string', value: 'wp' } };
  assert.throws(
    () => bench(publishedGguf(pre)),
    /tokenizer\.ggml\.model is 'wp'; known: gpt2, llama/,
  );
  const bare = folderOf({ 'config.json': json({ architectures: ['LlamaForCausalLM'] }) });
  assert.throws(() => locate(bare), /no \*\.safetensors/);
  assert.throws(() => locate(folderOf({ 'a.txt': text('') })), /model\.json/);
});

test('a clone without its large files is told so, whichever of them is read', () => {
  const pointer = text(
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 98765\n',
  );
  const names = [
    'config.json',
    'generation_config.json',
    'model.safetensors.index.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'a.safetensors',
    'b.safetensors',
  ];
  const told = (file: string) => (error: Error) => {
    const what = `${file} is a Git LFS pointer to a file of 98765 bytes (run \`git lfs pull\``;
    assert.ok(error.message.includes(what), error.message);
    return true;
  };
  for (const name of names) {
    const folder = publishedFolder({ [name]: pointer });
    assert.throws(() => preparePackage(locate(folder)), told(name));
  }
  const file = join(folderOf({ 'm.gguf': pointer }), 'm.gguf');
  assert.throws(() => locate(file), told('m.gguf'));
});

test('a tensor of another shape is refused with its own, and so are ids that have no row', () => {
  const told = (config: object) => () =>
    bench(folderOf({ ...publishedFiles(), ...safetensorsFiles({ sizes, tensors }, config) }));
  const gate = 'model.layers.0.mlp.gate_proj.weight has the shape [68, 48], not [72, 48]';
  assert.throws(told({ intermediate_size: 72 }), (error: Error) => error.message.includes(gate));
  const norm = 'model.layers.0.input_layernorm.weight has the shape [48], not [52]';
  const first = 'model.embed_tokens.weight has the shape [99, 48], not [99, 52]';
  const wide = (error: Error) => error.message.includes(first) || error.message.includes(norm);
  assert.throws(told({ hidden_size: 52 }), wide);
  assert.throws(
    told({ vocab_size: 100 }),
    /vocab_size 100, and the embedding model\.embed_tokens\.weight has 99 rows/,
  );
  assert.not.throws(told({ vocab_size: 99 }));
});

test.run();
