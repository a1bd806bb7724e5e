/** A package whose answers are long: each input is one unit and gives a row of 2048 values. */
import { writePackage, type WrittenPackage } from '../../actors/serving/faulty-package.js';

export const WIDTH = 2048;
const COHORT = 16;

const prepare = `library wide.prepare
use wide { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let first = stage(@forward, 0)
  return (${COHORT}, ${4 * COHORT}, ${4 * COHORT * WIDTH}, ${4 * COHORT * WIDTH}, "", "wide", seal(Cold { size: 4 }))
}
`;

const control = `library wide.control
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work

func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) { return (bytes(0), 1, 0) }

func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let upload = buffer.new(${4 * COHORT})
  var plan = list<i64>(members * ${4 * WIDTH}, members * ${4 * WIDTH})
  for m in 0..members {
    upload.i32[m] = i32(prepared.u8[ranges.i64[2 * m]])
    plan.push(1)
    plan.push(m * ${4 * WIDTH})
    plan.push(${4 * WIDTH})
  }
  return (0, upload, plan.bytes())
}

func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  let done = execute_2(stage, input, output)
}
`;

const kernel = `library wide
kernel.def spread(x: in view<i32>, y: out view<f32>) workgroup(16) {
  let m = workgroup.x
  parallel i in 0..${WIDTH} { y[m * ${WIDTH} + i] = f32(x[m]) + f32(i) / 64.0 }
}
command.def export forward(input: root, output: root) { dispatch spread(input, output) grid(${COHORT}) }
`;

export const widePackage = (): WrittenPackage =>
  writePackage(
    { 'prepare.loom': prepare, 'control.loom': control, 'kernel.loom': kernel },
    { id: 'wide' },
  );

/** The row of an input whose first byte is `byte`. */
export const wideRow = (byte: number): number[] =>
  Array.from({ length: WIDTH }, (_, index) => byte + index / 64);
