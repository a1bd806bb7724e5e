/**
 * A package whose bank is large and whose answers are numbers of its checkpoint: text "c" gives
 * values[(c - '0') * 1000], copied, and the double of it, packed by a kernel. Element i of tensor
 * "values" is `base + i % 2^16 / 8`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSafetensors } from '../../../runtime/parameters/checkpoints/safetensors-writer.js';

/** Rows of 1000 elements; the bank holds them twice. */
const ROWS = 1_000;
export const BANK_BYTES = ROWS * 1_000 * 8;

/** The host programs of library `name`: one stage, one bank, `row` values a member. */
export const hostTexts = (name: string, row: number): Readonly<Record<string, string>> => ({
  'prepare.loom': `library ${name}.prepare
use ${name} { forward, policy }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") source(directory: string, path: string) -> i64
func.decl import("prepare") parameter(stage: i64, binding: i64, input: i64, source: i64, policy: symbol)
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let cold = stage(@forward, 0)
  parameter(cold, 0, 0, source(root, "values.safetensors"), @policy)
  return (4, 16, ${16 * row}, ${16 * row}, "", "${name}", seal(Cold { size: 4 }))
}
`,
  'control.loom': `library ${name}.control
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work
func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  return (bytes(0), 1, 0)
}
func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let upload = buffer.new(16)
  var plan = list<i64>(${16 * row}, ${4 * row} * members)
  for m in 0..members {
    upload.i32[m] = i32(prepared.u8[ranges.i64[2 * m]]) - 48
    plan.push(1)
    plan.push(${4 * row} * m)
    plan.push(${4 * row})
  }
  return (0, upload, plan.bytes())
}
func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  let done = execute_2(stage, input, output)
}
`,
});

const textsOf = (rows: number): Readonly<Record<string, string>> => ({
  ...hostTexts('weighty', 2),
  'kernel.loom': `library weighty
func.decl import("weights") find(input: i64, key: string) -> tensor
func.decl import("weights") copy(field: string, at: i64, t: tensor, first: i64, rows: i64)
func.decl import("weights") place(field: string, at: i64, t: tensor, first: i64, rows: i64, block: i64, encoding: string, pack: symbol)
bank.def Values { once: f32[${rows * 1000}], twice: f32[${rows * 1000}] }
kernel.def double(src: in view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: i32) workgroup(64) grid(rows) {
  let row = workgroup.x
  parallel i in 0..cols { dst[(at + row) * cols + i] = src[row * cols + i] * 2.0 }
}
func.def export policy() {
  let t = find(0, "values")
  copy("once", 0, t, 0, ${rows})
  place("twice", 0, t, 0, ${rows}, 300, "f32", @double)
}
kernel.def pick(x: in view<i32>, once: in view<f32>, twice: in view<f32>, y: out view<f32>) workgroup(4) {
  parallel i in 0..4 {
    y[2 * i] = once[x[i] * 1000]
    y[2 * i + 1] = twice[x[i] * 1000]
  }
}
command.def export forward(input: root, output: root, w: param Values) {
  dispatch pick(input, w.once, w.twice, output) grid(1)
}
`,
});

export interface WeightyPackage {
  readonly folder: string;
  readonly checkpoint: string;
  remove(): void;
}

export interface WeightyOptions {
  readonly base?: number;
  readonly deployment?: object;
  readonly rows?: number;
}

export function writeWeighty(id: string, options: WeightyOptions = {}): WeightyPackage {
  const { base = 0, deployment = {}, rows = ROWS } = options;
  const folder = mkdtempSync(join(tmpdir(), 'loom-weighty-'));
  for (const [name, text] of Object.entries(textsOf(rows))) writeFileSync(join(folder, name), text);
  const document = {
    loom: 1,
    id,
    profile: 'embeddings',
    definition: {
      prepare: 'prepare.loom',
      control: 'control.loom',
      sources: ['kernel.loom'],
      options: {},
    },
    deployment,
  };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(document));
  const values = new Float32Array(rows * 1_000).map((_, at) => base + (at % 65_536) / 8);
  const bytes = new Uint8Array(values.buffer);
  const tensor = { name: 'values', type: 'F32', shape: [rows, 1_000], bytes } as const;
  const checkpoint = join(folder, 'values.safetensors');
  writeFileSync(checkpoint, writeSafetensors([tensor]));
  return { folder, checkpoint, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The row that text `digit` has. */
export const rowOf = (base: number, digit: number): Float32Array => {
  const value = base + (digit * 1000) / 8;
  return Float32Array.of(value, value * 2);
};
