/** Files on disk and in memory: whole reads, files that change, sizes beyond 4 GiB. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatusError } from '../../../../runtime/base/errors.js';
import { DiskParameterFile } from '../../../../runtime/parameters/checkpoints/disk-parameter-file.js';
import { indexCheckpoint } from '../../../../runtime/parameters/checkpoints/index-checkpoint.js';
import { MemoryParameterFile } from '../../../../runtime/parameters/checkpoints/parameter-file.js';
import type { ParameterFile } from '../../../../runtime/parameters/checkpoints/parameter-file.js';
import { safetensorsWriter } from '../../../../runtime/parameters/checkpoints/safetensors-writer.js';

let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'loom-parameters-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const content = Uint8Array.from({ length: 100 }, (_, index) => index);

function statusOf(act: () => unknown): { code: string; message: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('it succeeded');
}

function read(file: ParameterFile, offset: number, length: number): number[] {
  const into = new Uint8Array(length);
  file.read(offset, into);
  return [...into];
}

interface Opened {
  readonly file: ParameterFile;
  shorten(bytes: number): void;
}

const kinds: Readonly<Record<string, () => Opened>> = {
  memory: () => {
    const file = new MemoryParameterFile('weights', content);
    return { file, shorten: (bytes) => file.replace(content.subarray(0, bytes)) };
  },
  disk: () => {
    const path = join(folder, 'some');
    writeFileSync(path, content);
    const file = DiskParameterFile.open(path, 'weights');
    return { file, shorten: (bytes) => truncateSync(path, bytes) };
  },
};

for (const [kind, open] of Object.entries(kinds)) {
  test(`${kind}: reads are whole, or name file and range`, () => {
    const { file, shorten } = open();
    assert.equal([file.name, file.bytes], ['weights', 100]);
    assert.equal(read(file, 98, 2), [98, 99]);
    assert.equal(read(file, 100, 0), []);
    const beyond = statusOf(() => read(file, 90, 11));
    assert.is(beyond.code, 'dataLoss');
    assert.is(beyond.message, 'weights: bytes 90 to 101 cannot be read: the file ends at 100');
    shorten(50);
    assert.is(
      statusOf(() => read(file, 40, 20)).message,
      'weights: bytes 40 to 60 cannot be read: the file ends at 50; ' +
        'it had 100 bytes when it was opened',
    );
    assert.equal(read(file, 40, 10), [40, 41, 42, 43, 44, 45, 46, 47, 48, 49], 'the rest stays');
    assert.is(file.bytes, 100, 'what was opened');
  });
}

test('disk: reads go to shared memory as well', () => {
  const { file } = kinds.disk!();
  const into = new Uint8Array(new SharedArrayBuffer(8), 2, 4);
  file.read(20, into);
  assert.equal([...into], [20, 21, 22, 23]);
});

test('disk: a file that is replaced by name goes on being read', () => {
  const path = join(folder, 'replaced');
  writeFileSync(path, content);
  const file = DiskParameterFile.open(path, 'weights');
  writeFileSync(`${path}.new`, Uint8Array.of(1));
  renameSync(`${path}.new`, path);
  assert.equal(read(file, 99, 1), [99]);
  file.close();
  file.close();
});

test('disk: what cannot be opened says why', () => {
  const missing = statusOf(() => DiskParameterFile.open(join(folder, 'none'), 'weights'));
  assert.equal(missing, { code: 'notFound', message: 'weights: no such file' });
  const other = statusOf(() => DiskParameterFile.open(folder, 'weights'));
  assert.equal(other, { code: 'invalidArgument', message: 'weights: not a regular file' });
});

test('disk: a named pipe is refused at once, although nobody writes to it', () => {
  const path = join(folder, 'pipe');
  try {
    execFileSync('mkfifo', [path]);
  } catch {
    return; // No named pipes on this system.
  }
  const { message } = statusOf(() => DiskParameterFile.open(path, 'weights'));
  assert.is(message, 'weights: not a regular file');
});

test('disk: a read that the system refuses names its range', () => {
  const path = join(folder, 'closed');
  writeFileSync(path, content);
  const file = DiskParameterFile.open(path, 'weights');
  closeSync(file.fd);
  const { code, message } = statusOf(() => read(file, 3, 4));
  assert.equal([code, message], ['dataLoss', 'weights: bytes 3 to 7 cannot be read (EBADF)']);
});

/** A sparse file with a few bytes far out; null where the file system would fill the holes. */
function sparseFile(header: Uint8Array, bytes: number, marks: ReadonlyMap<number, number>) {
  const path = join(folder, 'sparse.safetensors');
  const fd = openSync(path, 'w');
  writeSync(fd, header);
  ftruncateSync(fd, bytes);
  for (const [offset, mark] of marks) writeSync(fd, Uint8Array.of(mark), 0, 1, offset);
  closeSync(fd);
  const isSparse = statSync(path).blocks * 512 < 64 * 2 ** 20;
  if (isSparse) return path;
  rmSync(path);
  return null;
}

test('tensors above 2 GiB and offsets above 2^32 are indexed and read right', () => {
  const layout = safetensorsWriter([
    { name: 'large', type: 'F16', shape: [3, 2 ** 29] },
    { name: 'larger', type: 'U8', shape: [5 * 2 ** 30 + 1] },
    { name: 'last', type: 'U8', shape: [2] },
  ]);
  const [large, larger, last] = layout.tensors.map(({ offset, bytes }) => ({ offset, bytes }));
  const marks = new Map([
    [large!.offset + large!.bytes - 1, 11],
    [larger!.offset, 22],
    [last!.offset + 1, 33],
    // Where an offset of 32 bits would look for the last one.
    [(last!.offset + 1) % 2 ** 32, 99],
  ]);
  const path = sparseFile(layout.header, layout.bytes, marks);
  if (path === null) return;
  const file = DiskParameterFile.open(path, 'sparse');
  assert.is(file.bytes, layout.bytes);
  const { tensors } = indexCheckpoint([file]);
  for (const { name, offset, bytes } of layout.tensors) {
    assert.equal([tensors.get(name)?.offset, tensors.get(name)?.bytes], [offset, bytes]);
  }
  assert.equal(read(file, large!.offset + large!.bytes - 1, 2), [11, 22]);
  assert.ok(last!.offset > 2 ** 33);
  assert.equal(read(file, last!.offset, 2), [0, 33]);
  assert.match(statusOf(() => read(file, last!.offset, 3)).message, /cannot be read/);
  truncateSync(path, layout.bytes - 1);
  const short = DiskParameterFile.open(path, 'sparse');
  assert.match(statusOf(() => indexCheckpoint([short])).message, /sparse: tensor "last": expected/);
  file.close();
  short.close();
});

test.run();
