/**
 * Runs every `*.bench.js` below the folder it lies in, each in a process of its own and one at a
 * time, so that none disturbs another. Prints a table, then all results as JSON, or writes the JSON
 * to a file. `--device webgpu` runs those of a WebGPU device instead, on the first adapter.
 *
 *   node dist/test/bench/run.js [FILTER…] [--device webgpu] [--json FILE] [--limit SECONDS]
 */
import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { BenchReport, BenchRow } from './report.js';

const here = import.meta.dirname;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: 'string', default: 'local' },
    json: { type: 'string' },
    limit: { type: 'string', default: '600' },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const names = readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.bench.js') && isFor(name, values.device))
    .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
    .sort();
  const reports: BenchReport[] = [];
  const failed: string[] = [];
  for (const name of names) {
    console.log(`running ${name}`);
    const report = await runBench(name);
    if (report === null) failed.push(name);
    else reports.push(report);
  }
  console.log(table(reports));
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
  };
  const json = JSON.stringify({ machine, reports }, null, 2);
  if (values.json === undefined) console.log(json);
  else writeFileSync(values.json, `${json}\n`);
  for (const name of failed) console.error(`failed: ${name}`);
  return failed.length > 0 || names.length === 0 ? 1 : 0;
}

function isFor(name: string, device: string): boolean {
  if (device !== 'local' && device !== 'webgpu') throw new Error(`no benchmarks for '${device}'`);
  return name.startsWith('webgpu/') === (device === 'webgpu');
}

/**
 * The report of one file; null when it failed, ran too long or printed none. What it prints besides
 * is passed on line by line as it comes: some work for minutes.
 */
function runBench(name: string): Promise<BenchReport | null> {
  const child = spawn(process.execPath, ['--enable-source-maps', join(here, name)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), Number(values.limit) * 1000);
  let report: BenchReport | null = null;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const found = parseReport(line);
    if (found === null) console.log(line);
    else report = found;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? report : null);
    });
  });
}

function parseReport(line: string): BenchReport | null {
  try {
    const value = JSON.parse(line) as BenchReport;
    return Array.isArray(value.rows) ? value : null;
  } catch {
    return null;
  }
}

function table(reports: readonly BenchReport[]): string {
  const rows = reports.flatMap((report) =>
    report.rows.map((row) => [
      `${report.name}: ${row.name}`,
      shown(row.value),
      row.unit,
      verdict(row),
    ]),
  );
  const widths = [0, 1, 2].map((column) =>
    Math.max(0, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map(([name = '', value = '', unit = '', goal = '']) =>
      [
        name.padEnd(widths[0] ?? 0),
        value.padStart(widths[1] ?? 0),
        unit.padEnd(widths[2] ?? 0),
        goal,
      ]
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function shown(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function verdict({ value, better, goal }: BenchRow): string {
  if (goal === undefined) return '';
  const isMet = better === 'lower' ? value <= goal : value >= goal;
  return `${isMet ? 'meets' : 'MISSES'} ${better === 'lower' ? '≤' : '≥'} ${goal}`;
}
