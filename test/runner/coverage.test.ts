/** Coverage fails a run that covers too little, and counts files that nothing loads. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { coverageSummary } from './coverage.js';

/** Beside the build: c8 looks at nothing outside the folder that it runs in. */
const build = mkdtempSync(join(import.meta.dirname, '..', '..', 'covered-'));
const folder = join(build, 'v8');

test.after(() => rmSync(build, { recursive: true }));

test('lines that ran count, lines and files that did not run do not', () => {
  mkdirSync(join(build, 'runtime'));
  const half =
    'export const pick = (one) => {\n  if (one) return 1;\n  return 2;\n};\npick(true);\n';
  writeFileSync(join(build, 'runtime', 'half.mjs'), half);
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  spawnSync(process.execPath, [join(build, 'runtime', 'half.mjs')], { env });
  const alone = coverageSummary(folder, build, 70);
  assert.ok(alone.isEnough, alone.text);
  assert.match(alone.text, /Lines\s+: 80% \( 4\/5 \)/);
  writeFileSync(join(build, 'runtime', 'never.mjs'), half);
  const both = coverageSummary(folder, build, 70);
  assert.not(both.isEnough);
  assert.match(both.text, /Lines\s+: 40% \( 4\/10 \)/);
});

test.run();
