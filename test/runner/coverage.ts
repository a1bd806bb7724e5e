/**
 * Line coverage of actors/, runtime/ and http/ over every process and thread of a run: V8 writes
 * the files, c8 leads them back through the source maps. Files that nothing loaded count with all
 * lines.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface CoverageSummary {
  readonly text: string;
  readonly isEnough: boolean;
}

/** `folder`: what NODE_V8_COVERAGE named. `build`: the compiled tree. `linesMin`: percent. */
export function coverageSummary(folder: string, build: string, linesMin: number): CoverageSummary {
  // Patterns are matched from the working folder.
  const areas = ['actors', 'runtime', 'http'].map((area) =>
    relative(process.cwd(), join(build, area, '**')),
  );
  const c8 = join(dirname(createRequire(import.meta.url).resolve('c8')), 'bin', 'c8.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[c8, 'report', '--temp-directory', folder, '--all', '--src', build],
      ...areas.flatMap((area) => ['--include', area]),
      // Runs in a browser, where V8 writes no files for c8; test/browser is its proof.
      ...['--exclude', relative(process.cwd(), join(build, 'http/console/**'))],
      ...['--exclude-after-remap=false', '--reporter', 'text-summary'],
      ...['--check-coverage', '--lines', String(linesMin)],
      ...['--branches', '0', '--functions', '0', '--statements', '0'],
    ],
    { encoding: 'utf8' },
  );
  return { text: `${stdout.trim()}\n${stderr.trim()}`.trim(), isEnough: status === 0 };
}
