import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { coverageSummary, readCoverage } from './coverage.js';
import { mappedPositions } from './source-map.js';

test('mappings lead back to source lines', () => {
  // Built line 1, column 0 -> source line 1; line 2, columns 0 and 4 -> source line 3.
  const map = JSON.stringify({ version: 3, mappings: 'AAAA;AAEA,IAAI;;ACFF' });
  const positions = [...mappedPositions(map)];
  assert.equal(positions.slice(0, 3), [
    { line: 0, column: 0, sourceLine: 1 },
    { line: 1, column: 0, sourceLine: 3 },
    { line: 1, column: 4, sourceLine: 3 },
  ]);
  assert.equal(positions[3], { line: 3, column: 0, sourceLine: 1 });
});

test('lines that ran in any process count, those of files never loaded do not', () => {
  const build = mkdtempSync(join(tmpdir(), 'loom-build-'));
  mkdirSync(join(build, 'http'));
  mkdirSync(join(build, 'v8'));
  // One mapping a line, each to the same line: AAAA, then AACA for the next ones.
  const map = (lines: number): string =>
    JSON.stringify({ version: 3, mappings: ['AAAA', ...Array(lines - 1).fill('AACA')].join(';') });
  const write = (name: string, text: string): void => {
    writeFileSync(join(build, 'http', `${name}.js`), text);
    writeFileSync(join(build, 'http', `${name}.js.map`), map(text.split('\n').length));
  };
  write(
    'a',
    'module.exports = (x) => {\nif (x) {\nreturn 1;\n} else {\nreturn 2;\n}\n};\nfunction f() {\nreturn 3;\n}',
  );
  write('b', 'let x = 1;\nlet y = 2;');
  const run = (script: string): void => {
    execFileSync(process.execPath, ['-e', script], {
      cwd: build,
      env: { ...process.env, NODE_V8_COVERAGE: join(build, 'v8') },
    });
  };
  run(`require('./http/a.js')(true)`);
  const [once] = readCoverage(join(build, 'v8'), build);
  assert.is(once?.path, 'http/a.ts');
  assert.equal([once?.lines, once?.missed], [10, [5, 6, 8, 9, 10]]);
  run(`require('./http/a.js')(false)`);
  const files = readCoverage(join(build, 'v8'), build);
  assert.equal(
    files.map(({ path, covered, lines }) => [path, covered, lines]),
    [
      ['http/a.ts', 7, 10],
      ['http/b.ts', 0, 2],
    ],
  );
  const low = coverageSummary(files, 90);
  assert.not(low.isEnough);
  assert.match(low.text, '58.3 %, below the floor of 90 %');
  assert.match(low.text, '3 of 10 http/a.ts: 8-10');
  assert.ok(coverageSummary(files, 58).isEnough);
});

test.run();
