/** Parsing 200 KB of Loom text, and writing and reading the same as bytecode. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from '../../runtime/loom/syntax/bytecode-writer.js';
import { readModule } from '../../runtime/loom/syntax/read-module.js';
import { median, printReport } from './report.js';
import type { BenchRow } from './report.js';
import { root } from './server-process.js';

const wantedBytes = 200 * 1024;
const runs = 15;

/** Declarations of every program in the repository, repeated to the size wanted. */
function sourceText(): string {
  const files = ['models', 'test/runtime/loom/fixtures'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.loom'))
      .sort()
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  const declarations = files.join('\n').replace(/^\s*(library|use)\b.*$/gm, '');
  let text = '';
  while (text.length < wantedBytes) text += `${declarations}\n`;
  // Cut at a line that starts a declaration, so that the last one is whole.
  const end = text.lastIndexOf('\n}\n', wantedBytes);
  return text.slice(0, end + 3);
}

function medianMs(work: () => void): number {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    work();
    times.push(performance.now() - started);
  }
  return median(times);
}

const text = new TextEncoder().encode(sourceText());
const first = performance.now();
const parsed = readModule('bench.loom', text);
const coldMs = performance.now() - first;
if (parsed.diagnostics.length > 0) throw new Error(parsed.diagnostics[0]?.message);
const bytes = encode(parsed.module);
const row = (name: string, value: number, goal?: number): BenchRow => ({
  name,
  value,
  unit: 'ms',
  better: 'lower',
  ...(goal === undefined ? {} : { goal }),
});
printReport({
  name: `${Math.round(text.length / 1024)} KB of Loom`,
  rows: [
    row('parse, first time', coldMs),
    row(
      'parse, median',
      medianMs(() => readModule('bench.loom', text)),
      100,
    ),
    row(
      'write bytecode, median',
      medianMs(() => encode(parsed.module)),
    ),
    row(
      'read bytecode, median',
      medianMs(() => readModule('bench.loombc', bytes)),
    ),
  ],
});
