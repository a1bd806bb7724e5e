/**
 * Recorded traces in the console: opened, stepped, played, and what cannot be opened.
 * time limit: 120 s
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Page } from 'playwright-core';
import { browserTest, closeBrowser, says } from './chromium.js';
import { SampleTraffic } from './sample-traffic.js';
import { withScriptedServer } from './scripted-server.js';

test.after(closeBrowser);

async function openFile(page: Page, text: string): Promise<void> {
  const buffer = Buffer.from(text);
  const file = { name: 'seed-7.loom-trace', mimeType: 'application/x-ndjson', buffer };
  await page.locator('#trace-file').setInputFiles(file);
}

const currentState = (page: Page): Promise<string | null> =>
  page.locator('.state-node.current').getAttribute('data-state');

const momentOf = async (page: Page): Promise<string> =>
  (await page.locator('#moment').textContent())!;

browserTest('steps through a trace, chart and timeline together', (open) =>
  withScriptedServer(async (server) => {
    const page = await open({ url: `${server.url}/console` });
    const traffic = new SampleTraffic();
    traffic.cohort(20);
    await openFile(page, traffic.file());
    await page.locator('#source', { hasText: 'seed-7' }).waitFor();
    await page.locator('#transitions .row', { hasText: 'work.retired' }).click();
    await page.locator('.state-node.current').waitFor();
    assert.is(await currentState(page), 'retired');
    await page.getByLabel('this actor’s steps').check();
    const seen: (string | null)[] = [];
    const moments: string[] = [];
    for (let step = 0; step < 4; step += 1) {
      const before = await momentOf(page);
      await page.keyboard.press(',');
      // Moment and state are drawn at once.
      await page.locator('#moment', { hasNotText: before }).waitFor();
      const isDrawn = (await page.locator('.state-node.current').count()) > 0;
      seen.push(isDrawn ? await currentState(page) : null);
      moments.push(await momentOf(page));
    }
    // Its end, the transition before, and so on back to its start.
    assert.equal(seen, ['retired', 'executing', 'admitting', null]);
    assert.equal([...moments].sort().reverse(), moments);
    await page.keyboard.press('.');
    await page.locator('.state-node.current[data-state=admitting]').waitFor();
    await page.locator('#timeline canvas').focus();
    await page.keyboard.press('ArrowRight');
    await says(page.locator('#timeline-detail'), /cohorts\/1/);
  }),
);

browserTest('plays from the start and stops at the end', (open) =>
  withScriptedServer(async (server) => {
    const page = await open({ url: `${server.url}/console` });
    const traffic = new SampleTraffic();
    for (let round = 0; round < 5; round += 1) {
      traffic.cohort();
      traffic.pass(100_000);
    }
    await openFile(page, traffic.file());
    await page.locator('#source', { hasText: 'seed-7' }).waitFor();
    const end = await page.locator('#scrub').inputValue();
    assert.is(end, String(traffic.records.length));
    await page.getByLabel('To the start').click();
    await page.locator('#moment', { hasText: ' 0 of' }).waitFor();
    await page.getByLabel('Speed').selectOption('10');
    await page.locator('#play').focus();
    await page.keyboard.press(' ');
    await page.locator('#play[aria-pressed=true]').waitFor();
    // Long pauses are shortened: five minutes pass in a moment.
    await page.locator('#play[aria-pressed=false]').waitFor();
    assert.is(await page.locator('#scrub').inputValue(), end);
    await page.getByRole('button', { name: 'Close trace' }).click();
    await page.locator('#source', { hasText: 'live' }).waitFor();
  }),
);

browserTest('a live page that is paused stays where it is until it goes on', (open) =>
  withScriptedServer(async (server) => {
    const page = await open({ url: `${server.url}/console` });
    const traffic = new SampleTraffic();
    traffic.cohort();
    server.tell(traffic.records.splice(0));
    await page.locator('#transitions .row', { hasText: 'work.retired' }).waitFor();
    await page.keyboard.press(' ');
    await page.locator('#source', { hasText: 'paused' }).waitFor();
    const held = await page.locator('#scrub').inputValue();
    traffic.cancel(traffic.request());
    const news = traffic.records.splice(0);
    server.tell(news);
    const end = String(Number(held) + news.length);
    await page.locator(`#scrub[max="${end}"]`).waitFor();
    assert.is(await page.locator('#scrub').inputValue(), held);
    const cancelled = page.locator('#transitions .row', { hasText: 'request.cancel' });
    assert.is(await cancelled.count(), 0);
    await page.getByRole('button', { name: 'Go live' }).click();
    await cancelled.waitFor();
    await page.locator('#source', { hasText: 'live' }).waitFor();
  }),
);

browserTest('says what it cannot open', (open) =>
  withScriptedServer(async (server) => {
    const page = await open({ url: `${server.url}/console` });
    await openFile(page, '{"traceEvents": []}\n');
    await page.getByText('this is no trace').waitFor();
    const threads = [{ name: 'model-0', answers: false }];
    server.observing.list = { ...server.observing.list, threads };
    // It is still told when the server has been looked at again.
    await page.getByText(/this is no trace.* · thread model-0 does not answer/).waitFor();
    await openFile(page, '{"loomTrace": 2}\n');
    await page.getByText('this console reads version 1').waitFor();
    await openFile(page, '{"loomTrace": 1}\n{"type": \n{"type":"spawn"}\n');
    await page.getByText('line 2 of the trace is not JSON').waitFor();
    await openFile(page, '{"loomTrace": 1}\n{"type":"lost","atMs":1,"count":7}\n{"type":"spa');
    await page.getByText('8 records lost').waitFor();
  }),
);

test.run();
