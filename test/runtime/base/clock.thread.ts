/** Says the time of its thread whenever it is asked, without going through an event loop. */
import { workerData } from 'node:worker_threads';
import { systemPorts } from '../../../runtime/base/ports.js';

const { words, times } = workerData as { words: SharedArrayBuffer; times: SharedArrayBuffer };
const asked = new Int32Array(words);
const said = new Float64Array(times);
const { clock } = systemPorts('other');

for (let round = 1; Atomics.load(asked, 0) >= 0; round += 1) {
  Atomics.wait(asked, 0, round - 1);
  said[0] = clock.now();
  Atomics.store(asked, 1, round);
  Atomics.notify(asked, 1);
}
