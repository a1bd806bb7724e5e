/** Threads that start after the flags are set keep little room for young objects. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { keepYoungHeapsSmall } from '../../../runtime/threads/collector.js';

/** Much lives for a while, so that the space for young objects grows as far as it may. */
const churn = `
const { parentPort } = require('node:worker_threads');
const { getHeapSpaceStatistics } = require('node:v8');
let most = 0;
for (let round = 0; round < 60; round += 1) {
  const kept = [];
  for (let i = 0; i < 40000; i += 1) kept.push({ round, i, text: [i] });
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  most = Math.max(most, young.space_size);
}
parentPort.postMessage(most);`;

async function youngBytes(): Promise<number> {
  const worker = new Worker(churn, { eval: true });
  const [most] = (await once(worker, 'message')) as [number];
  await worker.terminate();
  return most;
}

test('the room for young objects of later threads is bounded', async () => {
  const before = await youngBytes();
  keepYoungHeapsSmall();
  const after = await youngBytes();
  assert.ok(before > 8 * 2 ** 20, `without the bound the space grows: ${before}`);
  assert.ok(after <= 8 * 2 ** 20, `two halves of 4 MiB at most: ${after}`);
});

test.run();
