/**
 * Single changes to the code of the books that no table holds: in the built files of ledgers,
 * budgets, pools and credit, an update left out, or a guard that returns or throws. A statement is
 * named by its text, so that names outlive edits elsewhere. Nothing is written: whoever loads such
 * a file loads the changed text (`mutant-hooks.ts`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceMutant {
  readonly name: string;
  /** Below the build. */
  readonly file: string;
  readonly line: number;
  /** Lines that it leaves out: a condition goes with what it guards. */
  readonly count: number;
}

/** Files with the tests that answer for them, before whole servers do. */
export const ledgers: Readonly<Record<string, readonly string[]>> = {
  'runtime/memory/ledger.js': ['runtime/memory/ledger.test.js'],
  'runtime/memory/budget.js': ['runtime/memory/budget.test.js'],
  'runtime/memory/slab-allocator.js': ['runtime/memory/slab-allocator.test.js'],
  'runtime/memory/slab-pool.js': ['runtime/memory/slab-pool.test.js'],
  'runtime/memory/storage-table.js': ['runtime/memory/storage-table.test.js'],
  'runtime/memory/workspace-limits.js': ['runtime/memory/workspace-limits.test.js'],
  'runtime/memory/admission-line.js': ['runtime/memory/admission-line.test.js'],
  'runtime/memory/bank-table.js': ['runtime/memory/bank-table.test.js'],
  'runtime/memory/placement-retry.js': ['runtime/memory/placement-retry.test.js'],
  'runtime/base/credit.js': ['runtime/base/credit.test.js'],
  'runtime/text/page-pool.js': ['runtime/text/page-pool.test.js', 'runtime/text/row-store.test.js'],
  'runtime/text/slot-pool.js': ['runtime/text/slot-pool.test.js'],
};

/** First values of fields: without them nothing runs at all. */
const first = /^this\.#?(\w+) = (options\.)?\1\b[^(]*;$/;
const updates = [
  /[+-]= /,
  /\+\+;$|--;$/,
  /^this\.#?\w+(\.\w+)* = /,
  /^\w+\.#?\w+ = /,
  /^[^=]*\.(delete|set|add|push|splice|clear)\(/,
  /^this\.#?\w+(\.#?\w+)*\(.*\);$/,
];
const condition = /^if \(.*\)$/;
const ending = /^(return|throw|continue)\b.*;$/;

const isWhole = (line: string): boolean => {
  const count = (pattern: RegExp): number => line.match(pattern)?.length ?? 0;
  return count(/[([{]/g) === count(/[)\]}]/g);
};

/** How many lines from here on are one change to leave out; 0: none. */
function changeAt(lines: readonly string[], line: number): number {
  const [before, text, after] = [line - 1, line, line + 1].map((at) => lines[at]?.trim() ?? '');
  if (!/[;{}/]$/.test(before!) || !isWhole(text!)) return 0;
  const isChange = (one: string): boolean =>
    !first.test(one) && one.endsWith(';') && updates.some((pattern) => pattern.test(one));
  if (condition.test(text!)) {
    return isWhole(after!) && (ending.test(after!) || isChange(after!)) ? 2 : 0;
  }
  return isChange(text!) ? 1 : 0;
}

export function sourceMutants(build: string): SourceMutant[] {
  return Object.keys(ledgers).flatMap((file) => {
    const lines = readFileSync(join(build, file), 'utf8').split('\n');
    const seen = new Map<string, number>();
    return lines.flatMap((_, line): SourceMutant[] => {
      const count = changeAt(lines, line);
      if (count === 0) return [];
      const text = lines
        .slice(line, line + count)
        .map((one) => one.trim())
        .join(' ');
      const times = (seen.get(text) ?? 0) + 1;
      seen.set(text, times);
      const turn = times > 1 ? ` #${times}` : '';
      return [{ name: `${file}: without ${text}${turn}`, file, line, count }];
    });
  });
}

/** The text of a file without a change. */
export function mutated(source: string, { line, count }: SourceMutant): string {
  const lines = source.split('\n');
  return lines.map((text, at) => (at >= line && at < line + count ? '' : text)).join('\n');
}
