/**
 * models/llama over GGUF files whose matrices are quantised, block by block of random bits: with
 * f32 weights what comes out is that of the values that the formats stand for; 8-bit projections
 * stay near.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TensorType } from '../../runtime/parameters/checkpoints/tensor-type.js';
import { blockLayouts } from '../../runtime/parameters/checkpoints/tensor-type.js';
import { llamaLogits } from '../oracles/llama.js';
import { elementOf } from '../runtime/parameters/checkpoints/block-reference.js';
import { EpochBench } from './epoch-bench.js';
import { Folders, ggufPackage, randomTensors } from './llama-checkpoint.js';
import type { Variant } from './llama-checkpoint.js';
import { LlamaRows } from './llama-rows.js';

const folders = new Folders();
test.after(() => folders.remove());

/** Rows of whole blocks of 256. */
const sizes: Variant = {
  layers: 1,
  hidden: 256,
  inner: 256,
  heads: 4,
  keyHeads: 2,
  headDim: 64,
  vocabulary: 99,
  epsilon: 1e-5,
  headNorms: true,
};

const ids = [3, 77, 5, 5, 98, 0, 41, 12];

/** Where the f16 scales of a block lie, and values that make rows of common size. */
const scales: Partial<Record<TensorType, readonly (readonly [at: number, bits: number])[]>> = {
  // 0.0008
  Q8_0: [[0, 0x128e]],
  // 0.013
  Q4_0: [[0, 0x22a8]],
  // 0.0003, 0.00225
  Q4_K: [
    [0, 0x0cea],
    [2, 0x189c],
  ],
  // 0.000046
  Q6_K: [[208, 0x0304]],
};

function randomBlocks(type: TensorType, count: number, seed: number): Uint8Array {
  let state = seed;
  const bytes = Uint8Array.from({ length: count * blockLayouts[type].bytes }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < count; block++) {
    for (const [at, half] of scales[type]!) {
      view.setUint16(block * blockLayouts[type].bytes + at, half, true);
    }
  }
  return bytes;
}

function quantised(type: TensorType) {
  const { bytes: blockBytes, elements } = blockLayouts[type];
  const tensors = new Map(randomTensors(sizes, 5));
  const stored = new Map<string, { type: TensorType; bytes: Uint8Array }>();
  [...tensors].forEach(([name, values], index) => {
    if (values.length % 256 !== 0 || name.includes('norm')) return;
    const bytes = randomBlocks(type, values.length / elements, index + 1);
    stored.set(name, { type, bytes });
    const decoded = values.map((_, at) => {
      const block = Math.floor(at / elements) * blockBytes;
      return elementOf[type]!(bytes.subarray(block, block + blockBytes), at % elements);
    });
    tensors.set(name, decoded);
  });
  return { tensors, stored };
}

const size = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

for (const type of ['Q8_0', 'Q4_0', 'Q4_K', 'Q6_K'] as const) {
  test(`${type}: f32 weights are its values, 8-bit projections within 6 % of them`, () => {
    const { tensors, stored } = quantised(type);
    const frequencies = Array.from({ length: 32 }, (_, i) => 10000 ** (-i / 32));
    const wanted = llamaLogits({ ...sizes, tensors, frequencies, turnScale: 1 }, ids).at(-1)!;
    assert.ok(size(wanted) > 1, 'logits show something');
    const logits = new Map<string | undefined, Float32Array>();
    for (const [weights, bound] of [
      ['f32', 1e-4],
      // Of itself: what is stored in 8 bits or less stays so.
      [undefined, 0.06],
    ] as const) {
      const options = { ...(weights && { weights }), rows: 1 };
      const given = { architecture: 'qwen3', stored, options };
      const rows = new LlamaRows(
        new EpochBench(ggufPackage(folders.make(), { sizes, tensors }, given)),
      );
      const row = rows.open(ids);
      const [result] = rows.epoch([{ row, take: ids.length }]);
      const distance = size(wanted.map((value, id) => value - result!.logits[0]![id]!));
      assert.ok(distance <= bound * size(wanted), `${weights}: ${distance / size(wanted)} off`);
      logits.set(weights, result!.logits[0]!);
    }
    assert.not.equal(logits.get(undefined), logits.get('f32'));
  });
}

test.run();
