/**
 * A process that judges mutants one after another and says each verdict, a line, as it comes: who
 * noticed, or nothing. One that does not end in time is killed: the mutant that it was at has been
 * noticed, and a new process goes on with the next.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const LIMIT_MS = 120_000;
/** A line of a judge that is no verdict: it is up, or has come a little further. */
export const STILL_AT_IT = '.';
/** Of the descriptor to which a judge writes. */
export const VERDICTS = 3;

/** Who notices a mutant; null: nobody. */
export type Hears = (mutant: string, by: string | null) => void;

export interface JudgingLimits {
  /** Seeds of each kind, and how many of those at most for one mutant. */
  readonly seeds: number;
  readonly tries: number;
}

/** Mutants of machines and books: the cheap judges first, whole servers for what is left. */
export async function judgeTables(
  mutants: readonly string[],
  { seeds, tries }: JudgingLimits,
  hears: Hears,
): Promise<void> {
  const left: string[] = [];
  await judgeIn(['mutated-tables'], mutants, (mutant, by) => {
    if (by === null) left.push(mutant);
    else hears(mutant, by);
  });
  await judgeIn(['mutated-servers', String(seeds), String(tries)], left, hears);
}

export async function judgeSources(mutants: readonly string[], hears: Hears): Promise<void> {
  await judgeIn(['mutated-sources'], mutants, hears);
}

/** By a script of this folder and its arguments. */
async function judgeIn(
  [name, ...args]: readonly string[],
  mutants: readonly string[],
  hears: Hears,
): Promise<void> {
  const script = [join(import.meta.dirname, `${name}.script.js`), ...args];
  let rest = mutants;
  while (rest.length > 0) {
    const due = rest;
    let count = 0;
    await verdictsOf(script, due, (by) => hears(due[count++]!, by === '' ? null : by));
    if (count < due.length) hears(due[count++]!, 'it does not end');
    rest = due.slice(count);
  }
}

/** One that never came up has judged nothing: it throws. */
function verdictsOf(
  script: readonly string[],
  mutants: readonly string[],
  says: (by: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, script, { stdio: ['pipe', 'ignore', 'inherit', 'pipe'] });
    let text = '';
    let isUp = false;
    const kill = (): void => void child.kill('SIGKILL');
    let timer = setTimeout(kill, LIMIT_MS);
    child.stdio[VERDICTS]!.on('data', (data: Buffer) => {
      const lines = (text + data.toString()).split('\n');
      text = lines.pop()!;
      isUp = true;
      for (const line of lines) if (line !== STILL_AT_IT) says(line);
      clearTimeout(timer);
      timer = setTimeout(kill, LIMIT_MS);
    });
    child.on('close', () => {
      clearTimeout(timer);
      if (isUp) resolve();
      else reject(new Error(`${script.join(' ')} does not start`));
    });
    child.stdin!.on('error', () => {});
    child.stdin!.end(mutants.join('\n'));
  });
}
