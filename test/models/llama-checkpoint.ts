/**
 * Small checkpoints of the Llama family with random weights, in a folder beside links to the
 * programs: as safetensors in shards with a `config.json`, or as one GGUF file with llama.cpp's
 * order of heads.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskFiles } from '../../runtime/packages/disk-files.js';
import { checkModelDocument } from '../../runtime/packages/model-document.js';
import { writeGguf } from '../../runtime/parameters/checkpoints/gguf-writer.js';
import type { GgufMetadata } from '../../runtime/parameters/checkpoints/gguf-writer.js';
import { writeSafetensors } from '../../runtime/parameters/checkpoints/safetensors-writer.js';
import type { TensorPayload } from '../../runtime/parameters/checkpoints/safetensors-writer.js';
import type { LlamaSizes } from '../oracles/llama.js';
import { modelPackage } from '../runtime/packages/reference-model.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import type { BenchPackage } from './epoch-bench.js';
import { mixedValues } from './motif-values.js';

export interface Variant extends LlamaSizes {
  readonly biases?: boolean;
  readonly headNorms?: boolean;
  readonly tied?: boolean;
}

export type Tensors = ReadonlyMap<string, Float32Array>;

/** A model of a few thousand parameters, no two of its sizes equal. */
export const smallSizes: Variant = {
  layers: 2,
  hidden: 48,
  inner: 68,
  heads: 4,
  keyHeads: 2,
  headDim: 16,
  vocabulary: 99,
  epsilon: 1e-5,
};

/** Temporary folders, for one checkpoint each. */
export class Folders {
  readonly #roots: string[] = [];

  make(): string {
    const root = mkdtempSync(join(tmpdir(), 'loom-llama-'));
    this.#roots.push(root);
    return root;
  }

  remove(): void {
    for (const root of this.#roots) rmSync(root, { recursive: true, force: true });
  }
}

type Shapes = readonly (readonly [name: string, ...shape: number[]])[];

function shapesOf(sizes: Variant): Shapes {
  const { layers, hidden, inner, heads, keyHeads, headDim, vocabulary } = sizes;
  const [queries, keys] = [heads * headDim, keyHeads * headDim];
  const layer = (l: number): Shapes => {
    const at = `model.layers.${l}.`;
    const biases: Shapes = [
      [`${at}self_attn.q_proj.bias`, queries],
      [`${at}self_attn.k_proj.bias`, keys],
      [`${at}self_attn.v_proj.bias`, keys],
    ];
    const norms: Shapes = [
      [`${at}self_attn.q_norm.weight`, headDim],
      [`${at}self_attn.k_norm.weight`, headDim],
    ];
    return [
      [`${at}input_layernorm.weight`, hidden],
      [`${at}self_attn.q_proj.weight`, queries, hidden],
      [`${at}self_attn.k_proj.weight`, keys, hidden],
      [`${at}self_attn.v_proj.weight`, keys, hidden],
      [`${at}self_attn.o_proj.weight`, hidden, queries],
      [`${at}post_attention_layernorm.weight`, hidden],
      [`${at}mlp.gate_proj.weight`, inner, hidden],
      [`${at}mlp.up_proj.weight`, inner, hidden],
      [`${at}mlp.down_proj.weight`, hidden, inner],
      ...(sizes.biases === true ? biases : []),
      ...(sizes.headNorms === true ? norms : []),
    ];
  };
  return [
    ['model.embed_tokens.weight', vocabulary, hidden],
    ...Array.from({ length: layers }, (_, l) => layer(l)).flat(),
    ['model.norm.weight', hidden],
    ...(sizes.tied === true ? [] : ([['lm_head.weight', vocabulary, hidden]] as const)),
  ];
}

/** Tensors that no model must have are vectors. */
function shapeOf(sizes: Variant, name: string, values: Float32Array): number[] {
  const shape = shapesOf(sizes).find(([key]) => key === name);
  return shape === undefined ? [values.length] : (shape.slice(1) as number[]);
}

/** Matrices keep the size of what they are applied to; scales are near 1. */
export function randomTensors(sizes: Variant, seed: number): Tensors {
  return new Map(
    shapesOf(sizes).map(([name, ...shape], index) => {
      const count = shape.reduce((product, extent) => product * extent, 1);
      const spread = mixedValues(count, seed + index).map((value) => value / 64);
      if (name.endsWith('norm.weight'))
        return [name, spread.map((value) => 1 + value / 4)] as const;
      const size = shape.length === 2 ? 1.2 / Math.sqrt(shape[1]!) : 0.3;
      return [name, spread.map((value) => value * size * 2)] as const;
    }),
  );
}

const payload = (name: string, shape: readonly number[], values: Float32Array) => {
  return {
    name,
    type: 'F32' as const,
    shape: [...shape],
    bytes: new Uint8Array(values.slice().buffer),
  };
};

/** A package in `root` whose checkpoint is those files. */
function packageIn(root: string, files: Readonly<Record<string, Uint8Array>>, options: object) {
  const base = join(root, 'model');
  mkdirSync(base, { recursive: true });
  const models = join(repositoryRoot, 'models');
  for (const name of ['llama', 'motifs', 'kjv']) symlinkSync(join(models, name), join(root, name));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(base, name), bytes);
  const { document } = modelPackage('kjv');
  const value = {
    ...document,
    definition: { ...document.definition, options },
    assets: { tokenizer: '../kjv/tokenizer.json' },
  };
  return {
    document: checkModelDocument(JSON.parse(JSON.stringify(value)), 'model.json'),
    files: new DiskFiles(base, [root, models]),
  };
}

