/**
 * A package with banks, in memory: what `prepare` declares and what the policies say come from the
 * test. Also carries load plans out, slowly and by itself: rows by arithmetic on the file, kernels
 * on the interpreter.
 */
import * as assert from 'uvu/assert';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { elaborateLoader } from '../../../runtime/loom/elaborate/elaborate.js';
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import { programOf } from '../../../runtime/packages/link-host.js';
import { parseSources } from '../../../runtime/packages/load-package.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';
import type { ModelDocument } from '../../../runtime/packages/model-document.js';
import { prepareFiles } from '../../../runtime/packages/prepare-package.js';
import type { PreparationPlan } from '../../../runtime/packages/prepare-package.js';
import { stageConfiguration } from '../../../runtime/packages/stage-configuration.js';
import type { LoadPlan, LoadStep, TensorBytes } from '../../../runtime/parameters/load-plan.js';
import { writeSafetensors } from '../../../runtime/parameters/checkpoints/safetensors-writer.js';
import type { TensorType } from '../../../runtime/parameters/checkpoints/tensor-type.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import { smallControl } from './small-package.js';

export const prepareImports = `func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") dispatch(root: symbol, tag: i64) -> i64
func.decl import("prepare") config_i64(stage: i64, key: string, value: i64)
func.decl import("prepare") source(directory: string, path: string) -> i64
func.decl import("prepare") source_append(source: i64, directory: string, path: string)
func.decl import("prepare") parameter(stage: i64, binding: i64, input: i64, source: i64, policy: symbol)
func.decl import("prepare") memory_forecast(entry: symbol)
func.decl import("prepare") asset(reference: string) -> ref
func.decl import("options") get_i64(options: ref, path: string, otherwise: i64) -> i64
`;

export const weightsImports = `func.decl import("weights") kind(input: i64) -> string
func.decl import("weights") count(input: i64) -> i64
func.decl import("weights") key(input: i64, index: i64) -> string
func.decl import("weights") has(input: i64, key: string) -> bool
func.decl import("weights") find(input: i64, key: string) -> tensor
func.decl import("weights") rank(t: tensor) -> i64
func.decl import("weights") dim(t: tensor, axis: i64) -> i64
func.decl import("weights") type(t: tensor) -> string
func.decl import("weights") meta_i64(input: i64, key: string, otherwise: i64) -> i64
func.decl import("weights") meta_string(input: i64, key: string, otherwise: string) -> string
func.decl import("weights") copy(field: string, at: i64, t: tensor, first: i64, rows: i64)
func.decl import("weights") place(field: string, at: i64, t: tensor, first: i64, rows: i64, block: i64, encoding: string, pack: symbol)
func.decl import("weights") fill(field: string, make: symbol)
`;

/** Two programs over one bank, one over another; loaders of every kind. */
export const weightedKernel = `library w
config.decl width : i64 = 4
bank.def Net { norm: f32[width], qkv: f32[3 * width * width], raw: u32[4], table: f32x4[2] }
bank.def Head { bias: f32[2] }
kernel.def copy(x: in view<i32>, w: in view<f32>, y: out view<f32>) workgroup(4) {
  parallel i in 0..4 { y[i] = f32(x[i]) * w[i] }
}
command.def export forward(input: root, output: root, net: param Net) { dispatch copy(input, net.norm, output) grid(1) }
command.def export other(input: root, head: param Head, output: root, net: param Net) {
  dispatch copy(input, head.bias, output) grid(1)
}
kernel.def export plain(x: in view<i32>, y: out view<f32>) workgroup(4) grid(1) { parallel i in 0..4 { y[i] = 0.0 } }
command.def export bare(input: root, output: root) { dispatch plain(input, output) grid(1) }
kernel.def export turned(src: in view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: i32) workgroup(4) {
  for r in 0..rows { parallel c in 0..cols { dst[(at + r) * cols + cols - 1 - c] = src[r * cols + c] } }
}
kernel.def export words(src: in view<u8>, dst: out view<u32>, at: i32, rows: i32, cols: i32) workgroup(1) {
  once { for r in 0..rows { dst[at + r] = u32(i32(src[r * cols])) } }
}
kernel.def export counting(dst: out view<f32x4>) workgroup(4) {
  parallel i in 0..dst.len { dst[i] = f32x4(f32(i + 1)) }
}
`;

/** Fills all of Net from keys norm, q, k, v and raw of input 0. */
export const wholePolicy = `func.def export whole() {
  copy("norm", 0, find(0, "norm"), 0, 1)
  place("qkv", 0, find(0, "q"), 0, width, 2, "f32", @turned)
  place("qkv", width, find(0, "k"), 0, width, 2, "f32", @turned)
  place("qkv", 2 * width, find(0, "v"), 0, width, 64, "f32", @turned)
  place("raw", 0, find(0, "raw"), 0, 4, 4, "raw", @words)
  fill("table", @counting)
}
func.def export head() { copy("bias", 0, find(0, "bias"), 0, 1) }
`;

