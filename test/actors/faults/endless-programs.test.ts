/**
 * A package whose programs never end, on real threads: preparing it fails by function and line, its
 * checks fail alone, and meanwhile another model answers. Loops in the warm entries:
 * test/actors/serving/isolation.test.ts.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkFunctions } from '../../../runtime/packages/check-functions.js';
import { loadPackage } from '../../../runtime/packages/load-package.js';
import { defaultTarget } from '../../../runtime/loom/elaborate/configuration.js';
import { firstOutputOracle } from '../../oracles/first-output.js';
import {
  smallControl,
  smallKernel,
  smallPackage,
  smallPrepare,
} from '../../runtime/packages/small-package.js';
import { rejection, withServer } from '../running-server.js';
import { writePackage } from '../serving/faulty-package.js';

const texts = {
  'prepare.loom': smallPrepare,
  'control.loom': smallControl,
  'kernel.loom': smallKernel,
};

test('a prepare that never ends fails by function and line while another model answers', async () => {
  const endless = smallPrepare.replace('let first =', 'while true { }\n  let first =');
  const written = writePackage({ ...texts, 'prepare.loom': endless }, { id: 'endless' });
  try {
    await withServer(['first-output'], async (server) => {
      const refused = rejection(server.serve(written.folder));
      const answers = Promise.all(
        ['a', 'b', 'c'].map((text) => server.embed('first-output', [text])),
      );
      const error = await refused;
      assert.is(error.code, 'resourceExhausted');
      assert.match(error.message, /prepare \(prepare\.loom:9:\d+\): out of fuel/);
      const [first] = await answers;
      assert.equal([...first!.rows[0]!], [...firstOutputOracle('a')]);
      const again = await server.embed('first-output', ['still']);
      assert.equal([...again.rows[0]!], [...firstOutputOracle('still')]);
    });
  } finally {
    written.remove();
  }
});

test('a check that never ends, or wants it all, fails by name and line; others pass', async () => {
  const kernel = `${smallKernel}
check.def spins { while true { } }
check.def launches_too_much {
  let y = launch(@forward, list<buffer>(buffer.new(16)), list<i64>(1 << 40), list<i64>())
}
check.def is_fine { expect(1 + 1 == 2) }
`;
  const { document, files } = smallPackage({ kernel });
  const loaded = loadPackage(document, files);
  const items = await checkFunctions('kernel.loom', {
    loaded,
    facts: defaultTarget,
    launchers: [],
  });
  const detail = (name: string) =>
    items.find((item) => item.name === `kernel.loom: ${name}`)!.details.join('\n');
  assert.match(detail('spins'), /kernel\.loom:\d+:\d+: .*spins .*out of fuel/);
  assert.match(detail('launches_too_much'), /1099511627792 bytes of roots; .* may have 1073741824/);
  assert.is(detail('is_fine'), '');
});

test.run();
