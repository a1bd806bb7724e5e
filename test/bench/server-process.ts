/** Starts programs that benchmarks measure, and waits until they answer. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The build folder, and the root of the repository with models/ in it. */
export const build = join(import.meta.dirname, '..', '..');
export const root = findRoot(build);

function findRoot(from: string): string {
  return existsSync(join(from, 'tsconfig.json')) ? from : findRoot(dirname(from));
}

export interface Started {
  readonly url: string;
  readonly startedMs: number;
  /** What the process holds in memory now (Linux). */
  residentBytes(): number;
  stop(): Promise<void>;
}

/** Runs a program that prints its address, and resolves when it did. */
export function startProgram(args: readonly string[]): Promise<Started> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /(http:\/\/[\d.:]+)/.exec(output)?.[1];
      if (url !== undefined) {
        const residentBytes = (): number => residentOf(child.pid!);
        resolve({ url, startedMs, residentBytes, stop: () => stop(child, ended) });
      }
    });
    child.on('close', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
}

function residentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** The real server with the packages of the repository. */
export function startServer(...packages: readonly string[]): Promise<Started> {
  const main = join(build, 'http', 'main.js');
  return startProgram([main, 'serve', ...packages, '--port', '0', '--log-level', 'error']);
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGINT');
  await ended;
}

export function postEmbeddings(url: string, body: string): Promise<Response> {
  return fetch(`${url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
}
