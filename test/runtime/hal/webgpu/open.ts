/** A fixture over the first adapter of this machine. */
import {
  openWebgpuDevice,
  type WebgpuDevice,
} from '../../../../runtime/hal/webgpu/webgpu-device.js';
import { DeviceFixture, testPorts } from '../device-fixture.js';
import { adapter } from './adapter.js';
import * as programs from './shader-programs.js';

const MEMORY_BYTES = 64 * 1024 * 1024;

export async function openFixture(
  options: { memoryBytes?: number; poison?: boolean } = {},
): Promise<DeviceFixture<WebgpuDevice>> {
  const ports = testPorts();
  const { memoryBytes = MEMORY_BYTES, poison } = options;
  const device = await openWebgpuDevice({ ports, adapter: adapter!.name, memoryBytes });
  return new DeviceFixture(device, ports, { poison, programs });
}
