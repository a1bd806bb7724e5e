/**
 * `deployment.parameter_files: direct`: files have a second descriptor past the system's cache, or
 * preparation says why not. Not every file system reads directly: the test looks for one that does.
 */
import { fstatSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { DiskFiles } from '../../../runtime/packages/disk-files.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';
import { closeSources } from '../../../runtime/packages/package-checkpoints.js';
import { prepareFiles } from '../../../runtime/packages/prepare-package.js';
import { readRanges } from '../../../runtime/parameters/read-ranges.task.js';
import { descriptorBytes } from '../parameters/descriptor-bytes.js';
import { directFolder } from '../parameters/direct-folder.js';
import { pagedCheckpoint } from '../parameters/paged-checkpoint.js';
import { repositoryRoot } from './repository-root.js';
import { checkpoint, weightedPackage, wholeTensors } from './weighted-package.js';

const PAGE = 4096;

const declare = 'let net = source(root, "net")\nlet stage = stage(@bare, 0)';
const direct = { deployment: { parameter_files: 'direct' } };

function openedIn(folder: string) {
  writeFileSync(join(folder, 'net'), pagedCheckpoint('table', 3 * PAGE));
  const { document, files } = weightedPackage({
    declare,
    change: direct,
  });
  for (const name of ['prepare', 'control', 'kernel', 'policies']) {
    writeFileSync(join(folder, `${name}.loom`), files.read(`${name}.loom`));
  }
  return prepareFiles(document, new DiskFiles(folder), localFacts());
}

const folder = directFolder([tmpdir(), '/var/tmp', join(repositoryRoot, '.build')]);
// No file system here reads directly: what remains to be tested is that this is told.
const onDirect = folder === null ? test.skip : test;

onDirect('a file has two descriptors, which are closed together', () => {
  const { parameters } = openedIn(folder!);
  const file = parameters.sources[0]!.files[0]!;
  const [buffered, second] = [file.descriptor, file.direct!].map((fd) => fstatSync(fd));
  assert.is(buffered!.ino, second!.ino);
  closeSources(parameters.sources);
  for (const fd of [file.descriptor, file.direct!]) assert.throws(() => fstatSync(fd), /EBADF/);
});

onDirect('aligned ranges are read directly, and the end of a shortened file is told', () => {
  const { parameters } = openedIn(folder!);
  const file = parameters.sources[0]!.files[0]!;
  const { offset, bytes, shard } = parameters.indexes[0]!.tensors.get('table')!;
  const entry = { key: 'table', source: 0, shard, offset, bytes };
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const buffer = memory.buffer as unknown as SharedArrayBuffer;
  const target = { buffer, offset: PAGE, length: 4 * PAGE };
  const page = BigInt(PAGE);
  const rows = descriptorBytes([
    [2n * page, 0n, page],
    [0n, page, page],
  ]);
  readRanges({ file, entry, descriptors: rows, target });
  const found = new Uint8Array(buffer, PAGE, 2 * PAGE);
  assert.equal([found[0], found[PAGE - 1]], [3, 3], 'page 2 of the entry');
  assert.equal([found[PAGE], found[2 * PAGE - 1]], [1, 1]);
  truncateSync(join(folder!, 'net'), offset + PAGE + 100);
  const cut = descriptorBytes([[page, 0n, page]]);
  assert.throws(
    () => readRanges({ file, entry, descriptors: cut, target }),
    (error: Error) => /entry 'table': net: bytes \d+ to \d+ cannot be read/.test(error.message),
  );
  closeSources(parameters.sources);
});

test('files without direct reads fail preparation, with the knob', () => {
  const { document, files } = weightedPackage({
    declare,
    files: { net: checkpoint(wholeTensors()) },
    change: direct,
  });
  try {
    prepareFiles(document, files, localFacts());
  } catch (error) {
    const { code, message } = toStatus(error);
    assert.is(code, 'failedPrecondition');
    return assert.match(message, /net: .*no direct reads \(deployment\.parameter_files\)/);
  }
  throw new Error('it was prepared');
});

test('the knob knows two modes; reads are buffered without it', () => {
  const { document } = weightedPackage({ declare: '' });
  assert.is(document.deployment.parameter_files, 'buffered');
  const odd = { ...document, deployment: { parameter_files: 'fast' } };
  assert.throws(() => checkModelDocument(odd, 'model.json'), /deployment\.parameter_files/);
});

test.after(() => {
  if (folder !== null) rmSync(folder, { recursive: true });
});

test.run();
