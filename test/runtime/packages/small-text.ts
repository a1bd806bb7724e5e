/**
 * The least package with retained rows, as texts that tests change. A token is a byte value; a page
 * keeps the ids of 4 tokens; the state is a running sum that begins with 7. What follows is
 * (sum of the row's ids from its pages + state) % 60 + 2, and 1 ends a turn.
 */
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';

export const smallTextPrepare = `library small.prepare
use small { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
record.def export Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, buffer, buffer, buffer, string, ref) {
  let large = stage(@forward, 8)
  let one = stage(@forward, 1)
  let storage = list<i64>(4, 16, 24, 8, 6)
  let packets = list<i64>(132, 192, 32, 4, 8, 64)
  let ends = list<i64>(1)
  return (4, 8, 4, 32, storage.bytes(), packets.bytes(), ends.bytes(), "", seal(Cold { size: 4 }))
}
`;

/** Metadata: the number of spans, then 8 words each. Input: ids, then from byte 64 on pages. */
export const smallTextControl = `library small.control
func.decl import("input") text(index: i64) -> string
func.decl import("input") kind(index: i64) -> i64
func.decl import("input") number(index: i64) -> f64
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("chat") render(template: string, json: string) -> string
func.decl import("buffer") from_string(value: string) -> buffer
func.decl import("runner") execute_5(stage: i64, a: hal.buffer, b: hal.buffer, c: hal.buffer, d: hal.buffer, e: hal.buffer) -> work
func.decl import("runner") feedback(w: work, source: hal.buffer, offset: i64, length: i64, slot: i64)

func.def of_bytes(text: buffer) -> buffer {
  let ids = buffer.new(4 * text.len)
  for i in 0..text.len { ids.i32[i] = i32(text.u8[i] % 60 + 2) }
  return ids
}
func.def export prompt_ids(state: ref, input: buffer) -> buffer {
  if kind(0) == 2 { return bytes(0) }
  if kind(0) == 4 { return of_bytes(from_string(render("", text(0)))) }
  if text(0) == "held" { return of_bytes(from_string(format("{}", i64(number(1))))) }
  if text(0) == "no" { reject("this model does not read '{}'", text(0)) }
  return of_bytes(from_string(text(0)))
}
func.def export request_defaults(state: ref) -> buffer {
  let options = buffer.new(80)
  options.f64[0] = 0.25
  options.f64[1] = 1.0
  options.f64[6] = 1.0
  options.f64[8] = -1.0
  return options
}
func.def export request_options(state: ref, options: buffer) -> buffer {
  if options.f64[2] > 50.0 { reject("top_k is above 50") }
  return options
}
func.def export bind_request(state: ref, options: buffer) -> (buffer, i64) {
  return (options.slice(0, 8), 2)
}
func.def export encode_state(state: ref) -> buffer {
  let empty = buffer.new(4)
  empty.i32[0] = i32(7)
  return empty
}
func.def export encode_epoch(state: ref, shape: i64, spans: buffer, ids: buffer, pages: buffer, bound: buffer, masks: buffer, metadata: buffer, input: buffer) -> (i64, buffer, i64, i64) {
  let count = spans.len / 128
  metadata.i32[0] = i32(count)
  var outputs = 0
  var tokens = 0
  for s in 0..count {
    let span = spans.slice(s * 128, 128)
    let words = metadata.slice(4 + s * 32, 32)
    words.i32[0] = i32(span.i64[2])
    words.i32[1] = i32(span.i64[3])
    words.i32[2] = i32(tokens)
    words.i32[3] = i32(span.i64[7])
    words.i32[4] = i32(span.i64[1])
    words.i32[5] = i32(-1)
    if span.i64[4] != 0 {
      words.i32[5] = i32(outputs)
      outputs += span.i64[5] + 1
    }
    input.copy(tokens * 4, ids, span.i64[6] * 4, span.i64[3] * 4)
    tokens += span.i64[3]
  }
  input.copy(64, pages, 0, pages.len)
  let plan = list<i64>(0, 0, 0, 0, 4 + count * 32, 1, 0, 1, 0, tokens * 4, 1, 64, 1, 64, pages.len)
  return (outputs, plan.bytes(), 0, 120)
}
func.def export epoch(stage: i64, outputs: i64, metadata: hal.buffer, input: hal.buffer, pages: hal.buffer, states: hal.buffer, residual: hal.buffer) {
  let done = execute_5(stage, metadata, input, pages, states, residual)
  feedback(done, residual, 0, outputs * 4, 0)
}
func.def export publish_epoch(state: ref, shape: i64, spans: buffer, chosen: buffer) -> (buffer, buffer) {
  let count = spans.len / 128
  var table = list<i64>()
  var output = 0
  for s in 0..count {
    let span = spans.slice(s * 128, 128)
    table.push(span.i64[3] - span.i64[5])
    if span.i64[4] == 0 { table.push(-1) } else {
      table.push(i64(chosen.i32[output]))
      output += span.i64[5] + 1
    }
    table.push(0)
    table.push(0)
  }
  return (table.bytes(), buffer.new(0))
}
`;

