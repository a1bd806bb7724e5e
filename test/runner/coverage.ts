/**
 * Line coverage of actors/, runtime/ and http/ from the files that V8 writes for every process and
 * thread. A source line is covered when any code that the source map leads back to it ran in any
 * of them; files that nothing loaded count with all their lines.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mappedPositions } from './source-map.js';

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

export interface FileCoverage {
  /** Path below the build folder, with `.ts`. */
  readonly path: string;
  readonly lines: number;
  readonly covered: number;
  readonly missed: readonly number[];
}

const areas = ['actors', 'runtime', 'http'];

export function readCoverage(folder: string, build: string): FileCoverage[] {
  const files = new Map(sourceFiles(build).map((path) => [pathToFileURL(path).href, path]));
  const texts = new Map([...files].map(([url, path]) => [url, readFileSync(path, 'utf8')]));
  const ran = new Map([...texts].map(([url, text]) => [url, new Uint8Array(text.length)]));
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json')) continue;
    const report = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Script[] };
    for (const script of report.result) {
      const marks = ran.get(script.url);
      if (marks !== undefined) addScript(marks, script);
    }
  }
  return [...files].map(([url, path]) =>
    fileCoverage(relative(build, path).replace(/\.js$/, '.ts'), {
      text: texts.get(url) ?? '',
      ran: ran.get(url) ?? new Uint8Array(0),
      map: readFileSync(`${path}.map`, 'utf8'),
    }),
  );
}

function sourceFiles(build: string): string[] {
  return areas
    .map((area) => join(build, area))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js') && existsSync(join(folder, `${name}.map`)))
        .map((name) => join(folder, name)),
    );
}

/** Inner ranges come after outer ones, so the last one that holds an offset decides. */
function addScript(marks: Uint8Array, script: Script): void {
  const here = new Uint8Array(marks.length);
  for (const { ranges } of script.functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      here.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    }
  }
  for (let offset = 0; offset < here.length; offset += 1) {
    if (here[offset] === 1) marks[offset] = 1;
  }
}

interface Built {
  readonly text: string;
  readonly ran: Uint8Array;
  readonly map: string;
}

function fileCoverage(path: string, built: Built): FileCoverage {
  const starts = [0];
  for (let at = built.text.indexOf('\n'); at >= 0; at = built.text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  const lines = new Map<number, boolean>();
  for (const { line, column, sourceLine } of mappedPositions(built.map)) {
    const offset = (starts[line] ?? 0) + column;
    lines.set(sourceLine, (lines.get(sourceLine) ?? false) || built.ran[offset] === 1);
  }
  const missed = [...lines].filter(([, isCovered]) => !isCovered).map(([line]) => line);
  return {
    path,
    lines: lines.size,
    covered: lines.size - missed.length,
    missed: missed.sort((left, right) => left - right),
  };
}

export function coverageSummary(
  files: readonly FileCoverage[],
  minPercent: number,
): { text: string; isEnough: boolean } {
  const percent = (of: readonly FileCoverage[]): number => {
    const lines = of.reduce((sum, file) => sum + file.lines, 0);
    const covered = of.reduce((sum, file) => sum + file.covered, 0);
    return lines === 0 ? 100 : (covered / lines) * 100;
  };
  const groups = new Map<string, FileCoverage[]>();
  for (const file of files) {
    const parts = file.path.split('/');
    const group = parts.slice(0, Math.min(2, parts.length - 1)).join('/');
    groups.set(group, [...(groups.get(group) ?? []), file]);
  }
  const worst = files
    .filter((file) => file.lines - file.covered > 0)
    .sort((left, right) => right.lines - right.covered - (left.lines - left.covered))
    .slice(0, 25);
  const total = percent(files);
  const isEnough = total >= minPercent;
  const text = [
    'lines covered:',
    ...[...groups]
      .sort()
      .map(([group, of]) => `  ${percent(of).toFixed(1).padStart(5)} % ${group}`),
    'most lines missed:',
    ...worst.map(
      (file) =>
        `  ${file.lines - file.covered} of ${file.lines} ${file.path}: ${spans(file.missed)}`,
    ),
    `coverage of source lines: ${total.toFixed(1)} %` +
      (isEnough ? '' : `, below the floor of ${minPercent} %`),
  ].join('\n');
  return { text, isEnough };
}

/** `[3, 4, 5, 9]` as `3-5 9`, at most eight spans. */
function spans(lines: readonly number[]): string {
  const found: [number, number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  const shown = found.slice(0, 8).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return shown.join(' ') + (found.length > 8 ? ' …' : '');
}
