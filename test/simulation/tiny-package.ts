/**
 * The package that simulations serve: small, and wicked on purpose. The first byte of an input says
 * how it misbehaves, its version is in every row, and larger cohorts need a stage of their own, so
 * every path of a finite request can be reached. `expected` is the independent oracle: what one
 * input gives alone, computed here from the text and nothing else.
 *
 *   '!' refused    '?' loops for ever in prepare_request    'e' takes long in it
 *   'X' traps prepare_batch in company    'Y' always    'B' gives an invalid table in company
 *   'R' traps run in company    'Q' always
 *   'Z', with a tag of its own, declares a stage that is refused
 */
import { MemoryFiles } from '../../runtime/packages/memory-files.js';
import { checkModelDocument } from '../../runtime/packages/model-document.js';
import type { ModelDocument } from '../../runtime/packages/model-document.js';

/** Units (bytes) of one input and of one cohort; extents of the cold and the specialized stages. */
export const INPUT_UNITS_MAX = 6;
export const COHORT_UNITS = 14;
const COLD_EXTENT = 4;

/** What is wrong with a version: it refuses to prepare, to compile, to load; or nothing. */
export const flaws = ['none', 'refuses', 'compiles', 'loads'] as const;
export type Flaw = (typeof flaws)[number];

/** The last digit of a version is its flaw. */
export const flawOf = (version: number): Flaw => flaws[version % 10]!;

const kernel = `library tiny
config.decl version : i64 = 1
config.decl extent : i64 = ${COLD_EXTENT}
layout.def export Head { members: i32, units: i32 }
layout.def export Member { first: i32, count: i32 }

kernel.def rows(words: in view<i32>, result: out view<f32>, members: i32) workgroup(4) {
  let m = workgroup.x
  let first = 2 + 2 * members + words[2 + 2 * m]
  let count = words[3 + 2 * m]
  parallel k in 0..4 {
    var sum = 0
    for i in 0..count { sum += words[first + i] * ((i + k) % 4 + 1) }
    result[m * 4 + k] = select(k == 0, f32(version), f32(sum))
  }
}
kernel.def copy(source: in view<f32>, result: out view<f32>) workgroup(4) {
  let m = workgroup.x
  parallel k in 0..4 { result[m * 4 + k] = source[m * 4 + k] }
}
command.def export forward(input: root, output: root) {
  let members = word(input, Head.members)
  workspace held : f32[extent * 64]
  dispatch rows(input, held, members) grid(members)
  dispatch copy(held, output) grid(members)
}
`;

const prepare = (flaw: Flaw): string => `library tiny.prepare
use tiny { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") workspace_limit(stage: i64, bytes: i64)
record.def export Cold { longest: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  ${flaw === 'refuses' ? 'require(1 == 2, "this version refuses to prepare")' : ''}
  let cold = stage(@forward, 0)
  let refusing = stage(@forward, 1)
  ${flaw === 'compiles' ? 'workspace_limit(refusing, 1)' : ''}
  return (${COHORT_UNITS}, 512, 256, 256, "", "tiny", seal(Cold { longest: ${INPUT_UNITS_MAX} }))
}
`;

const control = `library tiny.control
use tiny { forward, Head, Member }
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") config_i64(stage: i64, key: string, value: i64)
func.decl import("prepare") workspace_limit(stage: i64, bytes: i64)
func.decl import("runner") execute_2(stage: i64, input: hal.buffer, output: hal.buffer) -> work

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
  return (text, text.len, select(first == 90, 1, 0))
}

func.def export prepare_batch(
  state: ref, tags: buffer, ranges: buffer, prepared: buffer
) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let units = prepared.len
  let texts = Head.size + members * Member.size
  let upload = buffer.new(texts + units * 4)
  upload.at<Head>(0).members = members
  upload.at<Head>(0).units = units
  for i in 0..units { upload.i32[texts / 4 + i] = i32(prepared.u8[i]) }
  let table = upload.from(Head.size)
  var plan = list<i64>(members * 16, members * 16)
  var chosen = 0
  if units > ${COLD_EXTENT} {
    chosen = stage(@forward, 2)
    config_i64(chosen, "tiny.extent", ${2 * COLD_EXTENT})
  }
  // The largest cohorts declare two stages and use the second.
  if units > ${2 * COLD_EXTENT} {
    chosen = stage(@forward, 2)
    config_i64(chosen, "tiny.extent", ${4 * COLD_EXTENT})
  }
  var width = 16
  for m in 0..members {
    let first = ranges.i64[2 * m]
    let kind = prepared.u8[first]
    if kind == 89 || kind == 88 && members > 1 { reject("a member traps the batch") }
    if kind == 66 && members > 1 { width = 15 }
    if kind == 81 || kind == 82 && members > 1 { chosen = 1 }
    if kind == 90 {
      chosen = stage(@forward, 3)
      workspace_limit(chosen, 1)
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
  let done = execute_2(stage, input, output)
}
`;

export interface TinyPackage {
  readonly document: ModelDocument;
  readonly files: MemoryFiles;
}

export function tinyPackage(id: string, version: number, specializations = 1): TinyPackage {
  const texts: readonly [string, string][] = [
    ['prepare.loom', prepare(flawOf(version))],
    ['control.loom', control],
    ['kernel.loom', kernel],
    ['config.loom', `library tiny.config\nconst.def export version : i64 = ${version}\n`],
  ];
  const document = {
    loom: 1,
    id,
    profile: 'embeddings',
    definition: {
      prepare: 'prepare.loom',
      control: 'control.loom',
      config: 'config.loom',
      sources: ['kernel.loom'],
    },
    deployment: { specialization_cache: specializations, capacity: { fuel: 5_000 } },
  };
  const encoder = new TextEncoder();
  return {
    document: checkModelDocument(document, 'model.json'),
    files: new MemoryFiles(new Map(texts.map(([name, text]) => [name, encoder.encode(text)]))),
  };
}

/** How an input fails, alone or not; null for one that does not. */
export function failureOf(text: string): 'invalidArgument' | 'resourceExhausted' | null {
  if (text.length === 0 || text.length > INPUT_UNITS_MAX) return 'invalidArgument';
  if ('!YQ'.includes(text[0]!)) return 'invalidArgument';
  return '?Z'.includes(text[0]!) ? 'resourceExhausted' : null;
}

/** What one input gives alone: its row without the version, or that it fails. */
export type Expected = readonly number[] | 'fails';

export function expected(text: string): Expected {
  if (failureOf(text) !== null) return 'fails';
  const codes = [...text].map((char) => char.charCodeAt(0));
  return [1, 2, 3].map((k) =>
    codes.reduce((sum, code, i) => Math.fround(sum + code * (((i + k) % 4) + 1)), 0),
  );
}
