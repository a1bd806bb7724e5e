/**
 * Runs one test file in a process group of its own and reads the totals that uvu prints. The group
 * is killed at the limit, with whatever the file started.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

export interface FileRun {
  readonly name: string;
  readonly file: string;
  readonly limitS: number;
  /** Folder for V8's coverage files; null without. */
  readonly coverage: string | null;
}

export interface FileOutcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Why the file failed as a whole. */
  readonly reason: string | null;
  readonly output: string;
}

/** More output than this is cut in the middle: a loop that prints must not fill the memory. */
const outputMax = 1_000_000;
const running = new Set<ChildProcess>();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) killGroup(child);
    process.exit(130);
  });
}

export function runFile(run: FileRun): Promise<FileOutcome> {
  const started = performance.now();
  const env: NodeJS.ProcessEnv = { ...process.env, FORCE_COLOR: '0' };
  if (run.coverage !== null) env.NODE_V8_COVERAGE = run.coverage;
  const child = spawn(process.execPath, ['--enable-source-maps', run.file], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const collect = (chunk: Buffer): void => {
    if (output.length < outputMax) output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killGroup(child);
    }, run.limitS * 1000);
    const end = (exit: string | null): void => {
      clearTimeout(timer);
      killGroup(child);
      running.delete(child);
      const seconds = (performance.now() - started) / 1000;
      const reason = isLate ? `not done within ${run.limitS} s` : exit;
      resolve({ name: run.name, seconds, output, ...judge(output, reason) });
    };
    child.on('error', (error) => end(error.message));
    child.on('close', (code, signal) => {
      end(code === 0 ? null : signal === null ? `exit code ${code}` : `ended by ${signal}`);
    });
  });
}

/** What the totals and the way the process ended say together. */
export function judge(
  output: string,
  exit: string | null,
): Pick<FileOutcome, 'passed' | 'failed' | 'skipped' | 'reason'> {
  const total = countOf(output, 'Total');
  const passed = countOf(output, 'Passed') ?? 0;
  const skipped = countOf(output, 'Skipped') ?? 0;
  if (total === null) {
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      reason: exit ?? 'printed no totals: no test.run()?',
    };
  }
  if (total + skipped === 0) return { passed, failed: 1, skipped, reason: 'holds no test' };
  const failed = total - passed;
  // A crash after the totals, or a limit: one more failure than the tests themselves show.
  const isBroken = exit !== null && failed === 0;
  return { passed, failed: failed + (isBroken ? 1 : 0), skipped, reason: isBroken ? exit : null };
}

function countOf(output: string, label: string): number | null {
  // The last one: a test may print the output of another run.
  const matches = [...output.matchAll(new RegExp(`^  ${label}: +(\\d+)`, 'gm'))];
  const last = matches.at(-1)?.[1];
  return last === undefined ? null : Number(last);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone, as it should be.
  }
}
