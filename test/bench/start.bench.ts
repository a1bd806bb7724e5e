/**
 * From starting the process to the first answer of first-output, preparing first-output on a server
 * that runs (the first time, and once its compilers are warm), and how long `--help` takes.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { median, printReport } from './report.js';
import { build, postEmbeddings, root, startServer } from './server-process.js';

const runs = 5;
const body = JSON.stringify({ model: 'first-output', input: 'hello' });

async function firstAnswerMs(): Promise<number> {
  const server = await startServer('models/first-output');
  const response = await postEmbeddings(server.url, body);
  if (response.status !== 200) throw new Error(`the first answer is ${response.status}`);
  await response.text();
  const elapsed = performance.now() - server.startedMs;
  await server.stop();
  return elapsed;
}

/** Of each of `count` registrations on one server, the first of a package among them. */
async function preparingMs(count: number): Promise<number[]> {
  const server = await startServer();
  const found: number[] = [];
  for (let run = 0; run < count; run += 1) {
    const started = performance.now();
    const response = await fetch(`${server.url}/admin/models?wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ package: join(root, 'models', 'first-output') }),
    });
    if (response.status !== 200) throw new Error(await response.text());
    await response.text();
    found.push(performance.now() - started);
  }
  await server.stop();
  return found;
}

function helpMs(): number {
  const started = performance.now();
  execFileSync(process.execPath, [join(build, 'http', 'main.js'), '--help']);
  return performance.now() - started;
}

const starts: number[] = [];
const helps: number[] = [];
for (let run = 0; run < runs; run += 1) {
  starts.push(await firstAnswerMs());
  helps.push(helpMs());
}
const first: number[] = [];
const warm: number[] = [];
for (let run = 0; run < 3; run += 1) {
  const [cold = NaN, ...rest] = await preparingMs(6);
  first.push(cold);
  warm.push(...rest);
}
printReport({
  name: 'start',
  rows: [
    {
      name: 'process start to first answer',
      value: median(starts),
      unit: 'ms',
      better: 'lower',
      goal: 1500,
    },
    {
      name: 'preparing first-output, first package',
      value: median(first),
      unit: 'ms',
      better: 'lower',
      goal: 150,
    },
    { name: 'preparing first-output, again', value: median(warm), unit: 'ms', better: 'lower' },
    { name: 'loom-serve --help', value: median(helps), unit: 'ms', better: 'lower' },
  ],
});
