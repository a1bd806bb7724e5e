/** One clock for all threads: what happens after something else has a later time, in any thread. */
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemPorts } from '../../../runtime/base/ports.js';

const ROUNDS = 500;
/** How far threads may be apart: less than the shortest way of a message between two of them. */
const APART_MS = 0.005;

test('a question, the answer of another thread and its receipt have times in that order', async () => {
  const words = new SharedArrayBuffer(8);
  const times = new SharedArrayBuffer(8);
  const asked = new Int32Array(words);
  const said = new Float64Array(times);
  const worker = new Worker(new URL('./clock.thread.js', import.meta.url), {
    workerData: { words, times },
  });
  await new Promise((resolve) => worker.once('online', resolve));
  const { clock } = systemPorts('main');
  const breaches: string[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = clock.now();
    Atomics.store(asked, 0, round);
    Atomics.notify(asked, 0);
    Atomics.wait(asked, 1, round - 1, 10_000);
    const after = clock.now();
    const there = said[0]!;
    if (there < before - APART_MS || there > after + APART_MS) {
      breaches.push(`${before} ≤ ${there} ≤ ${after}`);
    }
  }
  await worker.terminate();
  assert.equal(breaches, []);
});

test('a delay of more milliseconds than Node can count is not none', async () => {
  const { timers } = systemPorts('near');
  let fired = false;
  const timer = timers.start(2 ** 40, () => (fired = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  timers.cancel(timer);
  assert.not(fired);
});

test.run();
