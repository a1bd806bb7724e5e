/** time limit: 120 s: the formatter reads every file, also on a slow machine. */
import { resolveConfig, check } from 'prettier';
import { join } from 'node:path';
import { test } from 'uvu';
import { FormattedTexts } from './formatted-texts.js';
import { allCode, report, root } from './sources.js';

test('every TypeScript file is as the formatter writes it', async () => {
  const breaches: string[] = [];
  const formatted = new FormattedTexts(join(root, 'node_modules/.cache/loom-format'));
  const options = await resolveConfig(join(root, 'any.ts'), { editorconfig: false });
  for (const { path, text } of allCode) {
    if (formatted.has(text)) continue;
    if (await check(text, { ...options, filepath: path })) formatted.add(text);
    else breaches.push(`${path}: run npm run format`);
  }
  formatted.keep();
  report(breaches);
});

test.run();
