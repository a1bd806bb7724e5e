/** Code that was unloaded is given up once, and not before the last accepted work that uses it. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Executable, type ExecutableImage } from '../../../runtime/hal/executable.js';

const image: ExecutableImage = {
  info: {
    name: 'none',
    roots: [],
    bankFields: [],
    workspaceBytes: 0,
    parts: 1,
    scratchBytes: 0,
    steps: [],
  },
  module: null,
};

test('it is discarded once, when it was unloaded and its last work has retired', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean()), fc.nat(20), (retains, unloadAt) => {
      let discards = 0;
      const executable = new Executable('one', image, () => (discards += 1));
      let uses = 0;
      let isUnloaded = false;
      const check = (): void => {
        assert.is(discards, isUnloaded && uses === 0 ? 1 : 0);
      };
      const unload = (): void => {
        executable.unload();
        isUnloaded = true;
        check();
      };
      retains.forEach((isRetained, i) => {
        if (i === unloadAt) unload();
        // Nothing new finds it once it was unloaded.
        if (isRetained && !isUnloaded) {
          executable.retain();
          uses += 1;
        } else if (uses > 0) {
          executable.release();
          uses -= 1;
        }
        check();
      });
      if (!isUnloaded) unload();
      for (; uses > 0; check()) {
        executable.release();
        uses -= 1;
      }
    }),
  );
});

test('unloading it twice, or releasing it more often than it was retained, is a bug', () => {
  const executable = new Executable('one', image, () => {});
  assert.throws(() => executable.release(), /as often as retained/);
  executable.unload();
  assert.throws(() => executable.unload(), /unloaded once/);
});

test.run();
