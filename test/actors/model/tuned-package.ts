/**
 * A package whose requests choose their weights: text "TV" is value V - '0' of the table that T
 * names. '0' is the cold one; 'a', 'b' and 'w' are files of their own with the same key, 'm' is a
 * file that there is not, 'n' one without the key. 'g' reads b's value on demand.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSafetensors } from '../../../runtime/parameters/checkpoints/safetensors-writer.js';
import { writePackage, type Texts, type WrittenPackage } from '../serving/faulty-package.js';

const ELEMENTS = 16;

const texts: Texts = {
  'prepare.loom': `library tuned.prepare
use tuned { forward, policy }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") source(directory: string, path: string) -> i64
func.decl import("prepare") parameter(stage: i64, binding: i64, input: i64, source: i64, policy: symbol)
record.def Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let cold = stage(@forward, 0)
  parameter(cold, 0, 0, source(root, "cold.safetensors"), @policy)
  return (4, 512, 16, 16, "", "tuned", seal(Cold { size: 4 }))
}
`,
  'control.loom': `library tuned.control
use tuned { forward, plain, policy }
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("buffer") from_string(text: string) -> buffer
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") source(directory: string, path: string) -> i64
func.decl import("prepare") parameter(stage: i64, binding: i64, input: i64, source: i64, policy: symbol)
func.decl import("prepare") workspace_limit(stage: i64, bytes: i64)
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work
func.decl import("runner") null_fence() -> hal.fence
func.decl import("runner") join(ready: hal.fence)
func.decl import("parameters") gather(source: i64, key: buffer, wait: hal.fence, descriptors: hal.buffer, offset: i64, count: i64, target: hal.buffer) -> hal.fence
func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  let text = bytes(0)
  return (text, 1, i64(text.u8[0]))
}
func.def file_of(which: i64) -> string {
  if which == 97 { return "a.safetensors" }
  if which == 119 { return "w.safetensors" }
  if which == 109 { return "missing.safetensors" }
  if which == 110 { return "n.safetensors" }
  return "b.safetensors"
}
func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let which = i64(prepared.u8[ranges.i64[0]])
  let upload = buffer.new(128)
  var plan = list<i64>(16, 4 * members)
  for m in 0..members {
    let at = ranges.i64[2 * m]
    if i64(prepared.u8[at]) != which { fail("two choices share a cohort") }
    let value = i64(prepared.u8[at + 1]) - 48
    upload.i32[m] = i32(value)
    upload.i64[4 + 3 * m] = 4 * value
    upload.i64[4 + 3 * m + 1] = 4 * m
    upload.i64[4 + 3 * m + 2] = 4
    plan.push(1)
    plan.push(4 * m)
    plan.push(4)
  }
  var chosen = 0
  if which != 48 {
    let own = source("", file_of(which))
    if which == 103 {
      let first = stage(@plain, 0)
      chosen = stage(@plain, 1)
    } else {
      chosen = stage(@forward, which)
      parameter(chosen, 0, 0, own, @policy)
      if which == 119 { workspace_limit(chosen, 1) }
    }
  }
  return (chosen, upload, plan.bytes())
}
func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  if stage == 2 {
    let rows = input.slice(256, 16)
    join(gather(1, from_string("values"), null_fence(), input, 32, 4, rows))
    let read = execute_2(stage, rows, output)
    return
  }
  let done = execute_2(stage, input, output)
}
`,
  'kernel.loom': `library tuned
func.decl import("weights") find(input: i64, key: string) -> tensor
func.decl import("weights") place(field: string, at: i64, t: tensor, first: i64, rows: i64, block: i64, encoding: string, pack: symbol)
bank.def Values { v: f32[${ELEMENTS}] }
kernel.def same(src: in view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: i32) workgroup(1) {
  once { for i in 0..rows * cols { dst[at * cols + i] = src[i] } }
}
func.def export policy() { place("v", 0, find(0, "values"), 0, 1, 1, "f32", @same) }
kernel.def pick(x: in view<i32>, v: in view<f32>, y: out view<f32>) workgroup(4) { parallel i in 0..4 { y[i] = v[x[i]] } }
kernel.def take(x: in view<f32>, y: out view<f32>) workgroup(4) { parallel i in 0..4 { y[i] = x[i] } }
command.def export forward(input: root, output: root, w: param Values) {
  workspace held : f32[4]
  dispatch pick(input, w.v, held) grid(1)
  dispatch take(held, output) grid(1)
}
command.def export plain(input: root, output: root) { dispatch take(input, output) grid(1) }
`,
};

/** First value of each table; the others follow it in steps of one. */
export const firstOf = { '0': 0, a: 100, b: 200, g: 200 } as const;

/** A checkpoint with values from `first`. */
export function table(first: number, key = 'values'): Uint8Array {
  const values = Float32Array.from({ length: ELEMENTS }, (_, at) => first + at);
  const bytes = new Uint8Array(values.buffer);
  return writeSafetensors([{ name: key, type: 'F32', shape: [ELEMENTS], bytes }]);
}

export function writeTuned(deployment: object = {}): WrittenPackage {
  const written = writePackage(texts, { id: 'tuned', deployment });
  const put = (name: string, bytes: Uint8Array): void =>
    writeFileSync(join(written.folder, `${name}.safetensors`), bytes);
  put('cold', table(0));
  put('a', table(100));
  put('b', table(200));
  put('w', table(300));
  put('n', table(400, 'others'));
  return written;
}
