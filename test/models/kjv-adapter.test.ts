/**
 * models/kjv on a WebGPU adapter: the greedy tokens of PyTorch, and rows that are the same in any
 * company. Without an adapter the test is skipped and says so.
 *
 * time limit: 300 s (shaders are compiled on the first run)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../actors/start.js';
import { packageFolder, serverOptions } from '../actors/running-server.js';
import { adapter, onAdapter } from '../runtime/hal/webgpu/adapter.js';

onAdapter(test, 'cases and scenarios of the King James model pass', async () => {
  const options = { ...serverOptions(), device: `webgpu:${adapter?.name}` };
  const { items } = await checkPackage({
    ...options,
    package: packageFolder('kjv'),
    onProgress() {},
  });
  assert.equal(
    items.filter(({ outcome }) => outcome !== 'passed'),
    [],
  );
  assert.ok(items.some(({ name }) => name === 'greedy'));
});

test.run();
