/** Files that a thread opened and could not tell of before it died are nobody's to close. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SimulatedFiles } from './simulated-files.js';

const travelMs = 2;

/** How many are left, of one that was opened at 10 ms by a thread that dies at `diesMs`. */
function left(diesMs: number, stoodMs: number): number {
  const files = new SimulatedFiles(() => {});
  const file = { name: 'weights', descriptor: 0 };
  const sources = [{ files: [file] }] as unknown as Parameters<SimulatedFiles['open']>[0];
  files.open(sources, new Map([['weights', new Uint8Array(1)]]), { thread: 'one', atMs: 10 });
  if (stoodMs > 0) files.stoodStill(stoodMs);
  files.threadLost('one', diesMs, travelMs);
  return files.left.length;
}

test('what its thread could have told of is to be closed', () => {
  assert.is(left(11, 0), 0);
  assert.is(left(13, 0), 1);
});

test('nothing is told while the process stands still', () => {
  assert.is(left(1011, 1000), 0);
  assert.is(left(1013, 1000), 1);
});

test.run();
