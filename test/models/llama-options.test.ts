/**
 * What models/llama makes of options: 8-bit projections, sizes; epochs of every kind without a
 * fault of the interpreter; and how it refuses what it does not support.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EpochBench } from './epoch-bench.js';
import {
  Folders,
  ggufPackage,
  randomTensors,
  safetensorsPackage,
  smallSizes as sizes,
} from './llama-checkpoint.js';
import { LlamaRows } from './llama-rows.js';

const folders = new Folders();
test.after(() => folders.remove());

const ids = Array.from({ length: 40 }, (_, at) => (at * at * 31 + at * 7 + 3) % 99);
/** Logits after chunks that end here. */
const ends = [1, 2, 19, 35, 40];

/** Logits of a row after each of `ends`, beside another one that is read backwards. */
function inChunks(bench: EpochBench): Float32Array[] {
  const rows = new LlamaRows(bench);
  const [row, other] = [rows.open(ids), rows.open(ids.toReversed())];
  return ends.map((end) => {
    const [, result] = rows.epoch([
      { row: other, take: 3 },
      { row, take: end - row.done },
    ]);
    return result!.logits[0]!;
  });
}

const size = (values: Float32Array): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

test('8-bit projections stay within 6 % of f32, in chunks as alone', () => {
  const tensors = randomTensors(sizes, 5);
  const bench = (weights: string): EpochBench =>
    new EpochBench(safetensorsPackage(folders.make(), { sizes, tensors }, {}, { weights }));
  const [exact, quantised] = [bench('f32'), bench('int8')];
  const [wanted, got] = [inChunks(exact), inChunks(quantised)];
  wanted.forEach((logits, at) => {
    const distance = size(logits.map((value, id) => value - got[at]![id]!));
    assert.ok(distance > 0 && distance <= 0.06 * size(logits), `${distance / size(logits)} off`);
  });
  const rows = new LlamaRows(quantised);
  const row = rows.open(ids);
  const alone = ids.map(() => rows.epoch([{ row, take: 1 }])[0]!.logits[0]!);
  ends.forEach((end, at) => assert.equal(got[at], alone[end - 1]));
});

test('an interpreted epoch of a prompt, a decode and proposals has no fault', () => {
  const variant = { ...sizes, layers: 1, biases: true, headNorms: true };
  const tensors = randomTensors(variant, 3);
  for (const weights of ['f32', 'int8']) {
    const options = { weights, rows: 3, tokens: 16, context: 40 };
    const given = safetensorsPackage(folders.make(), { sizes: variant, tensors }, {}, options);
    const rows = new LlamaRows(new EpochBench(given, 'interpreter'));
    const drawn = {
      temperature: 1,
      topP: 0.9,
      topK: 9,
      frequencyPenalty: 1,
      logitBias: [[5, 1]],
    } as const;
    const [a, b, c] = [
      rows.open(ids.slice(0, 9), drawn),
      rows.open(ids.slice(9, 12), { temperature: 0, topLogprobs: 3 }),
      rows.open(ids.slice(12, 14), { temperature: 0 }),
    ];
    rows.epoch([
      { row: a, take: 9 },
      { row: b, take: 2, selects: false },
    ]);
    rows.epoch([
      { row: a, take: 1, proposals: [1, 2] },
      { row: b, take: 1 },
      { row: c, take: 2 },
    ]);
    assert.is(b.outputs.length, 1);
  }
});

test('what is not supported is named, with what is', () => {
  const tensors = randomTensors(sizes, 5);
  const refused = (config: object, expected: RegExp, options: object = {}) => {
    const given = safetensorsPackage(folders.make(), { sizes, tensors }, config, options);
    assert.throws(() => new EpochBench(given), expected);
  };
  refused(
    { architectures: ['GPT2LMHeadModel'] },
    /GPT2LMHeadModel of config\.json is not supported; supported: LlamaForCausalLM, Mistral/,
  );
  refused({ hidden_act: 'gelu' }, /the activation 'gelu'.*supported: silu/);
  refused(
    { rope_scaling: { rope_type: 'longrope', factor: 2 } },
    /type 'longrope' are not supported; supported: default, linear, llama3, yarn/,
  );
  refused({ num_key_value_heads: 3 }, /4 heads over 3 key heads/);
  refused({ intermediate_size: 64 }, /mlp\.gate_proj\.weight.*\[64, 48\]/);
  refused({ hidden_size: null }, /config\.json does not say hidden_size/);
  refused({}, /options\.weights is 'int4'; 'auto', 'f32' and 'int8'/, { weights: 'int4' });
  refused({}, /options\.context is 513; 1 to 512/, { context: 513 });
  const given = ggufPackage(folders.make(), { sizes, tensors }, { architecture: 'gemma' });
  assert.throws(() => new EpochBench(given), /gemma.*supported: llama, qwen2, qwen3/);
});

test.run();
