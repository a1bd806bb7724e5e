/**
 * An epoch is shared, its failure is not: a package traps or says something invalid because of one
 * turn's seed. Whoever shared the epoch says what it says alone, the culprit is told why, and
 * nothing stays.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { continued, END } from '../../oracles/tiny-text.js';
import { rejection, runServer } from '../running-server.js';
import { Texts } from '../texts.js';
import { deviceOf } from '../faults/traffic.js';
import { culprits, trappedDraft, writeFaulty } from './text-packages.js';

const faulty = writeFaulty();
const server = await runServer([]);
const texts = new Texts(server);

test.before(() => server.serve(faulty.folder));
test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
  faulty.remove();
});

const prompts = [[97, 98, 99], [97, 98, 99, 100, 101, 102, 103], [120], [110, 111, 112, 113, 114]];
const MOST = 12;

async function saysItsOwn(prompt: readonly number[]): Promise<void> {
  const body = { prompt: { kind: 'tokens', ids: prompt }, maxTokens: MOST } as const;
  const { ids, result } = await texts.say('tiny-text', body);
  const due = continued(prompt, MOST);
  assert.equal(
    ids,
    due.filter((id) => id !== END),
  );
  assert.is(result.outputTokens, due.length);
}

test('a turn for which proposing fails says what it says, and so do the others', async () => {
  await Promise.all([[trappedDraft, 101, 100], ...prompts].map(saysItsOwn));
});

for (const [name, seed] of Object.entries(culprits)) {
  test(`${name}: the culprit fails, the others say what they say alone`, async () => {
    const before = (await deviceOf(server)).executables;
    for (let round = 0; round < 4; round += 1) {
      const peers = prompts.map(saysItsOwn);
      const sampling = { seed, temperature: 0 };
      const prompt = { kind: 'tokens', ids: [99, 98, 97] } as const;
      const failed = Array.from({ length: round % 2 === 0 ? 1 : 3 }, () =>
        rejection(texts.say('tiny-text', { prompt, sampling })),
      );
      for (const { code, message } of await Promise.all(failed)) {
        assert.is(code, 'internal', message);
        const entry = seed < 9_003 ? /encode_epoch/ : /publish_epoch/;
        assert.match(message, entry);
      }
      await Promise.all(peers);
    }
    await saysItsOwn(prompts[0]!);
    const { inFlight, executables } = await deviceOf(server);
    assert.equal({ inFlight, executables }, { inFlight: 0, executables: before });
  });
}

test('a session whose turn was at fault keeps its row and goes on without it', async () => {
  const options = texts.options();
  const { id } = await server.text.openSession('tiny-text', options);
  const ids = [104, 101, 108, 108, 111];
  await server.text.changeSession(id, { op: 'append', prompt: { kind: 'tokens', ids } }, options);
  const sampling = { seed: culprits['a trap in publish_epoch'], temperature: 0 };
  const prompt = { kind: 'tokens', ids: [] } as const;
  await rejection(texts.say('tiny-text', { session: id, prompt, sampling }));
  const { state, tokens } = await server.text.session(id);
  assert.equal({ state, tokens }, { state: 'idle', tokens: ids.length });
  const said = await texts.say('tiny-text', { session: id, prompt, maxTokens: MOST });
  assert.equal(
    said.ids,
    continued(ids, MOST).filter((token) => token !== END),
  );
  await server.text.changeSession(id, { op: 'close' }, options);
});

test.run();
