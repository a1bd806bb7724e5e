/** Everything that models/kjv and its libraries check of themselves, through a server. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../actors/start.js';
import { packageFolder, serverOptions } from '../actors/running-server.js';

test('functions, cases and scenarios of the King James model pass', async () => {
  const options = { ...serverOptions(), package: packageFolder('kjv'), onProgress() {} };
  const { items } = await checkPackage(options);
  assert.equal(
    items.filter(({ outcome }) => outcome !== 'passed'),
    [],
  );
  for (const kind of ['function', 'case', 'scenario'] as const) {
    assert.ok(
      items.some((item) => item.kind === kind),
      kind,
    );
  }
});

test.run();
