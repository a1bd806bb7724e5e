/**
 * The repository as tidy tests see it: its files with their text, and TypeScript text with comments
 * and literals blanked out, so that a rule about code does not fire on prose. Positions stay.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The folder of package.json, from whatever folder the build writes to. */
export const root = findRoot(import.meta.dirname);

function findRoot(from: string): string {
  let folder = from;
  while (!existsSync(join(folder, 'tsconfig.json'))) folder = dirname(folder);
  return folder;
}

/** Files under version control, and new ones that are not ignored. */
export const paths: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 },
)
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

export function read(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** Every TypeScript file, tests and all. */
export const allCode: readonly SourceFile[] = paths
  .filter((path) => path.endsWith('.ts') && !path.startsWith('test/bench/peers/'))
  .map(read);

/** What ships: everything but tests. */
export const shipped = allCode.filter((file) =>
  /^(actors|runtime|http|scenarios)\//.test(file.path),
);
export const tests = allCode.filter((file) => file.path.startsWith('test/'));

/** 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}

/** Fails with one line for each breach: file, line, rule. */
export function report(breaches: readonly string[]): void {
  if (breaches.length === 0) return;
  const error = new Error(`${breaches.length} breaches:\n${[...breaches].sort().join('\n')}`);
  // The stack would say all of it again and lead here.
  error.stack = 'tidy';
  throw error;
}
