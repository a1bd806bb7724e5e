/** Program of the device thread: one device with its queue, memory and ledger. */
import { systemPorts } from '../../runtime/base/ports.js';
import { openLocalDevice } from '../../runtime/hal/local/local-device.js';
import { Budget } from '../../runtime/memory/budget.js';
import { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import { Ledger } from '../../runtime/memory/ledger.js';
import { SlabPool } from '../../runtime/memory/slab-pool.js';
import { ActorKinds } from '../../runtime/system/kinds.js';
import type { StartProgram } from '../../runtime/threads/thread-control.js';
import { deviceQueue, type DeviceQueueInput, type OpenedDevice } from '../model/device-queue.js';
import { startActorThread } from './actor-thread.js';

export interface DeviceSettings {
  /** Compute workers; null: one a core. */
  readonly threads: number | null;
  /** `--memory`; null: the driver's default. */
  readonly memoryBytes: number | null;
  /** Fresh storage holds a pattern instead of what was there: tests. */
  readonly poison: boolean;
}

export const startProgram: StartProgram = ({ name, settings }) => {
  const ports = systemPorts(`${name}-driver`);
  const { threads, memoryBytes, poison } = settings as DeviceSettings;
  const open = async (): Promise<OpenedDevice> => {
    const device = await openLocalDevice({
      ports,
      threads: threads ?? undefined,
      memoryBytes: memoryBytes ?? undefined,
    });
    const ledger = new Ledger(device.memoryBytes);
    const budget = new Budget(ledger);
    const pool = new SlabPool(device.memory, { poison });
    const runner = new InvocationRunner({ device, pool, budget, ports });
    const bytes = () => ({
      budget: budget.limitBytes,
      resident: ledger.bytes,
      reserved: budget.reservedBytes,
      byOwner: ledger.totals(),
    });
    const killWorker = (worker: number): void => void device.killWorker(worker);
    return { device, runner, bytes, killWorker };
  };
  const kinds = new ActorKinds().register(
    'deviceQueue',
    (self, input: Omit<DeviceQueueInput, 'open'>) => deviceQueue(self, { ...input, open }),
  );
  return startActorThread(name, kinds).control;
};
