/**
 * How long a 500 MB checkpoint takes to become resident against one read of the file into a fresh
 * buffer, alternating in one run, and what the process then holds beyond a server without packages.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { writeCopied } from './copied-package.js';
import { median, printReport } from './report.js';
import { startServer } from './server-process.js';

const ROWS = 125_000;
const bytes = ROWS * 4_000;
const runs = 3;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Into memory that nobody has touched, as a bank's is. */
function readMs(path: string): number {
  collect();
  const file = openSync(path, 'r');
  const started = performance.now();
  const buffer = new Uint8Array(bytes);
  let done = 0;
  while (done < bytes) done += readSync(file, buffer, done, bytes - done, done);
  const elapsed = performance.now() - started;
  closeSync(file);
  return elapsed;
}

interface Activation {
  readonly ms: number;
  readonly residentBytes: number;
}

async function post(url: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
}

async function activate(folder: string): Promise<Activation> {
  const server = await startServer('--memory', '1GiB');
  await post(server.url, '/admin/models?wait', { package: folder });
  const started = performance.now();
  await post(server.url, '/admin/models/copied/warm-up', {});
  const ms = performance.now() - started;
  const residentBytes = server.residentBytes();
  await server.stop();
  return { ms, residentBytes };
}

async function emptyBytes(): Promise<number> {
  const server = await startServer('--memory', '1GiB');
  const residentBytes = server.residentBytes();
  await server.stop();
  return residentBytes;
}

const folder = join(tmpdir(), `loom-activation-${process.pid}`);
try {
  const checkpoint = writeCopied(folder, ROWS);
  readMs(checkpoint);
  const reads: number[] = [];
  const activations: Activation[] = [];
  for (let run = 0; run < runs; run += 1) {
    reads.push(readMs(checkpoint));
    activations.push(await activate(folder));
  }
  const ms = median(activations.map((each) => each.ms));
  const held = median(activations.map((each) => each.residentBytes)) - (await emptyBytes());
  printReport({
    name: 'activation',
    rows: [
      { name: '500 MB: one read', value: median(reads), unit: 'ms', better: 'lower' },
      { name: '500 MB: activation', value: ms, unit: 'ms', better: 'lower' },
      {
        name: '500 MB: speed against one read',
        value: median(reads) / ms,
        unit: 'x',
        better: 'higher',
        goal: 0.8,
      },
      {
        name: '500 MB: memory beyond the bank',
        value: (held - 1.05 * bytes) / 1e6,
        unit: 'MB',
        better: 'lower',
        goal: 80,
      },
    ],
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
