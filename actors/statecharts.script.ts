/**
 * `npm run statecharts`: writes `actors/STATECHARTS.md`. With `--check` it writes nothing and fails
 * when the file is stale.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCharts, renderStatecharts, sourceRoot } from './statecharts.js';

const file = join(sourceRoot(), 'actors', 'STATECHARTS.md');
const charts = await loadCharts();
const text = renderStatecharts(charts);
const isFresh = existsSync(file) && readFileSync(file, 'utf8') === text;
if (isFresh) {
  console.log(`${file} is up to date (${charts.length} machines)`);
} else if (process.argv.includes('--check')) {
  console.error(`${file} is stale; run: npm run statecharts`);
  process.exitCode = 1;
} else {
  writeFileSync(file, text);
  console.log(`wrote ${file} (${charts.length} machines)`);
}
