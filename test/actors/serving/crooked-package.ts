/**
 * A package of the profile decisions whose questions choose what it answers: the first byte of a
 * text is a fault, and both probabilities of a good one are a half. One unit a member.
 */
import type { Texts } from './faulty-package.js';

export const crookedTexts: Texts = {
  'prepare.loom': `library crooked.prepare
use crooked { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let first = stage(@forward, 0)
  return (16, 64, 256, 256, "", "crooked", seal(Cold { size: 4 }))
}
`,
  'control.loom': `library crooked.control
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("input") number(index: i64) -> f64
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work

func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  if number(3) != 2.0 { reject("two answers expected, not {}", i64(number(3))) }
  return (bytes(0), 1, 0)
}

func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let upload = buffer.new(64)
  var plan = list<i64>(256, 256)
  for m in 0..members {
    let fault = prepared.u8[ranges.i64[2 * m]]
    upload.i32[m] = i32(fault)
    plan.push(1)
    plan.push(16 * m)
    plan.push(8 + 4 * i64(fault == 109) - 4 * i64(fault == 102))
  }
  return (0, upload, plan.bytes())
}

func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  let done = execute_2(stage, input, output)
}
`,
  'kernel.loom': `library crooked
kernel.def answer(x: in view<i32>, y: out view<f32>) workgroup(16) {
  parallel i in 0..16 {
    let fault = x[i]
    let zero = f32(fault - fault)
    var first = 0.5
    if fault == 45 { first = -0.5 }
    if fault == 110 { first = zero / zero }
    if fault == 105 { first = 1.0 / zero }
    if fault == 115 { first = 0.51 }
    y[i * 4] = first
    y[i * 4 + 1] = select(fault == 45, 1.5, 0.5)
    y[i * 4 + 2] = 0.0
  }
}
command.def export forward(input: root, output: root) {
  dispatch answer(input, output) grid(1)
}
`,
};

/** Questions by fault, and what is said of each. */
export const crookedFaults: readonly [text: string, name: string, message: RegExp][] = [
  ['-', 'a negative probability', /'run' .* the probability -0\.5 for answer 0; none may be neg/],
  ['n', 'not a number', /value 0 of the result is NaN/],
  ['i', 'an infinity', /value 0 of the result is Infinity/],
  ['s', 'a sum of 1.01', /'run' .* probabilities that add up to 1\.00999\d*; 1 within 0\.000001/],
  ['f', 'too few answers', /'prepare_batch' .* a row of 1 values for request \d+, .* asks for 2/],
  ['m', 'too many answers', /'prepare_batch' .* a row of 3 values for request \d+, .* asks for 2/],
];
