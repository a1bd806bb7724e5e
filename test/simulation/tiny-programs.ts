/**
 * Programs of the simulated packages. One text for both kinds of model: configuration says whether
 * the bank is copied or packed, and whether letters are uploaded or gathered.
 */
import {
  BLOCK_ROWS,
  COLS,
  LETTERS_FILE,
  MISSING_FILE,
  ROWS,
  TUNED_FILE,
  WEIGHTS_FILE,
  kinds,
  type Kind,
} from './tiny-weights.js';

/** Units (bytes) of one input and of one cohort; extents of the cold and the specialized stages. */
export const INPUT_UNITS_MAX = 6;
export const COHORT_UNITS = 14;
const COLD_EXTENT = 4;

/** Parts of the one buffer of a cohort: head and members, descriptors, letters. */
const RANGES_AT = 128;
const LETTERS_AT = RANGES_AT + COHORT_UNITS * 24;
const INPUT_BYTES = LETTERS_AT + 64;

/** What is wrong with a version: it refuses to prepare, to compile, to load; or nothing. */
export const flaws = ['none', 'refuses', 'compiles', 'loads'] as const;
export type Flaw = (typeof flaws)[number];

const kernel = `library tiny
config.decl version : i64 = 1
config.decl kind : i64 = 0
config.decl extent : i64 = ${COLD_EXTENT}
layout.def export Head { members: i32, units: i32 }
layout.def export Member { first: i32, count: i32 }
bank.def export Weights { table: f32[${ROWS * COLS}] }

kernel.def rows(words: in view<i32>, letters: in view<i32>, table: in view<f32>, result: out view<f32>) workgroup(4) {
  let m = workgroup.x
  let first = words[2 + 2 * m]
  let count = words[3 + 2 * m]
  parallel k in 0..${COLS} {
    var sum = 0.0
    for i in 0..count {
      let letter = letters[first + i]
      sum += f32(letter) * table[(letter * 7 + i) % ${ROWS} * ${COLS} + k]
    }
    result[m * 4 + k] = select(k == 0, f32(version), sum)
  }
}
kernel.def copy(source: in view<f32>, result: out view<f32>) workgroup(4) {
  let m = workgroup.x
  parallel k in 0..4 { result[m * 4 + k] = source[m * 4 + k] }
}
command.def export forward(packet: root, letters: root, output: root, weights: param Weights) {
  let members = word(packet, Head.members)
  workspace held : f32[extent * 64]
  dispatch rows(packet, letters, weights.table, held) grid(members)
  dispatch copy(held, output) grid(members)
}
`;

const policy = `library tiny.policy
use tiny { kind }
func.decl import("weights") find(input: i64, key: string) -> tensor
func.decl import("weights") copy(field: string, at: i64, t: tensor, first: i64, rows: i64)
func.decl import("weights") place(field: string, at: i64, t: tensor, first: i64, rows: i64, block: i64, encoding: string, pack: symbol)
kernel.def double(src: in view<f32>, dst: out view<f32>, at: i32, rows: i32, cols: i32) workgroup(4) grid(rows) {
  let row = workgroup.x
  parallel i in 0..cols { dst[(at + row) * cols + i] = src[row * cols + i] * 2.0 }
}
func.def export policy() {
  let t = find(0, "table")
  if kind == 1 {
    place("table", 0, t, 0, ${ROWS}, ${BLOCK_ROWS}, "f32", @double)
  } else {
    for part in 0..4 { copy("table", part * ${(ROWS / 4) * COLS}, t, part * ${ROWS / 4}, ${ROWS / 4}) }
  }
}
`;

const prepare = (flaw: Flaw, kind: Kind): string => `library tiny.prepare
use tiny { forward }
use tiny.policy { policy }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") workspace_limit(stage: i64, bytes: i64)
func.decl import("prepare") source(directory: string, path: string) -> i64
func.decl import("prepare") parameter(stage: i64, binding: i64, input: i64, source: i64, policy: symbol)
record.def export Cold { longest: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  ${flaw === 'refuses' ? 'require(1 == 2, "this version refuses to prepare")' : ''}
  let cold = stage(@forward, 0)
  let refusing = stage(@forward, 1)
  let weights = source(root, "${WEIGHTS_FILE}")
  parameter(cold, 0, 0, weights, @policy)
  parameter(refusing, 0, 0, weights, @policy)
  ${kind === 'packed' ? `let letters = source(root, "${LETTERS_FILE}")` : ''}
  ${flaw === 'compiles' ? 'workspace_limit(refusing, 1)' : ''}
  return (${COHORT_UNITS}, ${INPUT_BYTES}, 256, 256, "", "tiny", seal(Cold { longest: ${INPUT_UNITS_MAX} }))
}
`;

