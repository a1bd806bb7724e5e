/** Which adapter is taken, and what is said when none fits. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkLimits,
  chooseAdapter,
  listAdapters,
} from '../../../../runtime/hal/webgpu/adapters.js';
import { adapter, onAdapter } from './adapter.js';

const refusal = async (asked: string | null, software = true): Promise<string> =>
  chooseAdapter(asked, { software }).then(
    () => 'taken',
    (error: Error) => error.message,
  );

test('an adapter that is too small is refused with limit, needed and had', () => {
  const limits = {
    maxStorageBuffersPerShaderStage: 8,
    maxComputeWorkgroupStorageSize: 8192,
    maxComputeInvocationsPerWorkgroup: 256,
    maxComputeWorkgroupsPerDimension: 65_535,
  };
  const described = { name: 'tiny', description: '', vendor: '', software: true, features: [] };
  assert.throws(
    () => checkLimits({ ...described, limits }),
    /'tiny' has maxComputeWorkgroupStorageSize 8192; 16384 are needed \(--device\)/,
  );
  checkLimits({ ...described, limits: { ...limits, maxComputeWorkgroupStorageSize: 16_384 } });
});

onAdapter(test, 'adapters are listed with features and limits, and found by a part', async () => {
  const adapters = await listAdapters();
  assert.equal(adapters[0], adapter);
  assert.ok(adapter!.limits['maxBufferSize']! >= 2 ** 28);
  const part = adapter!.name.slice(0, 5).toUpperCase();
  assert.is((await chooseAdapter(part)).description.name, adapter!.name);
  assert.match(await refusal('no such thing'), /no WebGPU adapter 'no such thing'; it has '/);
});

onAdapter(test, 'software adapters are called so, and left out where that is asked', async () => {
  const adapters = await listAdapters();
  const hardware = adapters.find(({ software }) => !software);
  assert.is(await refusal(null), 'taken', 'who asks for WebGPU takes what there is');
  const told = await refusal(null, false);
  if (hardware) assert.is(told, 'taken');
  else assert.match(told, /no hardware WebGPU adapter; it has .* \(software\)/);
});

test.run();
