/** time limit: 120 s: the formatter reads every file, also on a slow machine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from 'prettier';
import { test } from 'uvu';
import { allCode, read, report, root } from './sources.js';

test('every TypeScript file is as the formatter writes it', async () => {
  const options = JSON.parse(read('.prettierrc.json').text) as object;
  const breaches: string[] = [];
  for (const { path } of allCode) {
    const text = await readFile(join(root, path), 'utf8');
    const isFormatted = await check(text, { ...options, filepath: path });
    if (!isFormatted) breaches.push(`${path}: run npm run format`);
  }
  report(breaches);
});

test.run();
