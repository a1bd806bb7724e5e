/**
 * models/llama over small random checkpoints of each kind that it supports, against a Llama in
 * double precision.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { llamaLogits } from '../oracles/llama.js';
import type { LlamaModel } from '../oracles/llama.js';
import { EpochBench } from './epoch-bench.js';
import type { BenchPackage } from './epoch-bench.js';
import {
  Folders,
  ggufPackage,
  randomTensors,
  safetensorsPackage,
  smallSizes,
} from './llama-checkpoint.js';
import type { Tensors, Variant } from './llama-checkpoint.js';
import { LlamaRows } from './llama-rows.js';

const folders = new Folders();
test.after(() => folders.remove());

const sizes = smallSizes;

const plain = (theta: number, dim: number): number[] =>
  Array.from({ length: dim / 2 }, (_, i) => theta ** ((-2 * i) / dim));

const ids = Array.from({ length: 70 }, (_, at) => (at * at * 31 + at * 7 + 3) % 99);

/** Logits after chunks that end here. */
const ends = [1, 2, 19, 52, 70];

function assertLike(given: BenchPackage, model: LlamaModel, bound = 2e-4): void {
  const rows = new LlamaRows(new EpochBench(given));
  const row = rows.open(ids);
  const expected = llamaLogits(model, ids);
  const size = Math.sqrt(expected[69]!.reduce((sum, x) => sum + x * x, 0) / 99);
  assert.ok(size > 0.3, `logits of size ${size} show something`);
  for (const end of ends) {
    const [result] = rows.epoch([{ row, take: end - row.done }]);
    result!.logits[0]!.forEach((value, id) => {
      const distance = Math.abs(value - expected[end - 1]![id]!);
      assert.ok(distance <= bound, `logit ${id} after ${end} tokens is ${distance} off`);
    });
  }
}

const modelOf = (
  variant: Variant,
  tensors: Tensors,
  frequencies = plain(10000, 16),
  turnScale = 1,
): LlamaModel => ({ ...variant, tensors, frequencies, turnScale });

function assertConfig(variant: Variant, config: object, frequencies?: number[], scale?: number) {
  const tensors = randomTensors(variant, 5);
  const given = safetensorsPackage(folders.make(), { sizes: variant, tensors }, config);
  assertLike(given, modelOf(variant, tensors, frequencies, scale));
}

test('a separate head and a tied one, shards in order', () => {
  assertConfig(sizes, {});
  assertConfig({ ...sizes, tied: true, heads: 3, keyHeads: 1, headDim: 32 }, {}, plain(10000, 32));
});

test('biases of queries, keys and values', () => {
  const config = { architectures: ['Qwen2ForCausalLM'], rope_theta: 1000000, sliding_window: null };
  assertConfig({ ...sizes, biases: true }, config, plain(1000000, 16));
});

test('norms of queries and keys, heads wider than the row', () => {
  const variant = { ...sizes, headNorms: true, headDim: 32, tied: true };
  assertConfig(variant, { architectures: ['Qwen3ForCausalLM'] }, plain(10000, 32));
});

test('rotations are scaled: linear, llama3, yarn', () => {
  const linear = { rope_scaling: { type: 'linear', factor: 4 } };
  assertConfig(
    sizes,
    linear,
    plain(10000, 16).map((value) => value / 4),
  );

  // Wave lengths of theta 100: 6.3, 11, 20, 35, 63, 112, 199, 353; kept below 25, slow beyond 100.
  const original = 100;
  const llama3 = { rope_type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
  const between = plain(100, 16).map((value) => {
    const turns = (original * value) / (2 * Math.PI);
    const kept = Math.min(1, Math.max(0, (turns - 1) / 3));
    return value * kept + (value / 8) * (1 - kept);
  });
  const more = { ...llama3, original_max_position_embeddings: original };
  assertConfig(sizes, { rope_theta: 100, rope_scaling: more }, between);

  const pairOf = (turns: number): number =>
    (16 * Math.log(original / (turns * 2 * Math.PI))) / (2 * Math.log(100));
  const [from, to] = [Math.max(0, Math.floor(pairOf(8))), Math.min(15, Math.ceil(pairOf(1)))];
  const ramp = plain(100, 16).map((value, i) => {
    const slow = Math.min(1, Math.max(0, (i - from) / (to - from)));
    return (value / 4) * slow + value * (1 - slow);
  });
  assert.ok(to - from >= 3 && from < to, 'the ramp has a middle');
  const yarn = { rope_type: 'yarn', factor: 4, beta_fast: 8, beta_slow: 1, rope_theta: 100 };
  const config = {
    rope_theta: null,
    rope_parameters: { ...yarn, original_max_position_embeddings: original },
  };
  assertConfig(sizes, config, ramp, 0.1 * Math.log(4) + 1);
});

test('GGUF files: paired heads of llama, those of qwen3 as they are', () => {
  for (const [architecture, variant] of [
    ['llama', sizes],
    ['qwen3', { ...sizes, headNorms: true, tied: true }],
  ] as const) {
    const tensors = randomTensors(variant, 9);
    const given = ggufPackage(folders.make(), { sizes: variant, tensors }, { architecture });
    assertLike(given, modelOf(variant, tensors));
    assert.equal(new EpochBench(given).geometry.terminal, [2]);
  }
});

test.run();
