/** What a virtual thread leaves behind when it dies. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ActorSystem } from '../../../../runtime/system/system.js';
import { SimulatedWorld } from '../../../../runtime/system/transports/simulated.js';

test('a thread is mourned when all who live have heard of its death', () => {
  const world = new SimulatedWorld({ seed: 1, delayMaxMs: 4 });
  for (const thread of ['near', 'far']) new ActorSystem({ thread, ...world.thread(thread) });
  assert.ok(world.isMourned('far'), 'it lives');
  world.kill('far');
  assert.not(world.isMourned('far'), 'the news travels');
  world.run();
  assert.ok(world.isMourned('far'));
});

test('nobody has to hear of it who died meanwhile', () => {
  const world = new SimulatedWorld({ seed: 1, delayMaxMs: 4 });
  for (const thread of ['near', 'far']) new ActorSystem({ thread, ...world.thread(thread) });
  world.kill('far');
  world.kill('near');
  assert.ok(world.isMourned('far'));
});

test.run();
