/** The smallest package with weights: its files, its bits, its own checks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../actors/start.js';
import { packageFolder, serverOptions, withServer } from '../actors/running-server.js';
import { embeddingCheckpoint } from '../oracles/embedding-checkpoint.js';

test('the checkpoint of embedding-weighted is what its oracle says', () => {
  for (const [name, bytes] of embeddingCheckpoint()) {
    const found = readFileSync(join(packageFolder('embedding-weighted'), name));
    assert.ok(found.equals(bytes), name);
  }
});

test('weights from a checkpoint give the bits of weights from configuration, in any cohort', () =>
  withServer(['embedding', 'embedding-weighted'], async (server) => {
    const texts = ['a', 'two words', 'x'.repeat(100), 'one', 'ü, 漢字 and 🙂'];
    const expected = await server.embed('embedding', texts);
    const together = await server.embed('embedding-weighted', texts);
    assert.equal(together.rows, expected.rows);
    for (const [index, text] of texts.entries()) {
      const alone = await server.embed('embedding-weighted', [text]);
      assert.equal(alone.rows[0], expected.rows[index]);
    }
  }));

test('its functions, cases and scenarios pass the check of the command line', async () => {
  const { items } = await checkPackage({
    ...serverOptions(),
    package: packageFolder('embedding-weighted'),
    onProgress() {},
  });
  const unpassed = items.filter(({ outcome }) => outcome !== 'passed');
  assert.equal(unpassed, []);
  assert.ok(items.length > 0);
});

test.run();
