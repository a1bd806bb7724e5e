/** A WebGPU device that goes away: everything accepted fails once, and the ledgers are right. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toWords, type Story } from '../device-fixture.js';
import { tripled } from '../submissions.js';
import { onAdapter } from './adapter.js';
import { openFixture } from './open.js';

onAdapter(
  test,
  'a lost device fails what was accepted exactly once and takes no more',
  async () => {
    const fixture = await openFixture();
    await fixture.device.ready('triple');
    const losses: string[] = [];
    const lost = new Promise<void>((resolve) =>
      fixture.device.onLost(({ message }) => {
        losses.push(message);
        resolve();
      }),
    );
    const ended: Promise<Story>[] = [];
    for (let i = 0; i < 20; i++) ended.push(fixture.invoke(tripled([i, i + 1])));
    fixture.device.destroy();
    await lost;
    const stories = await Promise.all(ended);
    assert.ok(stories.some(({ failed }) => failed !== null));
    for (const { events } of stories) assert.is(events.length, 2);
    for (const { failed } of stories) {
      if (failed) assert.match(failed.message, /the WebGPU device is lost/);
    }
    fixture.ledger.assertZero();
    assert.is(fixture.pool.usedBytes, 0);
    assert.is(fixture.device.queue.inFlight, 0);
    const late = await fixture.invoke(tripled([1]));
    assert.match(late.failed!.message, /the WebGPU device is lost/);
    assert.is(losses.length, 1);
    await fixture.close();
  },
);

onAdapter(test, 'after a loss another device opens and works; two work at once', async () => {
  const first = await openFixture();
  first.device.destroy();
  const [second, third] = [await openFixture(), await openFixture()];
  for (const fixture of [second, third]) {
    const story = await fixture.invoke(tripled([6]));
    assert.equal(toWords(story.retired!.snapshot), [19]);
  }
  for (const fixture of [first, second, third]) await fixture.close();
});

onAdapter(test, 'closing with work in flight fails it', async () => {
  const fixture = await openFixture();
  const work = fixture.work([fixture.launch('triple', [fixture.place(4), fixture.place(4)])]);
  await fixture.close();
  assert.is((await work.retired).failure?.message, 'the device is closed');
});

test.run();
