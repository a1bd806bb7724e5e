/**
 * A deployment with `parameter_files: direct` on real threads: pages of a table go from the disk
 * into storage of the invocation, which starts where direct reads can write.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { directFolder } from '../../runtime/parameters/direct-folder.js';
import { pagedCheckpoint } from '../../runtime/parameters/paged-checkpoint.js';
import { rejection, sharedServer, type TestServer } from '../running-server.js';
import { writePackage, type Texts } from '../serving/faulty-package.js';
import { isQuiet } from '../serving/quiet.js';
import { openFiles } from './open-files.js';

/** Text "KP": the first byte of page P - '0' is its row; with K 'u' one byte less is read. */
const texts: Texts = {
  'prepare.loom': `library paged.prepare
use paged { forward }
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
func.decl import("prepare") source(directory: string, path: string) -> i64
record.def Cold { size: i64 }
func.def export prepare(root: string, options: ref) -> (i64, i64, i64, i64, string, string, ref) {
  let cold = stage(@forward, 0)
  let pages = source(root, "pages.safetensors")
  return (1, 8192, 4, 4, "", "paged", seal(Cold { size: 4 }))
}
`,
  'control.loom': `library paged.control
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
  let upload = buffer.new(24)
  upload.i64[0] = (i64(prepared.u8[1]) - 48) * 4096
  upload.i64[2] = 4096
  if prepared.u8[0] == 117 { upload.i64[2] = 4095 }
  return (0, upload, list<i64>(4, 4, 1, 0, 4).bytes())
}
func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {
  let page = input.slice(4096, 4096)
  join(gather(0, from_string("pages"), null_fence(), input, 0, 1, page))
  let done = execute_2(stage, page, output)
}
`,
  'kernel.loom': `library paged
kernel.def first(x: in view<i32>, y: out view<f32>) workgroup(1) { once { y[0] = f32(x[0] & 255) } }
command.def export forward(input: root, output: root) { dispatch first(input, output) grid(1) }
`,
};

const PAGES = 6;
const probe = directFolder([tmpdir()]);
// The file system of temporary files has no direct reads.
const onDirect = probe === null ? test.skip : test;

const shared = sharedServer();

async function withPaged(body: (server: TestServer, folder: string) => Promise<void>) {
  const deployment = { parameter_files: 'direct' };
  const { folder, remove } = writePackage(texts, { id: 'paged', deployment });
  writeFileSync(join(folder, 'pages.safetensors'), pagedCheckpoint('pages', PAGES * 4096));
  try {
    await shared.with([folder], (server) => body(server, folder));
  } finally {
    remove();
  }
}

onDirect('pages arrive, whatever else lies in the memory of the device', () =>
  withPaged(async (server, folder) => {
    assert.is(openFiles(folder).length, 2, 'a descriptor for the index, one for gathers');
    const asks = Array.from({ length: 24 }, async (_, index) => {
      const page = index % PAGES;
      const { rows } = await server.embed('paged', [`a${page}`]);
      assert.equal(rows[0], Float32Array.of(page + 1));
    });
    await Promise.all(asks);
    await isQuiet(server);
    await server.serving.unregister('paged');
    for (let turn = 0; turn < 4_000 && openFiles(folder).length > 0; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(openFiles(folder), []);
  }),
);

onDirect('what is not aligned fails its request, and is not read another way', () =>
  withPaged(async (server) => {
    const company = server.embed('paged', ['a2']);
    const { code, message } = await rejection(server.embed('paged', ['u1']));
    assert.is(code, 'internal');
    assert.match(
      message,
      /multiples of 4096 .*'pages' has length 4095 .*parameter_files: buffered/,
    );
    assert.equal((await company).rows[0], Float32Array.of(3));
  }),
);

test.after(async () => {
  await shared.close();
  if (probe !== null) rmSync(probe, { recursive: true });
});

test.run();
