/**
 * Requests a second on first-output against a bare route that answers the same JSON from a
 * constant, with one client and with 64, each kept alive, from a process of its own. Rounds of the
 * two alternate, so that both see the same machine; the ratio is the median of their pairs. Also
 * what a request costs each thread: busy microseconds of its event loop, and messages of its
 * actors.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { median, printReport } from './report.js';
import type { BenchRow } from './report.js';
import { postEmbeddings, startProgram, startServer } from './server-process.js';

interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

const here = import.meta.dirname;
const body = JSON.stringify({ model: 'first-output', input: 'hello' });
const rounds = 9;
const seconds = '3';

function load(url: string, connections: number): Load {
  const args = [`${url}/v1/embeddings`, String(connections), seconds, body];
  const output = execFileSync(process.execPath, [join(here, 'load.script.js'), ...args]);
  const result = JSON.parse(output.toString()) as Load;
  if (result.failed > 0) throw new Error(`${result.failed} requests to ${url} failed`);
  return result;
}

/** Values of a metric by thread. */
async function byThread(name: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const lines = [...text.matchAll(new RegExp(`^${name}{thread="([^"]+)"} (\\S+)$`, 'gm'))];
  return new Map(lines.map(([, thread = '', value]) => [thread, Number(value)]));
}

interface Usage {
  readonly busyS: Map<string, number>;
  readonly messages: Map<string, number>;
}

const usage = async (): Promise<Usage> => ({
  busyS: await byThread('loom_thread_busy_seconds'),
  messages: await byThread('loom_thread_messages'),
});

/** Of `requests` between two looks, for each thread that was seen in both. */
function costRows(clients: string, requests: number, [from, to]: [Usage, Usage]): BenchRow[] {
  return [...to.busyS.keys()].flatMap((thread): BenchRow[] => {
    const spent = (part: keyof Usage): number =>
      ((to[part].get(thread) ?? NaN) - (from[part].get(thread) ?? NaN)) / requests;
    const name = `${thread}, ${clients}`;
    return [
      { name: `${name}: busy`, value: spent('busyS') * 1e6, unit: 'us/req', better: 'lower' },
      { name: `${name}: messages`, value: spent('messages'), unit: '/req', better: 'lower' },
    ];
  });
}

const server = await startServer('models/first-output');
const answer = await (await postEmbeddings(server.url, body)).text();
const bare = await startProgram([join(here, 'bare-route.script.js'), answer]);
const rows: BenchRow[] = [];
for (const [connections, goal] of [
  [1, 0.15],
  [64, 0.3],
] as const) {
  const ours: Load[] = [];
  const floor: Load[] = [];
  // Compilers settle under load: with one client that would take minutes.
  for (let warm = 0; warm < 3; warm += 1) load(server.url, 64);
  load(bare.url, 64);
  const before = await usage();
  for (let round = 0; round < rounds; round += 1) {
    floor.push(load(bare.url, connections));
    ours.push(load(server.url, connections));
  }
  const of = (loads: readonly Load[], part: keyof Load): number =>
    median(loads.map((result) => result[part]));
  const requests = ours.reduce((sum, one) => sum + one.perSecond * Number(seconds), 0);
  const clients = connections === 1 ? '1 client' : `${connections} clients`;
  const rate = of(ours, 'perSecond');
  const bareRate = of(floor, 'perSecond');
  const ratio = median(ours.map((one, i) => one.perSecond / floor[i]!.perSecond));
  rows.push(
    { name: `first-output, ${clients}`, value: rate, unit: 'req/s', better: 'higher' },
    { name: `bare route, ${clients}`, value: bareRate, unit: 'req/s', better: 'higher' },
    { name: `ratio, ${clients}`, value: ratio, unit: 'x', better: 'higher', goal },
    { name: `p50, ${clients}`, value: of(ours, 'p50Ms'), unit: 'ms', better: 'lower' },
    { name: `p99, ${clients}`, value: of(ours, 'p99Ms'), unit: 'ms', better: 'lower' },
    ...costRows(clients, requests, [before, await usage()]),
  );
}
await server.stop();
await bare.stop();
printReport({ name: 'http', rows });
