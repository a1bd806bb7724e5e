/**
 * A Llama in double precision, as its papers have it: one row, all positions, no cache. Tensors
 * have the names and shapes of safetensors; rotations are by pairs of i and i + half a head.
 */

export interface LlamaSizes {
  readonly layers: number;
  readonly hidden: number;
  readonly inner: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly headDim: number;
  readonly vocabulary: number;
  readonly epsilon: number;
}

export interface LlamaModel extends LlamaSizes {
  /** Radians a position, of each pair of a head. */
  readonly frequencies: readonly number[];
  /** What sines and cosines are multiplied with. */
  readonly turnScale: number;
  readonly tensors: ReadonlyMap<string, Float32Array>;
}

type Row = readonly number[];

/** Logits after each position. */
export function llamaLogits(model: LlamaModel, ids: readonly number[]): Row[] {
  const { layers, hidden } = model;
  const embedding = tensor(model, 'model.embed_tokens.weight');
  let rows: Row[] = ids.map((id) => [...embedding.subarray(id * hidden, (id + 1) * hidden)]);
  for (let layer = 0; layer < layers; layer++) rows = layerOf(model, layer, rows);
  const norm = tensor(model, 'model.norm.weight');
  const head = model.tensors.get('lm_head.weight') ?? embedding;
  return rows.map((row) => times(head, normed(row, norm, model.epsilon)));
}

function tensor(model: LlamaModel, name: string): Float32Array {
  const found = model.tensors.get(name);
  if (found === undefined) throw new Error(`the oracle needs ${name}`);
  return found;
}

const plus = (a: Row, b: ArrayLike<number>): Row => a.map((value, at) => value + b[at]!);

function times(matrix: Float32Array, row: Row): Row {
  const width = row.length;
  return Array.from({ length: matrix.length / width }, (_, n) =>
    row.reduce((sum, value, k) => sum + value * matrix[n * width + k]!, 0),
  );
}

function normed(row: Row, scale: ArrayLike<number>, epsilon: number): Row {
  const square = row.reduce((sum, value) => sum + value * value, 0) / row.length;
  return row.map((value, at) => (value / Math.sqrt(square + epsilon)) * scale[at]!);
}

function layerOf(model: LlamaModel, layer: number, rows: readonly Row[]): Row[] {
  const part = (name: string): Float32Array =>
    tensor(model, `model.layers.${layer}.${name}.weight`);
  const before = rows.map((row) => normed(row, part('input_layernorm'), model.epsilon));
  const attended = attention(model, layer, before);
  return rows.map((row, at) => {
    const x = plus(row, times(part('self_attn.o_proj'), attended[at]!));
    const n = normed(x, part('post_attention_layernorm'), model.epsilon);
    const gate = times(part('mlp.gate_proj'), n);
    const up = times(part('mlp.up_proj'), n);
    const passed = gate.map((value, i) => (value / (1 + Math.exp(-value))) * up[i]!);
    return plus(x, times(part('mlp.down_proj'), passed));
  });
}

function attention(model: LlamaModel, layer: number, rows: readonly Row[]): Row[] {
  const { heads, keyHeads, headDim } = model;
  const projected = (name: string): Row[][] =>
    rows.map((row) => {
      const at = `model.layers.${layer}.self_attn.${name}_proj`;
      const y = times(tensor(model, `${at}.weight`), row);
      const biased = plus(y, model.tensors.get(`${at}.bias`) ?? y.map(() => 0));
      return headsOf(biased, headDim);
    });
  const turned = (name: string): Row[][] =>
    projected(name).map((row, position) =>
      row.map((head) => {
        const scale = model.tensors.get(`model.layers.${layer}.self_attn.${name}_norm.weight`);
        const sized = scale === undefined ? head : normed(head, scale, model.epsilon);
        return rotated(model, sized, position);
      }),
    );
  const [q, k, v] = [turned('q'), turned('k'), projected('v')];
  return rows.map((_, at) =>
    Array.from({ length: heads }, (_unused, head) => {
      const of = Math.floor(head / (heads / keyHeads));
      const scores = k.slice(0, at + 1).map((row) => dot(q[at]![head]!, row[of]!));
      const sizes = scores.map((score) => Math.exp(score / Math.sqrt(headDim)));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      return v[0]![of]!.map((_value, i) =>
        sizes.reduce((sum, size, j) => sum + (size / total) * v[j]![of]![i]!, 0),
      );
    }).flat(),
  );
}

const dot = (a: Row, b: Row): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

const headsOf = (row: Row, headDim: number): Row[] =>
  Array.from({ length: row.length / headDim }, (_, head) =>
    row.slice(head * headDim, (head + 1) * headDim),
  );

function rotated({ frequencies, turnScale }: LlamaModel, head: Row, position: number): Row {
  const half = head.length / 2;
  return head.map((value, at) => {
    const angle = position * frequencies[at % half]!;
    const mate = at < half ? -head[at + half]! : head[at - half]!;
    return (value * Math.cos(angle) + mate * Math.sin(angle)) * turnScale;
  });
}
