import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { loadPackage } from '../../../runtime/packages/load-package.js';
import { MemoryFiles } from '../../../runtime/packages/memory-files.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';

function load(files: Record<string, string>, definition: object = {}) {
  const bytes = Object.entries(files).map(
    ([name, text]) => [name, new TextEncoder().encode(text)] as const,
  );
  const document = checkModelDocument(
    {
      loom: 1,
      id: 'm',
      profile: 'embeddings',
      definition: { prepare: 'prepare.loom', control: 'control.loom', ...definition },
    },
    'model.json',
  );
  return loadPackage(document, new MemoryFiles(new Map(bytes)));
}

function refusal(action: () => unknown): StatusError {
  try {
    action();
  } catch (error) {
    assert.instance(error, StatusError);
    return error as StatusError;
  }
  throw new Error('the package was accepted');
}

test('control: files are read once each, in the order of their roles', () => {
  const loaded = load(
    { 'prepare.loom': 'const.def a : i64 = 1', 'control.loom': '', 'k.loom': '' },
    { sources: ['k.loom', './k.loom', 'prepare.loom'] },
  );
  assert.equal(
    loaded.sources.map((source) => source.file),
    ['prepare.loom', 'control.loom', 'k.loom'],
  );
  assert.is(loaded.prepare, 'prepare.loom');
  assert.is(loaded.config, null);
});

test('programs have at most 8 MiB together', () => {
  const MiB = 1024 * 1024;
  const files = (last: number) => ({
    'prepare.loom': '',
    'control.loom': '',
    ...Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`k${i}.loom`, ' '.repeat(MiB)])),
    'k7.loom': ' '.repeat(last),
  });
  const sources = Array.from({ length: 8 }, (_, i) => `k${i}.loom`);
  assert.is(load(files(MiB), { sources }).sources.length, 10);
  const { code, message } = refusal(() => load(files(MiB + 1), { sources }));
  assert.is(code, 'resourceExhausted');
  assert.match(message, /definition\.sources\[7\].* 8388609 bytes .* limit is 8388608/);
});

test('missing files and escapes are told by the field that names them, all at once', () => {
  const error = refusal(() =>
    load({ 'prepare.loom': '' }, { sources: ['x.loom', '../../up.loom'] }),
  );
  assert.is(error.code, 'invalidArgument');
  assert.equal(
    error.status.details!.map((line) => line.replace(/: .*/, '')),
    ['definition.control', 'definition.sources[0]', 'definition.sources[1]'],
  );
  assert.match(error.status.details![2]!, /escapes/);
});

test('what does not parse is told for every file, with line and column', () => {
  const error = refusal(() =>
    load({
      'prepare.loom': 'func.def f( {\n}\n',
      'control.loom': 'const.def x : i64 = 1\nconst.def y : = 2\n',
    }),
  );
  const details = error.status.details!.join('\n');
  assert.is(error.code, 'invalidArgument');
  assert.match(details, /prepare\.loom:1:\d+:/);
  assert.match(details, /control\.loom:2:\d+:/);
});

test('a file that is neither text nor bytecode is told', () => {
  const document = { 'prepare.loom': '\u0000\u0001', 'control.loom': '' };
  assert.match(refusal(() => load(document)).message, /prepare\.loom/);
});

test.run();
