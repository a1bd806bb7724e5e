/** The least package that works, as texts that tests change: one byte in, one f32 out. */
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';
import type { ModelDocument } from '../../../runtime/packages/model-document.js';
import type { FinitePlan, PreparationPlan } from '../../../runtime/packages/prepare-package.js';

export const smallPrepare = `library small.prepare
use small { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") config(stage: i64, key: string, value: string)
func.decl import("prepare") config_i64(stage: i64, key: string, value: i64)
func.decl import("prepare") workspace_limit(stage: i64, bytes: i64)
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let first = stage(@forward, 0)
  return (16, 64, 64, 64, "", "small", seal(Cold { size: 4 }))
}
`;

export const smallControl = `library small.control
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work
func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  return (bytes(0), 1, 0)
}
func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, bytes: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let upload = buffer.new(16)
  var plan = list<i64>(16, 4 * members)
  for m in 0..members {
    upload.i32[m] = i32(bytes.u8[ranges.i64[2 * m]])
    plan.push(1)
    plan.push(4 * m)
    plan.push(4)
  }
  return (0, upload, plan.bytes())
}
func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  let done = execute_2(stage, input, output)
}
`;

export const smallKernel = `library small
config.decl scale : i64 = 1
config.decl enabled : bool = true
kernel.def copy(x: in view<i32>, y: out view<f32>) workgroup(4) {
  parallel i in 0..4 { y[i] = f32(x[i] * scale) }
}
command.def export forward(input: root, output: root) {
  workspace held : f32[4]
  dispatch copy(input, held) grid(1)
  dispatch again(held, output) grid(1)
}
kernel.def again(x: in view<f32>, y: out view<f32>) workgroup(4) {
  parallel i in 0..4 { y[i] = x[i] }
}
`;

export interface SmallFiles {
  readonly prepare?: string | Uint8Array;
  readonly control?: string | Uint8Array;
  readonly kernel?: string | Uint8Array;
  readonly config?: string | Uint8Array;
}

/** The package with some files replaced; `change` goes over the document. */
export function smallPackage(
  given: SmallFiles = {},
  change: object = {},
): { readonly document: ModelDocument; readonly files: MemoryFiles } {
  const { prepare = smallPrepare, control = smallControl, kernel = smallKernel, config } = given;
  const texts: [string, string | Uint8Array][] = [
    ['prepare.loom', prepare],
    ['control.loom', control],
    ['kernel.loom', kernel],
  ];
  if (config !== undefined) texts.push(['config.loom', config]);
  const files = texts.map(([name, content]) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return [name, bytes] as const;
  });
  const definition = {
    prepare: 'prepare.loom',
    control: 'control.loom',
    sources: ['kernel.loom'],
    ...(config === undefined ? {} : { config: 'config.loom' }),
  };
  const document = { loom: 1, id: 'small', profile: 'embeddings', definition, ...change };
  return {
    document: checkModelDocument(document, 'model.json'),
    files: new MemoryFiles(new Map(files)),
  };
}

/** A plan of a package whose requests share cohorts. */
export function finitePlan(plan: PreparationPlan): FinitePlan {
  if (plan.contract === 'finite') return plan;
  throw new Error('the package has retained rows');
}