export interface WeightedFiles {
  /** Statements of `prepare`; stages, sources and parameters. */
  readonly declare: string;
  readonly policies?: string;
  readonly kernel?: string;
  readonly control?: string;
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
  /** Over the document. */
  readonly change?: object;
}

export function weightedPackage(given: WeightedFiles): {
  readonly document: ModelDocument;
  readonly files: MemoryFiles;
} {
  const {
    declare,
    policies = wholePolicy,
    kernel = weightedKernel,
    control = smallControl,
  } = given;
  const texts: Record<string, Uint8Array | string> = {
    'prepare.loom': `library w.prepare
use w
use w.policies
${prepareImports}${weightsImports}record.def Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
${declare}
  return (16, 64, 64, 64, "", "weighted", seal(Cold { size: 4 }))
}
`,
    'control.loom': control,
    'kernel.loom': kernel,
    'policies.loom': `library w.policies\nuse w\n${weightsImports}${policies}`,
    ...given.files,
  };
  const encoder = new TextEncoder();
  const bytes = Object.entries(texts).map(([name, content]) => {
    return [name, typeof content === 'string' ? encoder.encode(content) : content] as const;
  });
  const sources = ['kernel.loom', 'policies.loom'];
  const definition = { prepare: 'prepare.loom', control: 'control.loom', sources };
  const document = { loom: 1, id: 'w', profile: 'embeddings', definition, ...given.change };
  return {
    document: checkModelDocument(document, 'model.json'),
    files: new MemoryFiles(new Map(bytes)),
  };
}

export function prepareWeighted(given: WeightedFiles): PreparationPlan {
  const { document, files } = weightedPackage(given);
  return prepareFiles(document, files, localFacts());
}

/** A checkpoint of f32 tensors, and of bytes where the type says so. */
export function checkpoint(
  tensors: Readonly<Record<string, { shape: number[]; values: number[]; type?: TensorType }>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const rows = Object.entries(tensors).map(([name, { shape, values, type = 'F32' }]) => {
    const bytes =
      type === 'F32' ? new Uint8Array(Float32Array.from(values).buffer) : Uint8Array.from(values);
    return { name, type, shape, bytes };
  });
  return writeSafetensors(rows, metadata);
}

const ascending = (count: number, first: number) =>
  Array.from({ length: count }, (_, i) => first + i);

/** What `wholePolicy` and `head` need; `first` sets checkpoints apart. */
export const wholeTensors = (first = 0) => ({
  v: { shape: [4, 4], values: ascending(16, first + 300) },
  norm: { shape: [4], values: ascending(4, first + 1) },
  q: { shape: [4, 4], values: ascending(16, first + 100) },
  raw: { shape: [4, 2], values: [7, 0, 8, 0, 9, 0, 10, 0], type: 'U8' as const },
  k: { shape: [4, 4], values: ascending(16, first + 200) },
  bias: { shape: [2], values: [first + 0.5, first + 0.25] },
});

/** The fields of a bank by name, as a device would have them in the end. */
export function carryOut(
  plan: PreparationPlan,
  bank: LoadPlan,
  contents: readonly (readonly Uint8Array[])[],
): ReadonlyMap<string, Uint8Array> {
  const fields = bank.fields.map(({ bytes }) => new Uint8Array(bytes).fill(0xee));
  const bytesOf = ({ source, shard, offset, bytes }: TensorBytes) =>
    contents[source]![shard]!.slice(offset, offset + bytes);
  for (const step of bank.steps) {
    const field = fields[step.field]!;
    if (step.op === 'copy') {
      assert.is(step.decode, false, 'checkpoints of tests need no decoding');
      field.set(bytesOf(step.from), step.offset);
    } else if (step.op === 'fill') launch(plan, bank, step, [field]);
    else {
      const bytes = bytesOf(step.from);
      const rowBytes = bytes.length / step.rows;
      for (let done = 0; done < step.rows; done += step.block) {
        const rows = Math.min(step.block, step.rows - done);
        const packet = new Uint8Array(Int32Array.of(step.at + done, rows, step.cols, 0).buffer);
        const source = bytes.slice(done * rowBytes, (done + rows) * rowBytes);
        launch(plan, bank, step, [packet, source, field]);
      }
    }
  }
  return new Map(bank.fields.map(({ name }, index) => [name, fields[index]!]));
}

function launch(
  plan: PreparationPlan,
  bank: LoadPlan,
  step: Exclude<LoadStep, { op: 'copy' }>,
  roots: readonly Uint8Array[],
): void {
  const id = bank.loaders[step.loader]!;
  const { declaration } = plan.parameters.loaders.find((loader) => loader.id === id)!;
  const catalog = parseSources(plan.sources);
  const { bindings, facts } = plan;
  const configuration = stageConfiguration(catalog, { bindings, facts, declaration });
  const elaborated = elaborateLoader(catalog, declaration.symbol, configuration);
  const { faults } = interpretCommand(programOf(catalog, elaborated), { roots, checks: true });
  assert.equal(faults, []);
}
