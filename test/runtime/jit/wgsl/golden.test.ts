/**
 * The WGSL of each construct, as reviewed text in `golden/`. UPDATE_GOLDEN=1 writes it anew; the
 * difference is to be read before it is kept.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileWgsl } from '../../../../runtime/jit/wgsl/compile-wgsl.js';
import { repositoryRoot } from '../../packages/repository-root.js';
import { constructs, programOf } from './constructs.js';
import { portableTarget } from './portable-target.js';

const folder = join(repositoryRoot, 'test/runtime/jit/wgsl/golden');
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

for (const name of Object.keys(constructs)) {
  test(`${name.replaceAll('-', ' ')} as WGSL`, () => {
    const { program } = compileWgsl(programOf(name), {
      ...portableTarget,
      ...constructs[name]!.target,
    });
    const text = program.kernels.map(({ source }) => source).join('\n');
    const path = join(folder, `${name}.wgsl`);
    if (isUpdate) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, text);
    }
    assert.ok(existsSync(path), `${name}.wgsl is missing`);
    assert.is(text, readFileSync(path, 'utf8'));
  });
}

test('every golden belongs to a construct', () => {
  const files = readdirSync(folder).map((file) => file.replace('.wgsl', ''));
  assert.equal(files.sort(), Object.keys(constructs).sort());
});

test.run();
