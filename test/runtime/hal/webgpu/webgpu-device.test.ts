import { test } from 'uvu';
import { deviceConformance } from '../../../conformance/device.js';
import { foundationConformance } from '../../../conformance/foundations.js';
import { gatherConformance } from '../../../conformance/gathers.js';
import { invocationConformance } from '../../../conformance/invocations.js';
import { openWebgpuDevice } from '../../../../runtime/hal/webgpu/webgpu-device.js';
import { DeviceFixture, testPorts } from '../device-fixture.js';
import { adapter } from './adapter.js';
import * as programs from './shader-programs.js';

const MEMORY_BYTES = 64 * 1024 * 1024;

const open = async (options: { memoryBytes?: number; poison?: boolean } = {}) => {
  const ports = testPorts();
  const { memoryBytes = MEMORY_BYTES, poison } = options;
  const device = await openWebgpuDevice({ ports, adapter: adapter!.name, memoryBytes });
  return new DeviceFixture(device, ports, { poison, programs });
};

if (adapter) {
  const trapped = { code: 'internal', message: /^trapping: .*/ };
  deviceConformance('the WebGPU device', open, trapped);
  invocationConformance('the WebGPU device', open);
  foundationConformance('the WebGPU device', open);
  gatherConformance('the WebGPU device', open);
} else {
  test.skip('the WebGPU device conforms (skipped: no adapter)', () => {});
}

test.run();
