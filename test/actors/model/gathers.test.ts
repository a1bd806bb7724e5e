/**
 * Reads on demand on real threads: rows of a table that is never resident. The text of a member is
 * its descriptor, so that a request can ask for what no table has.
 */
import { renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSafetensors } from '../../../runtime/parameters/checkpoints/safetensors-writer.js';
import { rejection, sharedServer, type TestServer } from '../running-server.js';
import { writePackage, type Texts } from '../serving/faulty-package.js';
import { gauges, isQuiet } from '../serving/quiet.js';
import { openFiles } from './open-files.js';

/** Text "KV": the row of member V is word V - '0' of the table; other K break the descriptor. */
const texts: Texts = {
  'prepare.loom': `library lazy.prepare
use lazy { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") source(directory: string, path: string) -> i64
record.def Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let cold = stage(@forward, 0)
  let table = source(root, "table.safetensors")
  return (8, 512, 32, 32, "", "lazy", seal(Cold { size: 4 }))
}
`,
  'control.loom': `library lazy.control
func.decl import("input") bytes(index: i64) -> buffer
func.decl import("buffer") from_string(text: string) -> buffer
func.decl import("runner") execute_2(stage: i64, a: hal.buffer, b: hal.buffer) -> work
func.decl import("runner") null_fence() -> hal.fence
func.decl import("runner") join(ready: hal.fence)
func.decl import("parameters") gather(source: i64, key: buffer, wait: hal.fence, descriptors: hal.buffer, offset: i64, count: i64, target: hal.buffer) -> hal.fence
func.def export prepare_request(state: ref, input: buffer) -> (buffer, i64, i64) {
  return (bytes(0), 1, 0)
}
func.def export prepare_batch(state: ref, tags: buffer, ranges: buffer, prepared: buffer) -> (i64, buffer, buffer) {
  let members = ranges.len / 16
  let upload = buffer.new(192)
  var plan = list<i64>(32, 4 * members)
  for m in 0..members {
    let at = ranges.i64[2 * m]
    upload.i64[3 * m] = (i64(prepared.u8[at + 1]) - 48) * 4
    upload.i64[3 * m + 1] = 4 * m
    upload.i64[3 * m + 2] = 4
    if prepared.u8[at] == 111 { upload.i64[3 * m] = -2 }
    if prepared.u8[at] == 98 { upload.i64[3 * m + 1] = 30 }
    plan.push(1)
    plan.push(4 * m)
    plan.push(4)
  }
  return (0, upload, plan.bytes())
}
func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  let rows = input.slice(256, 32)
  let ready = gather(0, from_string("table"), null_fence(), input, 0, 8, rows)
  join(ready)
  let done = execute_2(stage, rows, output)
}
`,
  'kernel.loom': `library lazy
kernel.def double(x: in view<f32>, y: out view<f32>) workgroup(8) { parallel i in 0..8 { y[i] = x[i] * 2.0 } }
command.def export forward(input: root, output: root) { dispatch double(input, output) grid(1) }
`,
};

const WORDS = 16;
const wordOf = (at: number): number => 100 + at;

function checkpoint(more = 0): Uint8Array {
  const values = Float32Array.from({ length: WORDS }, (_, at) => wordOf(at) + more);
  const bytes = new Uint8Array(values.buffer);
  return writeSafetensors([{ name: 'table', type: 'F32', shape: [WORDS], bytes }]);
}

const shared = sharedServer();

async function withLazy(
  body: (server: TestServer, folder: string, file: string) => Promise<void>,
): Promise<void> {
  const { folder, remove } = writePackage(texts, { id: 'lazy' });
  const file = join(folder, 'table.safetensors');
  writeFileSync(file, checkpoint());
  try {
    await shared.with([folder], (server) => body(server, folder, file));
  } finally {
    remove();
  }
}

const floatOf = (row: Float32Array): number => row[0]!;

async function ask(server: TestServer, at: number): Promise<void> {
  const { rows } = await server.embed('lazy', [`a${String.fromCharCode(48 + at)}`]);
  assert.equal(rows[0], Float32Array.of(2 * wordOf(at)));
}

test('rows come from the file, alone and in any company', () =>
  withLazy(async (server) => {
    await ask(server, 3);
    await Promise.all(Array.from({ length: 40 }, (_, index) => ask(server, index % WORDS)));
    await isQuiet(server);
  }));

test('bad descriptors fail their request alone', () =>
  withLazy(async (server) => {
    for (const [text, expected] of [
      ['o1', /descriptor \d reads up to byte 18446744073709551618 of entry 'table', which has 64/],
      ['a@', /descriptor \d reads up to byte 68 of entry 'table', which has 64/],
      ['b1', /descriptor \d writes up to byte 34 of the target, which has 32/],
    ] as const) {
      const company = [1, 2, 3, 4].map((at) => ask(server, at));
      const outcome = await rejection(server.embed('lazy', [text]));
      assert.is(outcome.code, 'internal');
      assert.match(outcome.message, expected);
      await Promise.all(company);
    }
    await isQuiet(server);
  }));

test('a file that is cut short while it is served fails the reads that touch what is gone', () =>
  withLazy(async (server, _folder, file) => {
    const whole = checkpoint();
    truncateSync(file, whole.length - 8);
    const outcome = await rejection(server.embed('lazy', ['a?']));
    assert.is(outcome.code, 'dataLoss');
    assert.match(
      outcome.message,
      /entry 'table': table\.safetensors: bytes \d+ to \d+ cannot be read: the file ends at \d+/,
    );
    await ask(server, 13);
    writeFileSync(file, whole);
    await ask(server, 15);
  }));

test('a removal or a replacement under way redirects no read, and every file is closed', () =>
  withLazy(async (server, folder, file) => {
    const moved = checkpoint(1000);
    const { generation: old } = await server.serving.modelState('lazy');
    for (let round = 0; round < 3; round += 1) {
      const asked = Array.from({ length: 8 }, (_, at) =>
        server.embed('lazy', [`a${String.fromCharCode(48 + at)}`]).then(
          ({ rows, generation }) => ({ at, generation, value: floatOf(rows[0]!) }),
          () => null,
        ),
      );
      writeFileSync(`${file}.new`, round % 2 === 0 ? moved : checkpoint());
      renameSync(`${file}.new`, file);
      await server.serve(folder);
      for (const answer of await Promise.all(asked)) {
        assert.ok(answer !== null, 'a replacement loses no request');
        const isMoved = (answer.generation - old) % 2 === 1;
        assert.is(answer.value, 2 * (wordOf(answer.at) + (isMoved ? 1000 : 0)));
      }
    }
    await server.serving.unregister('lazy');
    assert.is((await gauges(server))['loom_device_bytes'], 0);
    assert.equal(openFiles(folder), []);
  }));

test.after(() => shared.close());

test.run();
