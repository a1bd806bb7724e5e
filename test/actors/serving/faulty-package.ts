/**
 * A package whose behaviour its inputs choose: the first byte of a text names a fault, the second
 * is the value that its row must have. One unit a member, so that 16 share a cohort.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Texts = Readonly<Record<string, string>>;

export const faultyTexts: Texts = {
  'prepare.loom': `library faulty.prepare
use faulty { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let right = stage(@forward, 0)
  let traps = stage(@forward, 1)
  let loops = stage(@forward, 2)
  let idles = stage(@forward, 3)
  return (16, 64, 64, 64, "", "faulty", seal(Cold { size: 4 }))
}
`,
  'control.loom': `library faulty.control
use faulty { forward }
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work

func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  let text = bytes(0)
  let fault = text.u8[0]
  if fault == 48 { return (text, 0, 0) }
  if fault == 45 { return (text, -1, 0) }
  if fault == 76 { return (text, 17, 0) }
  if fault == 84 { return (text, i64(text.u8[text.len]), 0) }
  while fault == 80 { }
  return (text, 1, 0)
}

func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  var chosen = 0
  var upload_bytes = 64
  var physical = 64
  var live = 64
  var company = -1
  for m in 0..members {
    let fault = prepared.u8[ranges.i64[2 * m]]
    if fault == 115 { chosen = 9 }
    if fault == 100 { chosen = -1 }
    if fault == 68 { chosen = stage(@forward, 0) }
    if fault == 111 { chosen = 4 }
    if fault == 114 { physical = 68 }
    if fault == 117 { upload_bytes = 68 }
    if fault == 108 { live = 0 }
    if fault == 82 { chosen = 1 }
    if fault == 69 { chosen = 2 }
    if fault == 78 { chosen = 3 }
    if fault == 118 { company = m }
    if fault == 116 { chosen = ranges.i64[2 * members] }
    while fault == 101 { }
  }
  let upload = buffer.new(upload_bytes)
  var plan = list<i64>(physical, live)
  for m in 0..members {
    let at = ranges.i64[2 * m]
    let fault = prepared.u8[at]
    upload.i32[m] = i32(fault) * 256 + i32(prepared.u8[at + 1])
    var offset = 4 * m
    if company > 0 { offset = 0 }
    if fault == 98 { offset = 64 }
    if fault == 109 { return (chosen, upload, plan.bytes()) }
    if fault == 119 {
      plan.push(2)
      plan.push(offset)
      plan.push(4)
    } else { plan.push(1) }
    plan.push(offset)
    plan.push(4)
    if fault == 120 { plan.push(1) }
  }
  return (chosen, upload, plan.bytes())
}

func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  if stage == 1 {
    let nothing = buffer.new(0)
    let bad = nothing.u8[0]
  }
  while stage == 2 { }
  if stage != 3 { let done = execute_2(stage, input, output) }
}
`,
  'kernel.loom': `library faulty
kernel.def decide(x: in view<i32>, y: out view<f32>) workgroup(16) {
  parallel i in 0..16 {
    let fault = x[i] >> 8
    var sum = 0.0
    let rounds = select(fault == 107, 2147483647, 0)
    for j in 0..rounds { sum += 1.0 }
    let zero = f32(fault - fault)
    y[i] = select(fault == 110, zero / zero, f32(x[i] & 255) + sum)
  }
}
command.def export forward(input: root, output: root) {
  dispatch decide(input, output) grid(1)
}
`,
};

export interface WrittenPackage {
  readonly folder: string;
  readonly remove: () => void;
}

/** Writes a package of these texts into a folder of its own. */
export function writePackage(texts: Texts, document: object): WrittenPackage {
  const folder = mkdtempSync(join(tmpdir(), 'loom-package-'));
  const whole = {
    loom: 1,
    profile: 'embeddings',
    definition: { prepare: 'prepare.loom', control: 'control.loom', sources: ['kernel.loom'] },
    ...document,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'model.json'), JSON.stringify(whole));
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** The text of a member that behaves, with the value of its row. */
export const good = (value: number): string => `a${String.fromCharCode(value)}`;
