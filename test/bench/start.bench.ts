/** From starting the process to the first answer of first-output, and how long `--help` takes. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { median, printReport } from './report.js';
import { build, postEmbeddings, startServer } from './server-process.js';

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
    { name: 'loom-serve --help', value: median(helps), unit: 'ms', better: 'lower' },
  ],
});
