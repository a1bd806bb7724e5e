/**
 * A package that is slow where its input says: the first byte of a text names the phase, the second
 * is the value of its row. Loops are counted, so every machine ends them; a test never waits for a
 * time, only for what the server says of itself, and what it wants to meet at work is `lasting`.
 */
import { writePackage, type WrittenPackage } from '../../actors/serving/faulty-package.js';

/** Rounds of the loops: a few hundred milliseconds on the machines that we have. */
const HOST_ROUNDS = 200_000_000;
const DEVICE_ROUNDS = 250_000_000;

const prepare = `library slow.prepare
use slow { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let first = stage(@forward, 0)
  return (16, 64, 64, 64, "", "slow", seal(Cold { size: 4 }))
}
`;

const control = `library slow.control
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work

/// Burns steps where \`fault\` is the phase.
func.def spend(fault: i64, phase: i64) -> i64 {
  var left = select(fault == phase, ${HOST_ROUNDS}, 0)
  while left > 0 { left -= 1 }
  return left
}

func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  let text = bytes(0)
  let spent = spend(i64(text.u8[0]), 112)
  return (text, select(text.u8[0] == 107, 16, 1), 0)
}

func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let upload = buffer.new(64)
  var plan = list<i64>(64, 64)
  for m in 0..members {
    let at = ranges.i64[2 * m]
    let spent = spend(i64(prepared.u8[at]), 98)
    upload.i32[m] = i32(prepared.u8[at]) * 256 + i32(prepared.u8[at + 1])
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

const kernel = `library slow
kernel.def decide(x: in view<i32>, y: out view<f32>) workgroup(16) {
  parallel i in 0..16 {
    let rounds = select((x[i] >> 8) == 107, ${DEVICE_ROUNDS}, 0)
    var spent = 0
    for j in 0..rounds { spent += j & x[15] }
    y[i] = f32((x[i] & 255) + spent)
  }
}
command.def export forward(input: root, output: root) { dispatch decide(input, output) grid(1) }
`;

export const slowPackage = (): WrittenPackage =>
  writePackage(
    { 'prepare.loom': prepare, 'control.loom': control, 'kernel.loom': kernel },
    { id: 'slow', deployment: { capacity: { fuel: 1_500_000_000 } } },
  );

export type Phase = 'quick' | 'prepareRequest' | 'prepareBatch' | 'kernel';

const letters: Readonly<Record<Phase, string>> = {
  quick: 'a',
  prepareRequest: 'p',
  prepareBatch: 'b',
  // Fills a cohort by itself.
  kernel: 'k',
};

/** The text that is slow in `phase` and whose row is [value]; value below 128. */
export const slowText = (phase: Phase, value: number): string =>
  letters[phase] + String.fromCharCode(value);

/**
 * Inputs that no machine is done with before their client leaves, the first of them in this phase:
 * each of the others fills a cohort, all of them are many times what a test takes, and what has not
 * begun when the client leaves never begins.
 */
export const lasting = (phase: Phase, cohorts = 200): string[] => [
  slowText(phase, 1),
  ...Array.from({ length: cohorts }, () => slowText('kernel', 2)),
];
