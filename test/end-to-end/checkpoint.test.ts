/** `loom-serve serve` with a checkpoint as it was published and nothing else. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { serveCommand } from './command.js';

async function complete(url: string, model: string) {
  const response = await fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model, prompt: 'And God said, Let there be', max_tokens: 8, temperature: 0 },
    }),
  });
  const body = (await response.json()) as {
    readonly choices: readonly { readonly text: string }[];
  };
  assert.is(response.status, 200, JSON.stringify(body));
  return body.choices[0]!.text;
}

test('a folder is served in one command, and says the same as its package', async () => {
  const packaged = join(repositoryRoot, 'models', 'kjv');
  const folder = mkdtempSync(join(tmpdir(), 'loom-published-'));
  const names = ['config.json', 'model.safetensors', 'tokenizer.json'];
  for (const name of names) copyFileSync(join(packaged, name), join(folder, name));
  const [bare, full] = await Promise.all([
    serveCommand([folder, '--id', 'mine'], folder),
    serveCommand([packaged], folder),
  ]);
  try {
    const text = await complete(bare.url, 'mine');
    assert.ok(text.trim().length > 0);
    assert.is(text, await complete(full.url, 'kjv'));
    const state = await fetch(`${bare.url}/admin/models/mine`);
    const { package: place } = (await state.json()) as { readonly package: string };
    assert.is(place, folder, 'known by its own path');
    assert.equal(readdirSync(folder).sort(), names, 'nothing is written beside it');
  } finally {
    assert.equal(await Promise.all([bare.stop('SIGINT'), full.stop('SIGINT')]), [0, 0]);
    rmSync(folder, { recursive: true });
  }
});

test.run();
