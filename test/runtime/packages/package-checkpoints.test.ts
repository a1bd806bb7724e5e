import { fstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { DiskFiles } from '../../../runtime/packages/disk-files.js';
import { closeSources, PackageCheckpoints } from '../../../runtime/packages/package-checkpoints.js';
import type { OpenParameterFile, PackageFiles } from '../../../runtime/packages/package-files.js';
import { prepareChoice } from '../../../runtime/packages/prepare-choice.js';
import { prepareFiles, preparePackage } from '../../../runtime/packages/prepare-package.js';
import { checkpoint, weightedPackage, wholeTensors } from './weighted-package.js';

const net = checkpoint(wholeTensors());
const { v: _v, ...others } = wholeTensors();
const shards = { rest: checkpoint(others), v: checkpoint({ v: wholeTensors().v }) };

/** Counts what is open. */
class CountedFiles implements PackageFiles {
  readonly #files: PackageFiles;
  opened = 0;
  closed = 0;

  constructor(files: PackageFiles) {
    this.#files = files;
  }

  read = (reference: string) => this.#files.read(reference);
  has = (reference: string) => this.#files.has(reference);
  name = (reference: string) => this.#files.name(reference);
  list = (folder: string) => this.#files.list(folder);

  openParameters(reference: string): OpenParameterFile {
    const file = this.#files.openParameters(reference);
    this.opened += 1;
    const { name, bytes, fd, directFd } = file;
    const read = (offset: number, into: Uint8Array) => file.read(offset, into);
    return { name, bytes, fd, directFd, read, close: () => (this.closed += 1) };
  }
}

function counted(declare: string) {
  const { document, files } = weightedPackage({ declare, files: { net, ...shards } });
  const counting = new CountedFiles(files);
  return { counting, prepare: () => prepareFiles(document, counting, localFacts()) };
}

test('a file is opened once, however many sources and bindings name it', () => {
  const { counting, prepare } = counted(`let first = stage(@forward, 0)
let a = source(root, "net")
let b = source("", "./net")
let c = source(root, "rest")
source_append(c, root, "v")
let second = stage(@other, 1)
parameter(first, 0, 0, a, @whole)
parameter(second, 0, 0, c, @head)
parameter(second, 1, 0, b, @whole)`);
  const { parameters } = prepare();
  assert.is(counting.opened, 3);
  assert.is(counting.closed, 0, 'the plan owns them');
  assert.equal(
    parameters.sources.map((source) => source.files.map((file) => file.name)),
    [['net'], ['net'], ['rest', 'v']],
  );
});

test('a preparation that fails closes what it opened, wherever it failed', () => {
  const lines = [
    'source(root, "lost")',
    'source(root, "kernel.loom")',
    'source_append(a, root, "net")',
    'reject("no")',
    'stage(@whole, 0)',
    'stage(@forward, 0)',
  ];
  for (const line of lines) {
    const { counting, prepare } = counted(`let a = source(root, "net")
let first = stage(@forward, 0)
parameter(first, 0, 0, a, @whole)
source_append(source(root, "rest"), root, "v")
${/^(source|stage)\(/.test(line) ? 'let x = ' : ''}${line}`);
    assert.throws(prepare);
    assert.ok(counting.opened >= 3, line);
    assert.is(counting.closed, counting.opened, line);
  }
});

test('a choice that fails closes its own files', () => {
  const { document, files } = weightedPackage({ declare: '', files: { net, ...shards } });
  const model = {
    document,
    ...{ stages: [], stageBanks: [], sources: [], indexes: [] },
    ...{ bindings: [], facts: localFacts(), limits: {} },
  };
  const source = (...paths: string[]) => ({
    files: paths.map((path) => ({ directory: '', path })),
  });
  const lost = { kind: 'command', symbol: { name: 'w.lost', args: [] }, tag: 0n } as const;
  const stages = [{ ...lost, config: [], workspaceLimitBytes: null, parameters: [] }];
  for (const choice of [
    { stages, sources: [source('net')] },
    { stages: [], sources: [source('rest', 'v'), source('lost')] },
    { stages: [], sources: [source('net', 'rest')] },
  ]) {
    const counting = new CountedFiles(files);
    assert.throws(() => prepareChoice(model, choice, counting));
    assert.ok(counting.opened > 0);
    assert.is(counting.closed, counting.opened);
  }
  const counting = new CountedFiles(files);
  const plan = prepareChoice(model, { stages: [], sources: [source('rest', 'v')] }, counting);
  assert.equal([counting.opened, counting.closed, plan.sources.length], [2, 0, 1]);
});

test('indexes are made once, and anew after another shard', () => {
  const { files } = weightedPackage({ declare: '', files: { net, ...shards } });
  const checkpoints = new PackageCheckpoints(files);
  checkpoints.open({ directory: '.', path: 'rest' });
  const first = checkpoints.index(0);
  assert.is(checkpoints.index(0), first);
  assert.is(first.tensors.has('v'), false);
  checkpoints.append(0, { directory: '', path: 'v' });
  assert.is(checkpoints.index(0).tensors.get('v')!.shard, 1);
  checkpoints.open({ directory: '', path: './rest' });
  assert.is(checkpoints.index(1), first);
  assert.equal(checkpoints.indexes(), [checkpoints.index(0), first]);
});

let top = '';
test.before.each(() => {
  top = mkdtempSync(join(tmpdir(), 'package-checkpoints-'));
  for (const folder of ['packages/w', 'weights/deep', 'secret']) {
    mkdirSync(join(top, folder), { recursive: true });
  }
  writeFileSync(join(top, 'weights/net'), net);
  writeFileSync(join(top, 'weights/deep/net2'), net);
  writeFileSync(join(top, 'secret/net3'), net);
  symlinkSync(join(top, 'weights/net'), join(top, 'packages/w/linked'));
  symlinkSync(join(top, 'secret/net3'), join(top, 'packages/w/stolen'));
});
test.after.each(() => rmSync(top, { recursive: true }));

const disk = (...parameterRoots: string[]) =>
  new DiskFiles(
    join(top, 'packages/w'),
    [],
    parameterRoots.map((root) => join(top, root)),
  );

test('checkpoints lie in the package or below a parameter root, links followed', () => {
  writeFileSync(join(top, 'packages/w/own'), net);
  const files = disk('weights');
  const rows: [reference: string, where: string][] = [
    ['own', 'packages/w/own'],
    ['./own', 'packages/w/own'],
    ['net', 'weights/net'],
    ['deep/net2', 'weights/deep/net2'],
    ['deep/../net', 'weights/net'],
    ['../../weights/net', 'weights/net'],
    ['linked', 'weights/net'],
  ];
  for (const [reference, where] of rows) {
    assert.is(files.locate(reference), join(top, where), reference);
  }
  // What lies in both is the package's.
  writeFileSync(join(top, 'packages/w/net'), net);
  assert.is(files.locate('net'), join(top, 'packages/w/net'));
});

test('nothing else is reached, and nobody learns whether it is there', () => {
  const codeOf = (files: DiskFiles, reference: string) => {
    try {
      files.openParameters(reference).close();
      return 'opened';
    } catch (error) {
      return toStatus(error).code;
    }
  };
  for (const reference of ['../../secret/net3', '../../secret/no', '../../../x']) {
    assert.is(codeOf(disk('weights'), reference), 'permissionDenied', reference);
  }
  assert.is(codeOf(disk('weights'), '/etc/passwd'), 'permissionDenied');
  assert.is(codeOf(disk('weights'), 'deep'), 'invalidArgument');
  assert.is(codeOf(disk('weights'), 'lost'), 'notFound');
  assert.is(codeOf(disk('weights'), 'stolen'), 'notFound');
  assert.is(codeOf(disk(), 'linked'), 'notFound');
  assert.is(codeOf(disk(), '../../weights/net'), 'permissionDenied');
  assert.throws(
    () => disk('weights').openParameters('lost'),
    /nor below .*weights of --parameter-root/,
  );
  assert.throws(() => disk().read('../../weights/net'), /--package-root/);
  assert.throws(() => disk('weights').read('../../weights/net'), /--package-root/);
});

test('a plan from disk has open descriptors until somebody closes them', () => {
  const declare = `let first = stage(@forward, 0)
let a = source(root, "net")
let b = source(root, "deep/net2")
parameter(first, 0, 0, a, @whole)`;
  const { document, files } = weightedPackage({ declare });
  for (const name of ['prepare.loom', 'control.loom', 'kernel.loom', 'policies.loom']) {
    writeFileSync(join(top, 'packages/w', name), files.read(name));
  }
  const place = { base: join(top, 'packages/w'), document, packageRoots: [] };
  const plan = preparePackage({ ...place, parameterRoots: [join(top, 'weights')] });
  const { sources } = plan.parameters;
  const sizes = () => sources.map(({ files: [file] }) => fstatSync(file!.descriptor).size);
  assert.equal(sizes(), [net.length, net.length]);
  closeSources(sources);
  assert.throws(sizes, /EBADF/);
  assert.throws(
    () => preparePackage(place),
    /no parameter file "\.\/net" in the package, and there is no --parameter-root/,
  );
});

test.run();
