/** The reading task on real files: what lands in the target, and what a read that fails says. */
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { readRanges } from '../../../runtime/parameters/read-ranges.task.js';
import { descriptorBytes, type Descriptor } from './descriptor-bytes.js';

const BYTES = 10_000;
const content = Uint8Array.from({ length: BYTES }, (_, at) => (at * 7) % 251);

function withFile(run: (path: string, descriptor: number) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'loom-ranges-'));
  const path = join(folder, 'weights');
  writeFileSync(path, content);
  const descriptor = openSync(path, 'r');
  try {
    run(path, descriptor);
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}

interface Read {
  readonly descriptor: number;
  readonly rows: readonly Descriptor[];
  readonly direct?: number;
  /** Address of the target in its buffer. */
  readonly address?: number;
  readonly entryOffset?: number;
}

function read({ descriptor, rows, direct, address = 8, entryOffset = 1000 }: Read): Uint8Array {
  const buffer = new SharedArrayBuffer(3 * 4096);
  new Uint8Array(buffer).fill(0xee);
  const entry = { key: 'table', source: 0, shard: 0, offset: entryOffset, bytes: 8500 };
  const file = { name: 'weights', descriptor, bytes: BYTES, ...(direct && { direct }) };
  const target = { buffer, offset: address, length: buffer.byteLength - address };
  readRanges({ file, entry, descriptors: descriptorBytes(rows), target });
  return new Uint8Array(buffer).slice(address);
}

function refusal(asked: Read): StatusError {
  try {
    read(asked);
  } catch (error) {
    assert.instance(error, StatusError);
    return error as StatusError;
  }
  throw new Error('it was read');
}

test('ranges land where they shall, and nothing else is touched', () =>
  withFile((_path, descriptor) => {
    const rows: Descriptor[] = [
      [5n, 100n, 10n],
      [15n, 110n, 6n],
      [0n, 50n, 4n],
      [8499n, 0n, 1n],
    ];
    const found = read({ descriptor, rows });
    const expected = new Uint8Array(found.length).fill(0xee);
    expected.set(content.subarray(1005, 1021), 100);
    expected.set(content.subarray(1000, 1004), 50);
    expected[0] = content[9499]!;
    assert.equal(found, expected);
  }));

test('a file that was cut short fails the reads that touch its end, with the range', () =>
  withFile((path, descriptor) => {
    truncateSync(path, 2000);
    const error = refusal({ descriptor, rows: [[996n, 0n, 8n]] });
    assert.is(error.code, 'dataLoss');
    assert.match(
      error.message,
      /entry 'table': weights: bytes 1996 to 2004 cannot be read: the file ends at 2000; it had 10000/,
    );
    assert.equal(
      read({ descriptor, rows: [[992n, 0n, 8n]] }).subarray(0, 8),
      content.subarray(1992, 2000),
    );
  }));

test('direct reads refuse what is not aligned before they read', () =>
  withFile((_path, descriptor) => {
    const cases: [asked: Omit<Read, 'descriptor'>, what: RegExp][] = [
      [{ rows: [[0n, 0n, 4096n]], entryOffset: 1000, address: 0 }, /has file offset 1000 /],
      [{ rows: [[0n, 0n, 100n]], entryOffset: 0, address: 0 }, /has length 100 /],
      [{ rows: [[0n, 64n, 4096n]], entryOffset: 0, address: 0 }, /has target address 64 /],
      [{ rows: [[0n, 0n, 4096n]], entryOffset: 0, address: 256 }, /has target address 256 /],
    ];
    for (const [asked, what] of cases) {
      const error = refusal({ descriptor, direct: descriptor, ...asked });
      assert.is(error.code, 'internal');
      assert.match(error.message, what);
      assert.match(error.message, /multiples of 4096 .*deployment\.parameter_files: buffered/);
    }
  }));

test.run();
