/** The rate of 8-bit products of one shape on the local device with two compute workers. */
import { systemPorts } from '../../runtime/base/ports.js';
import { openLocalDevice } from '../../runtime/hal/local/local-device.js';
import { useOptimizedWasm } from '../../runtime/jit/v8-flags.js';
import { DeviceFixture } from '../runtime/hal/device-fixture.js';
import { operands, Products, timesOf } from './linear-products.js';
import type { MatMulShape } from './onnx-model.js';

/** 10^9 operations a second, rows being quantised included. */
export async function quantRate(shape: MatMulShape): Promise<number> {
  useOptimizedWasm();
  const ports = systemPorts('bench');
  const device = await openLocalDevice({ ports, threads: 2, memoryBytes: 256 * 1024 * 1024 });
  const fixture = new DeviceFixture(device, ports, { keepAlive: true });
  const { x, w, times } = operands(shape);
  const contender = await new Products(fixture, shape, times).contender('int8', x, w);
  const [ms] = await timesOf([contender], { rounds: 21, shortest: true });
  await fixture.close();
  return (2 * times * shape.M * shape.K * shape.N) / ms! / 1e6;
}