export interface Checkpoint {
  readonly sizes: Variant;
  readonly tensors: Tensors;
}

/** Two shards, and a `config.json` with `config` over the sizes. */
export function safetensorsFiles({ sizes, tensors }: Checkpoint, config: object = {}) {
  const rows = [...tensors].map(([name, values]) =>
    payload(name, shapeOf(sizes, name, values), values),
  );
  const half = rows.length >> 1;
  const said = {
    architectures: ['LlamaForCausalLM'],
    hidden_act: 'silu',
    hidden_size: sizes.hidden,
    intermediate_size: sizes.inner,
    num_hidden_layers: sizes.layers,
    num_attention_heads: sizes.heads,
    num_key_value_heads: sizes.keyHeads,
    head_dim: sizes.headDim,
    rms_norm_eps: sizes.epsilon,
    max_position_embeddings: 512,
    rope_theta: 10000,
    rope_scaling: null,
    tie_word_embeddings: sizes.tied === true,
    ...config,
  };
  return {
    'a.safetensors': writeSafetensors(rows.slice(0, half)),
    'b.safetensors': writeSafetensors(rows.slice(half)),
    'config.json': new TextEncoder().encode(JSON.stringify(said)),
  };
}

export function safetensorsPackage(
  root: string,
  checkpoint: Checkpoint,
  config: object,
  options: object = {},
): BenchPackage {
  const files = safetensorsFiles(checkpoint, config);
  return packageIn(root, files, { checkpoint: ['a.safetensors', 'b.safetensors'], ...options });
}

const ggufNames: readonly (readonly [RegExp, string])[] = [
  [/^model\.embed_tokens/, 'token_embd'],
  [/^model\.norm/, 'output_norm'],
  [/^lm_head/, 'output'],
  [/^model\.layers\.(\d+)\./, 'blk.$1.'],
  [/input_layernorm/, 'attn_norm'],
  [/post_attention_layernorm/, 'ffn_norm'],
  [/self_attn\.o_proj/, 'attn_output'],
  [/self_attn\.([qkv])_proj/, 'attn_$1'],
  [/self_attn\.([qk])_norm/, 'attn_$1_norm'],
  [/mlp\.(\w+)_proj/, 'ffn_$1'],
];

const ggufName = (name: string): string =>
  ggufNames.reduce((text, [from, to]) => text.replace(from, to), name);

/** Rows of each head in the order 0, half, 1, half + 1, … */
function paired(values: Float32Array, headDim: number, width: number): Float32Array {
  return values.map((_, at) => {
    const [row, column] = [Math.floor(at / width), at % width];
    const [head, i] = [Math.floor(row / headDim), row % headDim];
    const from = head * headDim + (i % 2) * (headDim / 2) + (i >> 1);
    return values[from * width + column]!;
  });
}

interface GgufOptions {
  readonly architecture: string;
  /** Over what is stored as F32. */
  readonly stored?: ReadonlyMap<string, Pick<TensorPayload, 'type' | 'bytes'>>;
  readonly options?: object;
  readonly metadata?: GgufMetadata;
}

/** The architecture `llama` has heads in pairs; `qwen2` and `qwen3` have not. */
export function ggufFile(
  { sizes, tensors }: Checkpoint,
  { architecture, stored, metadata = {} }: GgufOptions,
): Uint8Array {
  const rows = [...tensors].map(([name, values]) => {
    const isTurned = architecture === 'llama' && /[qk]_proj\.weight$/.test(name);
    const ordered = isTurned ? paired(values, sizes.headDim, sizes.hidden) : values;
    return {
      ...payload(ggufName(name), shapeOf(sizes, name, values), ordered),
      ...stored?.get(name),
    };
  });
  const whole = (value: number) => ({ type: 'u32', value }) as const;
  const said: GgufMetadata = {
    'general.architecture': { type: 'string', value: architecture },
    [`${architecture}.block_count`]: whole(sizes.layers),
    [`${architecture}.embedding_length`]: whole(sizes.hidden),
    [`${architecture}.feed_forward_length`]: whole(sizes.inner),
    [`${architecture}.attention.head_count`]: whole(sizes.heads),
    [`${architecture}.attention.head_count_kv`]: whole(sizes.keyHeads),
    [`${architecture}.attention.key_length`]: whole(sizes.headDim),
    [`${architecture}.attention.layer_norm_rms_epsilon`]: { type: 'f32', value: sizes.epsilon },
    [`${architecture}.context_length`]: whole(512),
    'tokenizer.ggml.eos_token_id': whole(2),
    ...metadata,
  };
  return writeGguf(rows, said);
}

export function ggufPackage(
  root: string,
  checkpoint: Checkpoint,
  given: GgufOptions,
): BenchPackage {
  const files = { 'm.gguf': ggufFile(checkpoint, given) };
  return packageIn(root, files, { checkpoint: ['m.gguf'], ...given.options });
}
