/**
 * `npm run statecharts`: writes `actors/STATECHARTS.md`. With `--check` it writes nothing and fails
 * when the file is stale.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from './machine-charts.js';
import { loadCharts, renderStatecharts } from './statecharts.js';

const file = join(sourceRoot(), 'actors', 'STATECHARTS.md');
void loadCharts().then((charts) => {
  const text = renderStatecharts(charts);
  const isFresh = existsSync(file) && readFileSync(file, 'utf8') === text;
  if (isFresh) {
    process.stdout.write(`${file} is up to date (${charts.length} machines)\n`);
  } else if (process.argv.includes('--check')) {
    process.stderr.write(`${file} is stale; run: npm run statecharts\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    process.stdout.write(`wrote ${file} (${charts.length} machines)\n`);
  }
});
