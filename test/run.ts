/**
 * The test runner: every compiled `*.test.js` below the folder it lies in, each in a process of its
 * own with a time limit, as many at a time as there are cores. Those with the most time go first:
 * one of them at the end would run alone. A file that hangs, crashes, or counts no test has failed.
 * The last line stands alone and says `N passed, N failed` (`, N skipped`).
 *
 *   node dist/test/run.js [FILTER…] [--concurrency N] [--limit SECONDS]
 *                         [--coverage [--min-lines PERCENT]]
 *
 * A filter is part of a path. A file that needs longer says `time limit: N s` in its header.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coverageSummary } from './runner/coverage.js';
import { runFile } from './runner/test-process.js';
import type { FileOutcome } from './runner/test-process.js';

const here = import.meta.dirname;
/** The build folder, whatever it is called: `dist` for users. */
const build = join(here, '..');

/** Each may hold some hundred MiB. */
const CONCURRENCY_MAX = 5;
const concurrency = Math.min(CONCURRENCY_MAX, availableParallelism());

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: 'string', default: String(concurrency) },
    limit: { type: 'string', default: '60' },
    coverage: { type: 'boolean', default: false },
    'min-lines': { type: 'string', default: '0' },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const files = testFiles();
  if (files.length === 0) {
    console.error(`no test file matches ${positionals.join(' ') || '*.test.js'}`);
    console.log('0 passed, 1 failed');
    return 1;
  }
  const coverage = values.coverage ? mkdtempSync(join(tmpdir(), 'loom-coverage-')) : null;
  const outcomes = await runAll(files, coverage);
  let isCovered = true;
  if (coverage !== null) {
    const summary = coverageSummary(coverage, build, Number(values['min-lines']));
    rmSync(coverage, { recursive: true });
    console.log(summary.text);
    isCovered = summary.isEnough;
  }
  const sum = (of: (outcome: FileOutcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const failed = sum((outcome) => outcome.failed) + (isCovered ? 0 : 1);
  const skipped = sum((outcome) => outcome.skipped);
  for (const outcome of outcomes) {
    if (outcome.failed > 0) console.log(`failed: ${outcome.name}`);
  }
  console.log(
    `${sum((outcome) => outcome.passed)} passed, ${failed} failed` +
      (skipped > 0 ? `, ${skipped} skipped` : ''),
  );
  return failed > 0 ? 1 : 0;
}

function testFiles(): string[] {
  const names = readdirSync(here, { recursive: true, encoding: 'utf8' }).sort();
  return names.filter(
    (name) =>
      name.endsWith('.test.js') &&
      (positionals.length === 0 || positionals.some((filter) => name.includes(filter))),
  );
}

async function runAll(names: readonly string[], coverage: string | null): Promise<FileOutcome[]> {
  const queue = names
    .map((name) => ({ name, limitS: limitOf(join(here, name)) }))
    .sort((one, other) => other.limitS - one.limitS);
  const outcomes: FileOutcome[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name, limitS } = next;
      const outcome = await runFile({ name, file: join(here, name), limitS, coverage });
      outcomes.push(outcome);
      console.log(lineOf(outcome));
      if (outcome.failed > 0) console.log(outcome.output.replace(/^/gm, '    '));
    }
  };
  const workers = Math.max(1, Number(values.concurrency));
  await Promise.all(Array.from({ length: workers }, work));
  return outcomes;
}

function limitOf(file: string): number {
  const own = /time limit: (\d+) s/.exec(readFileSync(file, 'utf8').slice(0, 1000))?.[1];
  return Number(own ?? values.limit);
}

function lineOf(outcome: FileOutcome): string {
  const { name, passed, failed, skipped, seconds, reason } = outcome;
  const counts = `${passed} passed${failed > 0 ? `, ${failed} failed` : ''}`;
  const skips = skipped > 0 ? `, ${skipped} skipped` : '';
  const why = reason === null ? '' : ` (${reason})`;
  return `${failed > 0 ? 'FAIL' : 'ok  '} ${name}: ${counts}${skips} in ${seconds.toFixed(1)} s${why}`;
}
