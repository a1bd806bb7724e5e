import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPackageFiles } from '../../../runtime/packages/imported-files.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';
import { preparePackage } from '../../../runtime/packages/prepare-package.js';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { smallControl, smallKernel, smallPrepare } from './small-package.js';

const root = mkdtempSync(join(tmpdir(), 'loom-imported-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
const base = join(root, 'models/mine');
const dependency = join(root, 'node_modules/tiny');
mkdirSync(base, { recursive: true });
mkdirSync(dependency, { recursive: true });
const prepare = smallPrepare.replace('64, 64, 64, ""', '64, 64, 64, "tokenizer"');
const texts = { 'prepare.loom': prepare, 'control.loom': smallControl, 'kernel.loom': smallKernel };
for (const [name, text] of Object.entries(texts)) writeFileSync(join(base, name), text);
const pieces = [
  ['?', 0],
  ['▁', -1],
  ['a', -1],
];
const weights = [{ name: 'w', shape: [2], dtype: 'float32' }];
const manifest = { weightsManifest: [{ paths: ['shard'], weights }] };
writeFileSync(join(dependency, 'package.json'), '{"version": "2.0.0"}');
writeFileSync(join(dependency, 'vocab.json'), JSON.stringify(pieces));
writeFileSync(join(dependency, 'model.json'), JSON.stringify(manifest));
writeFileSync(join(dependency, 'shard'), new Uint8Array(Float32Array.of(0.5, 8).buffer));

const source = {
  loom: 1,
  id: 'mine',
  profile: 'embeddings',
  definition: { prepare: 'prepare.loom', control: 'control.loom', sources: ['kernel.loom'] },
  assets: { tokenizer: './tokenizer.json', checkpoint: ['weights.safetensors'] },
  import: {
    from: 'npm:tiny@2.0.0',
    files: {
      'tokenizer.json': { format: 'unigram', pieces: 'vocab.json', reserved: 1 },
      'weights.safetensors': { format: 'tfjs', model: 'model.json' },
    },
  },
};
const document = checkModelDocument(source, 'model.json');
const place = { base, document, packageRoots: [], cacheDir: join(root, 'cache') };

test('a package prepares with files that it imports, and nothing is written beside it', () => {
  const before = [readdirSync(base), readdirSync(dependency)];
  const { tokenizer } = preparePackage(place);
  const { ids, count } = new Tokenizer(tokenizer!, 't').encode('a a', 8, 8);
  assert.equal([...ids.subarray(0, count)], [1, 2, 1, 2]);
  assert.equal([readdirSync(base), readdirSync(dependency)], before);
});

test('imported checkpoints open like any other, others come from the package', () => {
  const files = openPackageFiles(place);
  const weightFile = files.openParameters('weights.safetensors');
  const tail = new Uint8Array(8);
  weightFile.read(weightFile.bytes - 8, tail);
  weightFile.close();
  assert.equal([...new Float32Array(tail.buffer)], [0.5, 8]);
  assert.is(new TextDecoder().decode(files.read('kernel.loom')), smallKernel);
  assert.ok(files.has('tokenizer.json'));
  assert.not(files.has('vocab.json'));
  assert.throws(() => files.read('vocab.json'), /no file "vocab\.json"/);
  assert.throws(() => files.openParameters('shard'), /shard/);
});

test('a missing dependency is told with the command that installs it', () => {
  const other = { ...source, import: { ...source.import, from: 'npm:tiny@3.0.0' } };
  const absent = checkModelDocument(other, 'model.json');
  assert.throws(() => preparePackage({ ...place, document: absent }), /install.* tiny@3\.0\.0/);
});

test('the section is checked by the paths of its fields', () => {
  const cases: [object, RegExp][] = [
    [{ from: 'tiny@2.0.0' }, /import\.from: expected npm:NAME@VERSION/],
    [{ from: 'npm:tiny@^2' }, /import\.from: expected npm:NAME@VERSION/],
    [{ files: { '../x': { format: 'json', data: 'd' } } }, /import\.files/],
    [{ files: { x: { format: 'zip', data: 'd' } } }, /import\.files\.x/],
    [{ files: { x: { format: 'json' } } }, /import\.files\.x\.data: expected a string/],
    [{ files: { x: { format: 'json', data: 'd', more: 1 } } }, /import\.files\.x\.more: unknown/],
  ];
  for (const [change, expected] of cases) {
    const changed = { ...source, import: { ...source.import, ...change } };
    assert.throws(() => checkModelDocument(changed, 'model.json'), expected);
  }
});

test.run();