const control = `library tiny.control
use tiny { forward, Head, Member, kind }
use tiny.policy { policy }
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("buffer") from_string(text: string) -> buffer
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") config_i64(stage: i64, key: string, value: i64)
func.decl import("prepare") workspace_limit(stage: i64, bytes: i64)
func.decl import("prepare") source(directory: string, path: string) -> i64
func.decl import("prepare") parameter(stage: i64, binding: i64, input: i64, source: i64, policy: symbol)
func.decl import("runner") execute_3(stage: i64, packet: hal.buffer, letters: hal.buffer, output: hal.buffer) -> work
func.decl import("runner") null_fence() -> hal.fence
func.decl import("runner") join(ready: hal.fence)
func.decl import("parameters") gather(source: i64, key: buffer, wait: hal.fence, descriptors: hal.buffer, offset: i64, count: i64, target: hal.buffer) -> hal.fence
layout.def Descriptor { offset: i64, target: i64, length: i64 }

func.def tag_of(mark: i64) -> i64 {
  if mark == 84 || mark == 77 || mark == 90 { return mark }
  return 0
}

func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  let text = bytes(0)
  let isFine = text.len > 0 && text.len <= ${INPUT_UNITS_MAX}
  if !isFine { reject("{} bytes; 1 to ${INPUT_UNITS_MAX} expected", text.len) }
  let first = text.u8[0]
  if first == 33 { reject("no exclamations") }
  while first == 63 { }
  // These are not prepared beside their generation: they take more fuel than is given there.
  if first == 101 {
    var sum = 0
    for i in 0..600 { sum += i }
    if sum < 0 { reject("a sum of {}", sum) }
  }
  return (text, text.len, tag_of(i64(first)))
}

// Letters go along as they are, or are to be read by one descriptor each.
func.def upload_of(members: i64, prepared: buffer) -> buffer {
  let units = prepared.len
  var bytes = ${INPUT_BYTES}
  if kind == 1 { bytes = ${LETTERS_AT} }
  let upload = buffer.new(bytes)
  upload.at<Head>(0).members = members
  upload.at<Head>(0).units = units
  for i in 0..units {
    if kind == 1 {
      let range = upload.from(${RANGES_AT} + i * Descriptor.size)
      range.at<Descriptor>(0).offset = i64(prepared.u8[i]) * 4
      range.at<Descriptor>(0).target = i * 4
      range.at<Descriptor>(0).length = 4
    } else { upload.i32[${LETTERS_AT / 4} + i] = i32(prepared.u8[i]) }
  }
  return upload
}

func.def export prepare_batch(
  state: ref, tags: buffer, ranges: buffer, prepared: buffer
) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let units = prepared.len
  let upload = upload_of(members, prepared)
  let table = upload.from(Head.size)
  var plan = list<i64>(members * 16, members * 16)
  var chosen = 0
  if units > ${COLD_EXTENT} {
    chosen = stage(@forward, 2)
    config_i64(chosen, "tiny.extent", ${2 * COLD_EXTENT})
    // One at a time has its workspace.
    workspace_limit(chosen, ${2 * COLD_EXTENT * 256})
  }
  // The largest cohorts declare two stages and use the second.
  if units > ${2 * COLD_EXTENT} {
    chosen = stage(@forward, 2)
    config_i64(chosen, "tiny.extent", ${4 * COLD_EXTENT})
  }
  var width = 16
  for m in 0..members {
    let first = ranges.i64[2 * m]
    let mark = prepared.u8[first]
    if mark == 89 || mark == 88 && members > 1 { reject("a member traps the batch") }
    if mark == 66 && members > 1 { width = 15 }
    if mark == 81 || mark == 82 && members > 1 { chosen = 1 }
    if mark == 90 {
      chosen = stage(@forward, 3)
      workspace_limit(chosen, 1)
    }
    if m == 0 && (mark == 84 || mark == 77) {
      var own = 0
      if mark == 84 { own = source("", "${TUNED_FILE}") } else { own = source("", "${MISSING_FILE}") }
      chosen = stage(@forward, 4)
      config_i64(chosen, "tiny.extent", ${4 * COLD_EXTENT})
      parameter(chosen, 0, 0, own, @policy)
    }
    table.at<Member>(m).first = first
    table.at<Member>(m).count = ranges.i64[2 * m + 1]
    plan.push(1)
    plan.push(m * 16)
    plan.push(width)
  }
  return (chosen, upload, plan.bytes())
}

func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  if stage == 1 { reject("a member traps run") }
  let letters = input.slice(${LETTERS_AT}, ${INPUT_BYTES - LETTERS_AT})
  if kind == 1 {
    let key = from_string("letters")
    join(gather(1, key, null_fence(), input, ${RANGES_AT}, ${COHORT_UNITS}, letters))
  }
  let done = execute_3(stage, input.slice(0, ${RANGES_AT}), letters, output)
}
`;

const config = (version: number, kind: Kind): string => `library tiny.config
const.def export version : i64 = ${version}
const.def export kind : i64 = ${kinds.indexOf(kind)}
`;

/** The definition's files by name. */
export const programsOf = (
  kind: Kind,
  version: number,
  flaw: Flaw,
): readonly (readonly [name: string, text: string])[] => [
  ['prepare.loom', prepare(flaw, kind)],
  ['control.loom', control],
  ['kernel.loom', kernel],
  ['policy.loom', policy],
  ['config.loom', config(version, kind)],
];
