/**
 * What admits, places and runs invocations on a device, put together when it is opened: its ledger,
 * the budget over that, and a runner. Whatever thread hosts the device, it is composed here.
 */
import type { Ports } from '../../runtime/base/ports.js';
import type { Device } from '../../runtime/hal/device.js';
import type { Pool } from '../../runtime/hal/pool.js';
import { Budget } from '../../runtime/memory/budget.js';
import { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import { Ledger } from '../../runtime/memory/ledger.js';
import type { OpenedDevice } from './device-queue.js';

export interface DeviceParts {
  readonly device: Device;
  readonly ports: Ports;
  /** Of the device's memory. */
  readonly pool: Pool;
}

export function openedDevice({ device, ports, pool }: DeviceParts): OpenedDevice & {
  readonly budget: Budget;
} {
  const ledger = new Ledger(device.memoryBytes);
  const budget = new Budget(ledger);
  const runner = new InvocationRunner({ device, pool, budget, ports });
  const bytes = (): ReturnType<OpenedDevice['bytes']> => ({
    budget: budget.limitBytes,
    resident: ledger.bytes,
    reserved: budget.reservedBytes,
    byOwner: ledger.totals(),
  });
  return { device, runner, ledger, budget, bytes };
}
