import { mkdirSync, mkdtempSync, cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { DiskFiles } from '../../../runtime/packages/disk-files.js';
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import type { PackageFiles } from '../../../runtime/packages/package-files.js';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytesOf = (words: string): Uint8Array => new TextEncoder().encode(words);

let top = '';

test.before.each(() => {
  top = mkdtempSync(join(tmpdir(), 'package-files-'));
  for (const folder of ['tree/model/sub', 'tree/motifs', 'tree2', 'other']) {
    mkdirSync(join(top, folder), { recursive: true });
  }
  writeFileSync(join(top, 'tree/model/a.loom'), 'a');
  writeFileSync(join(top, 'tree/model/sub/b.loom'), 'b');
  writeFileSync(join(top, 'tree/motifs/m.loom'), 'm');
  writeFileSync(join(top, 'other/secret'), 's');
  writeFileSync(join(top, 'tree2/secret'), 's');
});

test.after.each(() => rmSync(top, { recursive: true }));

const disk = (...roots: string[]): DiskFiles =>
  new DiskFiles(
    join(top, 'tree/model'),
    roots.map((root) => join(top, root)),
  );
const memory = (): MemoryFiles =>
  new MemoryFiles(
    new Map([
      ['model/a.loom', bytesOf('a')],
      ['model/sub/b.loom', bytesOf('b')],
      ['motifs/m.loom', bytesOf('m')],
    ]),
    'model',
  );

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return toStatus(error).code;
  }
  return 'none';
}

test('references resolve from the document on disk and in memory alike', () => {
  const both: PackageFiles[] = [disk(), memory()];
  for (const files of both) {
    assert.is(text(files.read('a.loom')), 'a');
    assert.is(text(files.read('./sub/b.loom')), 'b');
    assert.is(text(files.read('sub/../a.loom')), 'a');
    assert.is(text(files.read('../motifs/m.loom')), 'm');
    assert.is(files.name('./sub/../sub//b.loom'), 'sub/b.loom');
    assert.is(files.name('../motifs/m.loom'), '../motifs/m.loom');
    assert.equal(files.list('sub'), ['b.loom']);
    assert.equal(files.list('nowhere'), []);
    assert.ok(files.has('a.loom'));
    assert.not(files.has('c.loom'));
    assert.not(files.has('../../../other'));
    assert.is(
      codeOf(() => files.read('c.loom')),
      'notFound',
    );
  }
});

test('what no reference may be is refused before anything is read', () => {
  const both: PackageFiles[] = [disk(), memory()];
  for (const files of both) {
    for (const reference of ['', '/etc/hostname', 'file:///etc', 'C:/x', 'a\\b', 'a\0b']) {
      assert.is(
        codeOf(() => files.read(reference)),
        'permissionDenied',
        reference,
      );
    }
  }
});

test('dots do not lead out', () => {
  for (const reference of [
    '../../other/secret',
    'sub/../../../other/secret',
    '../../tree2/secret',
  ]) {
    assert.throws(() => disk().read(reference), /escapes the folders/);
  }
  assert.throws(() => memory().read('../../other/secret'), /escapes/);
  // The same answer whether the file outside exists or not.
  assert.throws(() => disk().read('../../other/nothing'), /escapes the folders/);
});

test('a folder whose name starts like a root is not in it', () => {
  assert.throws(() => disk('tree').read('../../tree2/secret'), /escapes/);
});

test('links are judged by where they lead', () => {
  symlinkSync(join(top, 'other/secret'), join(top, 'tree/model/out'));
  symlinkSync(join(top, 'other'), join(top, 'tree/model/folder'));
  symlinkSync(join(top, 'tree/motifs/m.loom'), join(top, 'tree/model/inside'));
  assert.throws(() => disk().read('out'), /escapes/);
  assert.throws(() => disk().read('folder/secret'), /escapes/);
  assert.throws(() => disk().list('folder'), /escapes/);
  assert.is(text(disk().read('inside')), 'm');
});

test('a base behind a link is the folder that it leads to', () => {
  symlinkSync(join(top, 'tree/model'), join(top, 'other/model'));
  const files = new DiskFiles(join(top, 'other/model'));
  assert.is(text(files.read('../motifs/m.loom')), 'm');
});

test('package roots replace the default root', () => {
  assert.throws(() => disk('tree/model').read('../motifs/m.loom'), /--package-root/);
  assert.is(text(disk('tree/model', 'tree/motifs').read('../motifs/m.loom')), 'm');
  assert.throws(() => disk('other'), /escapes/);
  assert.is(text(disk('tree', 'other').read('../../other/secret')), 's');
});

test('a folder is no file, and a base must be an absolute folder', () => {
  assert.is(
    codeOf(() => disk().read('sub')),
    'notFound',
  );
  assert.is(
    codeOf(() => new DiskFiles('models/first-output')),
    'permissionDenied',
  );
  assert.is(
    codeOf(() => new DiskFiles(join(top, 'nowhere'))),
    'notFound',
  );
  assert.is(
    codeOf(() => new DiskFiles(join(top, 'other/secret'))),
    'notFound',
  );
});

test('a tree that was copied elsewhere reads the same, under the same names', () => {
  cpSync(join(top, 'tree'), join(top, 'copy/deeper'), { recursive: true });
  const copy = new DiskFiles(join(top, 'copy/deeper/model'));
  for (const reference of ['a.loom', 'sub/b.loom', '../motifs/m.loom']) {
    assert.equal(copy.read(reference), disk().read(reference));
    assert.is(copy.name(reference), disk().name(reference));
  }
});

test.run();
