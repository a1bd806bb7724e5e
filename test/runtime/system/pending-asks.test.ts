/** An asker that is gone waits for nothing: its asks leave the table with their timers. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PendingAsks, type Asker } from '../../../runtime/system/pending-asks.js';
import { SimulatedWorld } from '../../../runtime/system/transports/simulated.js';

test('what an asker that is gone waited for is forgotten, and nobody else is', () => {
  const world = new SimulatedWorld({ seed: 1 });
  const { ports } = world.thread('main');
  const timeouts: string[] = [];
  const asks = new PendingAsks(ports, ({ id }) => timeouts.push(id));
  const told: string[] = [];
  const asker = (name: string): Asker => ({ settled: () => void told.push(name) });
  const [gone, stays] = [asker('gone'), asker('stays')];
  const add = (id: string, from: Asker): void =>
    asks.add({ id, asker: from, as: 'answer', holder: 'main:/holder', deadlineMs: 100 });
  add('one', gone);
  add('two', stays);
  add('three', gone);
  asks.dropOf(gone);
  assert.is(asks.size, 1);
  assert.is(asks.find('one'), undefined);
  world.run({ stepsMax: 100 });
  assert.equal(told, ['stays']);
  assert.equal(timeouts, ['two']);
  assert.is(asks.size, 0);
});

test.run();
