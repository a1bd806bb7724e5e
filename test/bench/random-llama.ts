/**
 * A GGUF file of the Llama architecture with random weights that other runtimes load too: 9 heads
 * over 3 key heads, 4096 tokens with scores, matrices in f32 or in blocks of 8 bits. Greedy choices
 * never end a text and are never a part of a character: such tokens score 0.
 */
import { writeFileSync } from 'node:fs';
import { writeGguf } from '../../runtime/parameters/checkpoints/gguf-writer.js';
import type { GgufMetadata, GgufValue } from '../../runtime/parameters/checkpoints/gguf-writer.js';

export const randomSizes = {
  hidden: 576,
  inner: 1536,
  heads: 9,
  keyHeads: 3,
  headDim: 64,
  vocabulary: 4096,
  context: 4096,
} as const;

export interface RandomLlama {
  readonly layers: number;
  readonly type: 'F32' | 'Q8_0';
}

/** Ids from here on stand for letters. */
export const firstText = 259;

/** Weights of the products that a token passes through. */
export function productWeights(layers: number): number {
  const { hidden, inner, heads, keyHeads, headDim, vocabulary } = randomSizes;
  const attention = hidden * headDim * (2 * heads + 2 * keyHeads);
  return layers * (attention + 3 * hidden * inner) + hidden * vocabulary;
}

export function writeRandomLlama(path: string, { layers, type }: RandomLlama): void {
  const draw = normal(42);
  const { hidden, inner, heads, keyHeads, headDim, vocabulary } = randomSizes;
  const matrix = (name: string, rows: number, width: number, zeros = 0) => {
    const values = Float32Array.from({ length: rows * width }, () => draw() / Math.sqrt(width));
    values.fill(0, 0, zeros * width);
    const bytes = type === 'F32' ? new Uint8Array(values.buffer) : blocks(values);
    return { name: `${name}.weight`, type, shape: [rows, width], bytes };
  };
  const ones = new Uint8Array(new Float32Array(hidden).fill(1).buffer);
  const norm = (name: string) => {
    return { name: `${name}.weight`, type: 'F32' as const, shape: [hidden], bytes: ones };
  };
  const layer = (l: number) => [
    norm(`blk.${l}.attn_norm`),
    matrix(`blk.${l}.attn_q`, heads * headDim, hidden),
    matrix(`blk.${l}.attn_k`, keyHeads * headDim, hidden),
    matrix(`blk.${l}.attn_v`, keyHeads * headDim, hidden),
    matrix(`blk.${l}.attn_output`, hidden, heads * headDim),
    norm(`blk.${l}.ffn_norm`),
    matrix(`blk.${l}.ffn_gate`, inner, hidden),
    matrix(`blk.${l}.ffn_up`, inner, hidden),
    matrix(`blk.${l}.ffn_down`, hidden, inner),
  ];
  const tensors = [
    matrix('token_embd', vocabulary, hidden),
    norm('output_norm'),
    matrix('output', vocabulary, hidden, firstText),
    ...Array.from({ length: layers }, (_, l) => layer(l)).flat(),
  ];
  writeFileSync(path, writeGguf(tensors, { ...modelMetadata(layers, type), ...tokenizer() }));
}

/** Sums of uniform numbers: near enough to a normal distribution. */
function normal(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * Math.sqrt(3);
}

/** Blocks of 32: a scale in f16, then as many bytes. */
function blocks(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array((values.length / 32) * 34);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < values.length / 32; block += 1) {
    const own = values.subarray(block * 32, block * 32 + 32);
    const half = toHalf(Math.max(...own.map(Math.abs)) / 127);
    const scale = fromHalf(half);
    view.setUint16(block * 34, half, true);
    own.forEach((value, i) => {
      const step = scale === 0 ? 0 : Math.round(value / scale);
      view.setInt8(block * 34 + 2 + i, Math.max(-127, Math.min(127, step)));
    });
  }
  return bytes;
}

/** Of zero, or a positive value in the range of normal halves. */
function toHalf(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(value));
  const mantissa = Math.round((value / 2 ** exponent - 1) * 1024);
  return ((exponent + 15) << 10) + mantissa;
}

const fromHalf = (bits: number): number =>
  bits === 0 ? 0 : 2 ** ((bits >> 10) - 15) * (1 + (bits & 1023) / 1024);

const whole = (value: number): GgufValue => ({ type: 'u32', value });
const text = (value: string): GgufValue => ({ type: 'string', value });

function modelMetadata(layers: number, type: RandomLlama['type']): GgufMetadata {
  const { hidden, inner, heads, keyHeads, headDim, vocabulary, context } = randomSizes;
  return {
    'general.architecture': text('llama'),
    'general.name': text('random'),
    'general.file_type': whole(type === 'F32' ? 0 : 7),
    'general.quantization_version': whole(2),
    'llama.block_count': whole(layers),
    'llama.context_length': whole(context),
    'llama.embedding_length': whole(hidden),
    'llama.feed_forward_length': whole(inner),
    'llama.attention.head_count': whole(heads),
    'llama.attention.head_count_kv': whole(keyHeads),
    'llama.rope.dimension_count': whole(headDim),
    'llama.rope.freq_base': { type: 'f32', value: 10000 },
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-5 },
    'llama.vocab_size': whole(vocabulary),
  };
}

/** Control tokens, bytes, letters, pairs and triples of letters, each with a score of its own. */
function tokenizer(): GgufMetadata {
  const bytes = Array.from({ length: 256 }, (_, byte) => {
    return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
  });
  const ascii = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
  const some = [...'etaoinshrdlcumwfgypbvk'];
  const starts = ['\u2581', ...some];
  const pairs = starts.flatMap((a) => some.map((b) => a + b));
  const triples = pairs.flatMap((pair) => some.map((c) => pair + c));
  const all = ['<unk>', '<s>', '</s>', ...bytes, '\u2581', ...ascii, ...pairs, ...triples];
  const tokens = all.slice(0, randomSizes.vocabulary);
  const typeOf = (id: number): number => (id === 0 ? 2 : id < 3 ? 3 : id < firstText ? 6 : 1);
  const list = (of: 'string' | 'f32' | 'i32', values: readonly (string | number)[]): GgufValue => {
    return { type: 'array', of, values: values.map((value) => ({ type: of, value }) as GgufValue) };
  };
  return {
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.tokens': list('string', tokens),
    'tokenizer.ggml.scores': list(
      'f32',
      tokens.map((_, id) => (id < firstText ? 0 : -id)),
    ),
    'tokenizer.ggml.token_type': list(
      'i32',
      tokens.map((_, id) => typeOf(id)),
    ),
    'tokenizer.ggml.bos_token_id': whole(1),
    'tokenizer.ggml.eos_token_id': whole(2),
    'tokenizer.ggml.unknown_token_id': whole(0),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
  };
}
