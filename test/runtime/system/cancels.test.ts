/** A cancel never overtakes its ask: what has not been handled yet ends without being handled. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../../../runtime/system/envelope.js';
import { actor, Lab, leaks, nothingLeaks, seeds } from './lab.js';

/** Two asks to a busy server behind a router; the second is cancelled as soon as it was sent. */
function run(seed: number): { handled: unknown[]; replies: Reply[]; lab: Lab } {
  const lab = new Lab({ threads: ['a', 'b'], seed, delayMaxMs: 2 });
  const handled: unknown[] = [];
  const replies: Reply[] = [];
  const server = actor((self, message) => {
    if (message.kind === 'cancel') return;
    handled.push(message.payload);
    self.reply(message, message.payload);
  });
  lab.system('b').spawn('server', server, null);
  const router = actor((self, ask) => {
    if (ask.kind === 'question') self.forward(ask, 'b:/server');
  });
  lab.system('a').spawn('router', router, null);
  const client = actor((_self, { payload }) => void replies.push(payload as Reply), {
    start(self) {
      for (const question of ['kept', 'dropped']) {
        const id = self.ask('a:/router', 'question', question, { deadlineMs: 1_000 });
        if (question === 'dropped') self.cancelAsk(id);
      }
    },
  });
  lab.system('a').spawn('client', client, null);
  lab.settle();
  return { handled, replies, lab };
}

test('a cancelled ask that waits is answered and not handled; the others are', () => {
  for (const seed of seeds(40)) {
    const { handled, replies, lab } = run(seed);
    assert.equal(handled, ['kept'], `seed ${seed}`);
    assert.is(replies.length, 2, `seed ${seed}`);
    const dropped = replies.find(({ outcome }) => outcome === 'error');
    assert.is(dropped?.status?.code, 'cancelled', `seed ${seed}`);
    for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
  }
});

test.run();