/** The same as a sequence: no prompts, and a span's output is 8 bytes in two pieces. */
export const smallSequenceControl = [
  smallTextControl.slice(0, smallTextControl.indexOf('func.def of_bytes')),
  smallTextControl.slice(smallTextControl.indexOf('func.def export request_defaults')),
  `func.def export capture_epoch(state: ref, shape: i64, count: i64, spans: buffer) -> buffer {
  var triples = list<i64>()
  for s in 0..count {
    triples.push(s)
    triples.push(8 * (count - 1 - s))
    triples.push(4)
    triples.push(s)
    triples.push(8 * (count - 1 - s) + 4)
    triples.push(4)
  }
  return triples.bytes()
}
`,
].join('');

export const smallTextKernel = `library small
kernel.def step(metadata: in view<i32>, ids: in view<i32>, pages: inout view<i32>, states: inout view<i32>, residual: out view<i32>) workgroup(1) {
  let base = 1 + workgroup.x * 8
  let first = metadata[base]
  let count = metadata[base + 1]
  let at = metadata[base + 2]
  let table = 16 + metadata[base + 3]
  let state = metadata[base + 4] * 2
  let output = metadata[base + 5]
  parallel lane in 0..1 {
    var carried = states[state]
    for t in 0..count {
      let position = first + t
      pages[ids[table + position / 4] * 4 + position % 4] = ids[at + t]
      carried += ids[at + t]
    }
    states[state] = carried
    var sum = 0
    for p in 0..first + count { sum += pages[ids[table + p / 4] * 4 + p % 4] }
    if output >= 0 { residual[output] = (sum + carried) % 60 + 2 }
  }
}
command.def export forward(metadata: root, input: root, pages: root, states: root, residual: root) {
  let spans = word(metadata, 0)
  dispatch step(metadata, input, pages, states, residual) grid(spans)
}
`;

export interface SmallTextFiles {
  readonly prepare?: string;
  readonly control?: string;
  /** Beside the programs. */
  readonly more?: Readonly<Record<string, string>>;
}

/** The package with some files replaced; `change` goes over the document. */
export function smallText(given: SmallTextFiles = {}, change: object = {}) {
  const { prepare = smallTextPrepare, control = smallTextControl, more = {} } = given;
  const texts = {
    'prepare.loom': prepare,
    'control.loom': control,
    'kernel.loom': smallTextKernel,
    ...more,
  };
  const files = Object.entries(texts).map(
    ([name, content]) => [name, new TextEncoder().encode(content)] as const,
  );
  const definition = {
    prepare: 'prepare.loom',
    control: 'control.loom',
    sources: ['kernel.loom'],
  };
  const document = { loom: 1, id: 'small-text', profile: 'text', definition, ...change };
  return {
    document: checkModelDocument(document, 'model.json'),
    files: new MemoryFiles(new Map(files)),
  };
}
