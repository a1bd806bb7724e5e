/**
 * The console without a mouse, without colours, and with very many actors.
 * time limit: 120 s
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { browserTest, closeBrowser, says } from './chromium.js';
import { GENERATION, SampleTraffic, sampleTree } from './sample-traffic.js';
import { withScriptedServer } from './scripted-server.js';

test.after(closeBrowser);

browserTest('lost detail is said', (open) =>
  withScriptedServer(async (server) => {
    server.tell([], 1234);
    const page = await open({ url: `${server.url}/console` });
    await page.getByText('1,234 records lost').waitFor();
  }),
);

browserTest('memory and submissions are told in words, too', (open) =>
  withScriptedServer(async (server) => {
    const traffic = new SampleTraffic();
    traffic.cohort();
    server.tell(traffic.records);
    const page = await open({ url: `${server.url}/console` });
    await page.getByText('57.0 MiB of 256 MiB').waitFor();
    await says(page.locator('#memory'), /bank.*tiny.*48\.0 MiB/s);
    await page.locator('#timeline canvas').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/cohorts\/1 · .* ran 3\.\d ms · ↑ 4\.0 KiB · ↓ 1\.0 KiB/).waitFor();
    await page.keyboard.press('Enter');
    await says(page.locator('#chart-title'), /cohorts\/1/);
  }),
);

browserTest('five thousand actors are a few rows, and keys reach all of them', (open) =>
  withScriptedServer(async (server) => {
    server.show(sampleTree(1000, 5000));
    server.observing.requestList = [
      {
        id: 'x-request-77',
        address: `${GENERATION}/requests/load-4321`,
        kind: 'finiteRequest',
        state: 'waiting',
        ageMs: 5,
        waitingFor: 'room in a cohort',
      },
    ];
    const page = await open({ url: `${server.url}/console` });
    const tree = page.getByRole('tree');
    await page.getByText('5,005').waitFor();
    await page.keyboard.press('t');
    await page.keyboard.press('End');
    const last = tree.locator('.row:focus');
    await says(last, /load-4999/);
    assert.is(await last.getAttribute('aria-setsize'), '5000');
    assert.ok((await tree.locator('.row').count()) < 80);
    await page.keyboard.press('Home');
    await says(tree.locator('.row:focus'), /^device/);
    await tree.evaluate((node) => node.scrollTo(0, node.scrollHeight / 2));
    await tree
      .getByText(/requests\/load-24\d\d/)
      .first()
      .waitFor();
    assert.ok((await tree.locator('.row').count()) < 80);
    await page.keyboard.press('/');
    await page.keyboard.type('request-77');
    await page.keyboard.press('Enter');
    await says(page.locator('#chart-title'), /load-4321/);
    await page.getByText('room in a cohort').waitFor();
  }),
);

browserTest('the tree opens and closes by keys, and says so', (open) =>
  withScriptedServer(async (server) => {
    server.show(sampleTree(1000, 2));
    const page = await open({ url: `${server.url}/console` });
    const tree = page.getByRole('tree');
    await tree.getByText('tiny@1').waitFor();
    await page.keyboard.press('t');
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await says(tree.locator('.row:focus'), /banks\/1/);
    await page.keyboard.press('ArrowLeft');
    await says(tree.locator('.row:focus'), /^device/);
    await page.keyboard.press('ArrowLeft');
    assert.is(await tree.locator('.row:focus').getAttribute('aria-expanded'), 'false');
    assert.is(await tree.getByText('banks/1').count(), 0);
    await page.keyboard.press('ArrowRight');
    assert.is(await tree.getByText('banks/1').count(), 1);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  }),
);

browserTest('a server with a token opens to those who have it', (open) =>
  withScriptedServer(
    async (server) => {
      server.show(sampleTree(1000, 0));
      const page = await open({ url: `${server.url}/console` });
      const dialog = page.getByRole('dialog', { name: 'Admin token' });
      await says(dialog, /needs? the header/);
      await dialog.getByLabel('Admin token').fill('wrong');
      await page.keyboard.press('Enter');
      await says(dialog, /is not the one/);
      await dialog.getByLabel('Admin token').fill('open sesame');
      await page.keyboard.press('Enter');
      await page.getByText('models/tiny@1').waitFor();
      assert.is(await page.locator('#notice').textContent(), '');
    },
    { admin: { loopback: true, token: 'open sesame' } },
  ),
);

test.run();
