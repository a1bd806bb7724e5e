/**
 * The console over a scripted server: what lights up, and where links lead.
 * time limit: 120 s
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { browserTest, closeBrowser, says } from './chromium.js';
import { SampleTraffic, sampleTree } from './sample-traffic.js';
import { withScriptedServer } from './scripted-server.js';

test.after(closeBrowser);

browserTest('opens with the tree; an actor shows the chart of its machine and its state', (open) =>
  withScriptedServer(async (server) => {
    server.show(sampleTree(1000, 3));
    const page = await open({ url: `${server.url}/console` });
    assert.is(await page.locator('#source').textContent(), 'live');
    await page.getByRole('treeitem', { name: 'models/tiny@1' }).click();
    const current = page.locator('.state-node.current');
    await current.waitFor();
    assert.is(await current.getAttribute('data-state'), 'active');
    const chart = server.observing.chartList.find(({ id }) => id === 'generation')!;
    const drawn = await page
      .locator('.state-node')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-state')));
    assert.equal(drawn.sort(), chart.states.map(({ name }) => name).sort());
    const moves = chart.transitions.filter(({ from, to }) => to !== null && to !== from);
    const pairs = new Set(moves.map(({ from, to }) => `${from} → ${to}`));
    assert.is(await page.locator('.edge[data-edge*="→"]').count(), pairs.size);
    await page.locator('.state-node[data-state=draining]').click();
    await says(page.locator('#state-card'), /new ones are refused/);
  }),
);

browserTest('a cancelled request lights up the way that it takes', (open) =>
  withScriptedServer(async (server) => {
    server.show(sampleTree(1000, 0));
    const traffic = new SampleTraffic();
    const request = traffic.request();
    server.tell(traffic.records.splice(0));
    const page = await open({ url: `${server.url}/console` });
    await page.locator('#transitions .row', { hasText: 'members.prepared' }).click();
    await page.locator('.state-node.current[data-state=waiting]').waitFor();
    traffic.cancel(request);
    server.tell(traffic.records.splice(0));
    await page.locator('.state-node.current.lit[data-state=settling]').waitFor();
    await page.locator('.edge.taken.lit[data-edge="waiting → settling"]').waitFor();
    assert.is(await page.locator('.edge.taken').count(), 1);
    await says(page.locator('#transitions .row').first(), /request\.cancel/);
  }),
);

browserTest('an event and the eventless transitions after it light up together', (open) =>
  withScriptedServer(async (server) => {
    const traffic = new SampleTraffic();
    traffic.cohort();
    server.tell(traffic.records);
    const page = await open({ url: `${server.url}/console` });
    await page.locator('#transitions .row', { hasText: 'work.retired' }).click();
    await page.locator('.edge.taken').first().waitFor();
    const taken = await page
      .locator('.edge.taken')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-edge')));
    assert.equal(taken.sort(), ['collecting → retired', 'executing → collecting']);
    await says(page.locator('#chart-title'), /ended retired/);
  }),
);

browserTest('links lead from effect to cause and back, over threads', (open) =>
  withScriptedServer(async (server) => {
    const traffic = new SampleTraffic();
    traffic.cohort();
    server.tell(traffic.records);
    const page = await open({ url: `${server.url}/console` });
    await page.locator('#transitions .row', { hasText: 'work.retired' }).click();
    const turn = page.locator('#turn');
    await turn.getByRole('button', { name: /work\.submit/ }).click();
    await says(page.locator('#chart-title'), /device:\/device/);
    const effects = turn.locator('section', { hasText: 'Led to' });
    await says(effects, /work\.accepted.*work\.retired/s);
    await says(effects, /device ⇢ model-0/);
    await effects.getByRole('button', { name: /work\.retired/ }).click();
    await says(page.locator('#chart-title'), /cohorts\/1/);
  }),
);

test.run();
