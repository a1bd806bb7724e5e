/** Program of the device thread: one device with its queue, memory and ledger. */
import { systemPorts, type Ports } from '../../runtime/base/ports.js';
import type { Device } from '../../runtime/hal/device.js';
import { openLocalDevice } from '../../runtime/hal/local/local-device.js';
import { openWebgpuDevice } from '../../runtime/hal/webgpu/webgpu-device.js';
import { SlabPool } from '../../runtime/memory/slab-pool.js';
import { ActorKinds } from '../../runtime/system/kinds.js';
import type { StartProgram } from '../../runtime/threads/thread-control.js';
import { deviceQueue, type DeviceQueueInput, type OpenedDevice } from '../model/device-queue.js';
import { openedDevice } from '../model/opened-device.js';
import { startActorThread } from './actor-thread.js';

export interface DeviceSettings {
  /** Name of a WebGPU adapter; null: the local device. */
  readonly adapter: string | null;
  /** Compute workers; null: one a core. */
  readonly threads: number | null;
  /** `--memory`; null: the driver's default. */
  readonly memoryBytes: number | null;
  /** Fresh storage holds a pattern instead of what was there: tests. */
  readonly poison: boolean;
}

export const startProgram: StartProgram = ({ name, settings }) => {
  const ports = systemPorts(`${name}-driver`);
  const asked = settings as DeviceSettings;
  const { poison } = asked;
  const devices = new Set<Device>();
  const open = async (): Promise<OpenedDevice> => {
    const { device, killWorker } = await openDevice(asked, ports);
    devices.add(device);
    device.onLost(() => devices.delete(device));
    const pool = new SlabPool(device.memory, { poison });
    return { ...openedDevice({ device, ports, pool }), killWorker };
  };
  const kinds = new ActorKinds().register(
    'deviceQueue',
    (self, input: Omit<DeviceQueueInput, 'open'>) => deviceQueue(self, { ...input, open }),
  );
  const { control } = startActorThread(name, kinds);
  const shutdown = async (): Promise<void> => {
    await control.shutdown();
    // Before its thread ends a device has to have come to rest.
    await Promise.all([...devices].map((device) => device.close()));
  };
  return { ...control, shutdown };
};

/** A device, and how it is harmed for fault injection: the WebGPU one has no workers but itself. */
async function openDevice(
  { adapter, threads, memoryBytes: asked }: DeviceSettings,
  ports: Ports,
): Promise<Pick<OpenedDevice, 'device' | 'killWorker'>> {
  const memoryBytes = asked ?? undefined;
  if (adapter === null) {
    const device = await openLocalDevice({ ports, threads: threads ?? undefined, memoryBytes });
    return { device, killWorker: (worker) => void device.killWorker(worker) };
  }
  const device = await openWebgpuDevice({ ports, adapter, memoryBytes });
  return { device, killWorker: () => device.destroy() };
}
