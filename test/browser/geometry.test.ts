/**
 * What the eye would complain about, by measure: at two widths and in both colour schemes nothing
 * that stands beside another covers it, nothing sticks out, and text can be told from its ground.
 * time limit: 120 s
 */
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Page } from 'playwright-core';
import { browserTest, closeBrowser } from './chromium.js';
import type { OpenPage } from './chromium.js';
import { GENERATION, SampleTraffic, sampleTree } from './sample-traffic.js';
import { withScriptedServer } from './scripted-server.js';

test.after(closeBrowser);

const measures = fileURLToPath(new URL('./page-measures.js', import.meta.url));
const phonePanels = ['Actors', 'Chart', 'Moves', 'Device', 'Memory', 'Requests'];

async function requireOrder(page: Page, what: string): Promise<void> {
  for (const measure of ['overflows', 'overlaps', 'contrastFaults']) {
    const faults = await page.evaluate(`import('/measures.js').then((page) => page.${measure}())`);
    assert.equal(faults, [], `${what}: ${measure}`);
  }
}

/** Calls `inspect` once in each colour scheme. */
async function inBoth(page: Page, inspect: (scheme: string) => Promise<void>): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await inspect(colorScheme);
  }
}

/** A busy server, looked at by somebody who has chosen the generation. */
async function withBusyPage(
  open: OpenPage,
  size: { readonly width: number; readonly height: number },
  inspect: (page: Page) => Promise<void>,
): Promise<void> {
  await withScriptedServer(async (server) => {
    const traffic = new SampleTraffic();
    for (let round = 0; round < 12; round += 1) traffic.cohort();
    server.show(sampleTree(traffic.nowMs, 40));
    server.observing.isRecording = true;
    server.observing.requestList = Array.from({ length: 9 }, (_, index) => ({
      id: `a-request-with-a-long-name-${index}`,
      address: `${GENERATION}/requests/load-${index}`,
      kind: 'finiteRequest',
      state: 'waiting',
      ageMs: 1234 * index,
      waitingFor: 'room in a cohort: 512 units are asked for and 40 are left of this one',
    }));
    server.tell(traffic.records, 17);
    const page = await open({ url: `${server.url}/console`, ...size });
    await page.route('**/measures.js', (route) => route.fulfill({ path: measures }));
    await page.getByText('17 records lost').waitFor();
    await page.getByRole('treeitem', { name: 'models/tiny@1' }).click();
    await page.locator('.state-node.current').waitFor();
    await inspect(page);
  });
}

browserTest('nothing overlaps on a page of 1280 px', (open) =>
  withBusyPage(open, { width: 1280, height: 800 }, async (page) => {
    await inBoth(page, (scheme) => requireOrder(page, `a chart, ${scheme}`));
    await page.keyboard.press('a');
    await page.locator('#transitions .row', { hasText: 'work.retired' }).first().click();
    await page.locator('#turn h3').waitFor();
    await inBoth(page, (scheme) => requireOrder(page, `a turn, ${scheme}`));
    await page.keyboard.press('?');
    await inBoth(page, (scheme) => requireOrder(page, `the keys, ${scheme}`));
  }),
);

browserTest('nothing overlaps on a phone of 390 px', (open) =>
  withBusyPage(open, { width: 390, height: 844 }, async (page) => {
    for (const panel of phonePanels) {
      await page.getByRole('tab', { name: panel }).click();
      await inBoth(page, (scheme) => requireOrder(page, `${panel}, ${scheme}`));
    }
  }),
);

browserTest('no chart of any machine has a label over a state or another label', (open) =>
  withScriptedServer(async (server) => {
    const { chartList } = server.observing;
    const actors = chartList.map(({ id, initial }) => ({
      ...{ address: `main:/${id}`, parent: null, thread: 'main', kind: id, state: initial },
      ...{ mailbox: 0, oldestMs: null },
    }));
    server.show({ nowMs: 1, threads: [{ name: 'main' }], actors });
    const page = await open({ url: `${server.url}/console` });
    await page.route('**/measures.js', (route) => route.fulfill({ path: measures }));
    for (const { id, initial } of chartList) {
      await page.getByRole('treeitem', { name: id, exact: false }).first().click();
      await page.locator(`svg[aria-label^="${id}:"] .current[data-state="${initial}"]`).waitFor();
      const faults = await page.evaluate("import('/measures.js').then((page) => page.overlaps())");
      assert.equal(faults, [], id);
    }
  }),
);

test.run();
