/**
 * A process that judges mutants one after another and says each verdict as it comes. One that does
 * not end in time is killed: the mutant that it was at has been noticed, and a new process goes on
 * with the next.
 */
import { spawn } from 'node:child_process';

const LIMIT_MS = 120_000;

/** The mutants that the script notices, of those that it is asked about. */
export async function noticedIn(
  script: readonly string[],
  mutants: readonly string[],
): Promise<string[]> {
  const noticed: string[] = [];
  let rest = mutants;
  while (rest.length > 0) {
    const verdicts = await verdictsOf(script, rest);
    noticed.push(...rest.filter((_, i) => verdicts[i] === '1'));
    noticed.push(...rest.slice(verdicts.length, verdicts.length + 1));
    rest = rest.slice(verdicts.length + 1);
  }
  return noticed;
}

/** A digit a mutant, as far as it came. */
function verdictsOf(script: readonly string[], mutants: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, script, { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
    let verdicts = '';
    const kill = (): void => void child.kill('SIGKILL');
    let timer = setTimeout(kill, LIMIT_MS);
    child.stdio[3]!.on('data', (data: Buffer) => {
      verdicts += data.toString();
      clearTimeout(timer);
      timer = setTimeout(kill, LIMIT_MS);
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve(verdicts);
    });
    child.stdin!.on('error', () => {});
    child.stdin!.end(mutants.join('\n'));
  });
}
