import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judge, runFile } from './test-process.js';
import type { FileOutcome } from './test-process.js';

const folder = mkdtempSync(join(tmpdir(), 'loom-runner-'));
const totals = (total: number, passed: number, skipped = 0): string =>
  `\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   ${skipped}\n  Duration:  1ms\n`;

function run(name: string, script: string, limitS = 20): Promise<FileOutcome> {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, script);
  return runFile({ name, file, limitS, coverage: null });
}

const counts = ({
  passed,
  failed,
  skipped,
}: Pick<FileOutcome, 'passed' | 'failed' | 'skipped'>) => [passed, failed, skipped];

test('totals count', () => {
  assert.equal(counts(judge(totals(3, 3, 1), null)), [3, 0, 1]);
  assert.equal(counts(judge(totals(3, 1), 'exit code 1')), [1, 2, 0]);
  assert.equal(counts(judge(totals(0, 0, 2), null)), [0, 0, 2]);
});

test('no totals, no tests, and a crash after the totals are failures', () => {
  assert.equal(counts(judge('', null)), [0, 1, 0]);
  assert.match(judge('', null).reason ?? '', 'no totals');
  assert.equal(counts(judge(totals(0, 0), null)), [0, 1, 0]);
  assert.equal(counts(judge(totals(2, 2), 'exit code 7')), [2, 1, 0]);
});

test('the last totals count: a test may print those of another run', () => {
  assert.equal(counts(judge(totals(9, 1) + totals(2, 2), null)), [2, 0, 0]);
});

test('a file that passes is seen through a real process', async () => {
  const outcome = await run('good', `console.log(${JSON.stringify(totals(2, 2))})`);
  assert.equal(counts(outcome), [2, 0, 0]);
  assert.is(outcome.reason, null);
});

test('a file that hangs is ended with all that it started', async () => {
  const beats = join(folder, 'beats');
  const beat = `() => require('fs').appendFileSync(${JSON.stringify(beats)}, '.')`;
  const child = `setInterval(${beat}, 20)`;
  const script = `
    import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', ${JSON.stringify(child)}]);
    console.log(${JSON.stringify(totals(1, 1))});
    setInterval(() => {}, 1000);`;
  let limitS = 0.35;
  let outcome: FileOutcome;
  // Enough for both to have begun.
  do {
    limitS *= 2;
    rmSync(beats, { force: true });
    outcome = await run('hang', script, limitS);
  } while (!existsSync(beats) || !outcome.output.includes('Total:'));
  assert.equal(counts(outcome), [1, 1, 0]);
  assert.match(outcome.reason ?? '', `within ${limitS} s`);
  const { size } = statSync(beats);
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.is(statSync(beats).size, size, 'the grandchild lived on');
});

test('a crash and a silent end are failures with the output kept', async () => {
  const crash = await run('crash', `throw new Error('went wrong')`);
  assert.equal(counts(crash), [0, 1, 0]);
  assert.match(crash.output, 'went wrong');
  assert.equal(counts(await run('silent', 'export {}')), [0, 1, 0]);
});

test('colours are off, so totals can be read', async () => {
  const outcome = await run('colour', `console.log(process.env.FORCE_COLOR)`);
  assert.match(outcome.output, /^0/);
});

test('the runner ends with one line alone, and fails when nothing matches', () => {
  const runner = join(import.meta.dirname, '..', 'run.js');
  const call = (filter: string): { status: number | null; lines: string[] } => {
    const { status, stdout } = spawnSync(process.execPath, [runner, filter], { encoding: 'utf8' });
    return { status, lines: stdout.trimEnd().split('\n') };
  };
  const good = call('runner/coverage');
  assert.is(good.status, 0);
  assert.match(good.lines.at(-1) ?? '', /^\d+ passed, 0 failed$/);
  assert.match(good.lines.at(-2) ?? '', /^ok +runner\/coverage\.test\.js: \d+ passed in/);
  const none = call('no-such-test');
  assert.is(none.status, 1);
  assert.is(none.lines.at(-1), '0 passed, 1 failed');
});

test.run();
