/**
 * The console over the real server: a slow request, looked at while it is cancelled.
 * time limit: 120 s
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { serveCommand } from '../end-to-end/command.js';
import type { ServedCommand } from '../end-to-end/command.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { browserTest, closeBrowser, says } from './chromium.js';

test.after(closeBrowser);

async function withServedModel(work: (server: ServedCommand) => Promise<void>): Promise<void> {
  const server = await serveCommand([join(repositoryRoot, 'models/kjv')], tmpdir());
  try {
    await work(server);
  } finally {
    await server.stop('SIGTERM');
  }
}

/** Eight texts as long as a row takes them: many times as long as the test looks. */
const slowRequest = (url: string): Promise<Response> =>
  fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'slow-one' },
    body: JSON.stringify({ model: 'kjv', prompt: 'In the', max_tokens: 1000, n: 8, stream: true }),
  });

browserTest('a slow request is found, watched, and lights up when it is cancelled', (open) =>
  withServedModel(async ({ url }) => {
    const page = await open({ url: `${url}/console` });
    await page.getByText('The server records nothing now').waitFor();
    await page.getByRole('button', { name: 'Record' }).click();
    await page.locator('#record[aria-pressed=true]').waitFor();
    const answer = await slowRequest(url);
    assert.is(answer.status, 200);
    const rows = page.locator('#requests .row', { hasText: 'slow-one' });
    await rows.first().click();
    const current = page.locator('.state-node.current');
    await current.waitFor();
    assert.is(await current.getAttribute('data-state'), 'running');
    await page.locator('#timeline-detail', { hasText: /\d submissions in/ }).waitFor();
    await says(page.locator('#memory'), /of .* GiB|of .* MiB/);

    await fetch(`${url}/v1/requests/slow-one`, { method: 'DELETE' });
    await page.locator('.edge.taken').first().waitFor();
    await says(page.locator('#transitions .row'), /turn\.cancel|request\.cancel/);
    await says(page.locator('#chart-title'), /ended/);
    await rows.first().waitFor({ state: 'detached' });
    await answer.body?.cancel().catch(() => undefined);
    // Before the server, which then has no stream to wait for.
    await page.close();
  }),
);

test.run();
