/** Who found no memory in the machine, though the budget had room, is placed when there is some. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import { Budget } from '../../../runtime/memory/budget.js';
import { InvocationRunner } from '../../../runtime/memory/invocation-runner.js';
import { PlacementRetry } from '../../../runtime/memory/placement-retry.js';
import { Ledger } from '../../../runtime/memory/ledger.js';
import { SlabPool } from '../../../runtime/memory/slab-pool.js';
import { SimulatedTime } from '../../../runtime/system/simulated-ports.js';

test('storage waits for the machine, and nobody waits when it is placed', () => {
  const time = new SimulatedTime(1);
  const ports = time.ports('device');
  const device = openSimulatedDevice({ ports, memoryBytes: 4096 });
  const { memory } = device;
  const grow = memory.grow.bind(memory);
  let refusals = 0;
  memory.grow = (slab, bytes) => {
    refusals += 1;
    return refusals > 5 && grow(slab, bytes);
  };
  const budget = new Budget(new Ledger(device.memoryBytes));
  const pool = new SlabPool(memory, { poison: true });
  const runner = new InvocationRunner({ device, pool, budget, ports });
  const placed: string[] = [];
  for (const key of ['one', 'two']) {
    const owner = { kind: 'row', deployment: 'd', id: key } as const;
    runner.createStorage(
      { key, owner, bytes: 64 },
      { onPlaced: () => void placed.push(key), onFailed: () => assert.unreachable('it fits') },
    );
  }
  assert.equal(placed, []);
  assert.is(runner.waiting, 2);
  while (time.next !== null) time.fireNext();
  assert.equal(placed, ['one', 'two']);
  assert.is(runner.waiting, 0);
  assert.is(budget.reservedBytes, 0);
  assert.ok(refusals > 5);
});

test('one timer at most, and another when somebody is refused again', () => {
  const time = new SimulatedTime(1);
  let settled = 0;
  const retry = new PlacementRetry(time.ports('device').timers, () => void (settled += 1));
  for (let round = 1; round <= 2; round++) {
    for (let times = 0; times < 3; times++) retry.refused();
    time.fireNext();
    assert.is(settled, round);
    assert.is(time.next, null);
  }
});

test.run();
