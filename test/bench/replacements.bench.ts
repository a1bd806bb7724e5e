/**
 * 200 replacements of a model under load: no request may fail, and nothing may stay behind. The
 * heap of the main thread is measured after collections, as the slope over the last 80 %; what the
 * other threads keep shows in the resident size of the process.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deviceOf, Traffic } from '../actors/faults/traffic.js';
import { packageFolder, runServer } from '../actors/running-server.js';
import { median, printReport } from './report.js';

const MODEL = 'first-output';
const REPLACEMENTS = 200;
const SAMPLE_EVERY = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

interface Sample {
  readonly at: number;
  readonly heap: number;
  readonly resident: number;
}

function sample(at: number): Sample {
  collect();
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { at, heap: heapUsed, resident: rss };
}

/** Least squares: bytes a replacement. */
function slope(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const meanAt = samples.reduce((sum, { at }) => sum + at, 0) / samples.length;
  const mean = samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const over = samples.reduce((sum, one) => sum + (one.at - meanAt) * (of(one) - mean), 0);
  return over / samples.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
}

const server = await runServer([MODEL]);
const traffic = new Traffic(server, MODEL);
await traffic.answers(100);
const samples: Sample[] = [];
const times: number[] = [];
for (let done = 1; done <= REPLACEMENTS; done++) {
  const start = performance.now();
  await server.serve(packageFolder(MODEL));
  times.push(performance.now() - start);
  if (done % SAMPLE_EVERY === 0) samples.push(sample(done));
}
await traffic.stop();
const device = await deviceOf(server);
await server.serving.drain(5_000);
await server.close();

const steady = samples.filter(({ at }) => at > REPLACEMENTS / 5);
const KIB = 1024;
printReport({
  name: 'replacements',
  rows: [
    { name: 'failed requests', value: traffic.refused.length, unit: '', better: 'lower', goal: 0 },
    { name: 'answered requests', value: traffic.answered, unit: '', better: 'higher' },
    { name: 'one replacement under load', value: median(times), unit: 'ms', better: 'lower' },
    {
      name: 'main heap a replacement',
      value: slope(steady, ({ heap }) => heap) / KIB,
      unit: 'KiB',
      better: 'lower',
      goal: 4,
    },
    {
      name: 'resident size a replacement',
      value: slope(steady, ({ resident }) => resident) / KIB,
      unit: 'KiB',
      better: 'lower',
    },
    { name: 'pool bytes at rest', value: device.resident, unit: 'B', better: 'lower', goal: 0 },
    { name: 'executables', value: device.executables, unit: '', better: 'lower', goal: 1 },
  ],
});
