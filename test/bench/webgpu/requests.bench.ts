/**
 * Requests to first-output on a WebGPU device, through all threads of a server in this process: the
 * first after the package was prepared again against the tenth, and against the first after a pause
 * of the same length in which nothing was prepared (threads and cores that slept are slow to begin;
 * what is left to compile would be above that); the very first, and what the process costs while
 * nobody asks anything. Lower quartiles: whatever else the machine does only ever adds.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageFolder, runServer, type TestServer } from '../../actors/running-server.js';
import { median, printReport, type BenchRow } from '../report.js';

const MODEL = 'first-output';
const STARTS = 3;
/** Preparations of one server. */
const TIMES = 15;
/** The tenth request, with its neighbours: one alone says little. */
const LATER = 15;
const IDLE_MS = 30_000;
const PAUSE_MS = 200;

async function requestMs(server: TestServer, text: string): Promise<number> {
  const begin = performance.now();
  await server.embed(MODEL, [text]);
  return performance.now() - begin;
}

/** Share of a core that the process takes while it is idle. */
async function idleShare(): Promise<number> {
  await sleep(1000);
  const [used, begin] = [process.cpuUsage(), performance.now()];
  await sleep(IDLE_MS);
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1000 / (performance.now() - begin);
}

const quartile = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)]!;

const firsts: number[] = [];
const [again, paused, tenths]: [number[], number[], number[]] = [[], [], []];
let idle = NaN;
for (let start = 0; start < STARTS; start += 1) {
  const server = await runServer([MODEL], { device: 'webgpu' });
  for (let time = 0; time < TIMES; time += 1) {
    if (time > 0) {
      await server.serve(packageFolder(MODEL));
      await sleep(PAUSE_MS);
    }
    (time > 0 ? again : firsts).push(await requestMs(server, 'the first words'));
    const later: number[] = [];
    for (let i = 2; i <= LATER; i += 1) later.push(await requestMs(server, `words ${i}`));
    tenths.push(quartile(later.slice(4)));
    await sleep(PAUSE_MS);
    paused.push(await requestMs(server, 'the words after a pause'));
  }
  if (start === STARTS - 1) idle = (await idleShare()) * 100;
  await server.close();
}
const [first, tenth] = [quartile(again), quartile(tenths)];
const rows: BenchRow[] = [
  { name: 'first request of a process', value: median(firsts), unit: 'ms', better: 'lower' },
  { name: 'tenth request', value: tenth, unit: 'ms', better: 'lower' },
  {
    name: 'first after preparing, against tenth',
    value: first / tenth,
    unit: 'x',
    better: 'lower',
    goal: 1.5,
  },
  {
    name: 'first after preparing, against first after a pause',
    value: first / quartile(paused),
    unit: 'x',
    better: 'lower',
    goal: 1.5,
  },
  { name: 'idle, of a core', value: idle, unit: '%', better: 'lower', goal: 2 },
];
printReport({ name: 'requests on a WebGPU device', rows });
