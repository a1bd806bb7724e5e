/** Proposals change how many epochs a text takes, and nothing of what it says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TextBody } from '../../../http/text-serving.js';
import type { SamplingOptions } from '../../../runtime/profiles/text.js';
import { rejection, runServer } from '../running-server.js';
import { Texts, type Said } from '../texts.js';

const greedy: SamplingOptions = { temperature: 0 };
const seeded: SamplingOptions = { temperature: 0.7, topP: 0.9, seed: 11 };
const repeated = { kind: 'text', text: 'And he said unto them, Go. '.repeat(4) } as const;

const server = await runServer([]);
const texts = new Texts(server);

test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
});

async function sayEach(models: readonly string[], body: Partial<TextBody>): Promise<Said[]> {
  const said = await Promise.all(models.map((model) => texts.say(model, body)));
  const [first] = said as [Said];
  for (const other of said) {
    assert.equal(other.ids, first.ids);
    assert.is(other.text, first.text);
    assert.is(other.result.finish, first.result.finish);
  }
  return said;
}

test('a text is the same whoever proposes, greedy and drawn with a seed', async () => {
  const kinds = ['none', 'lookup', 'source'];
  for (const drafting of kinds) {
    await texts.serveAs(`tiny-${drafting}`, 'tiny-text', { drafting });
  }
  const models = kinds.map((drafting) => `tiny-${drafting}`);
  const sum = [0, 0, 0];
  for (const sampling of [greedy, seeded]) {
    for (let from = 0; from < 2; from += 1) {
      const ids = Array.from({ length: 24 }, (_, at) => 97 + (from + (at % 5)));
      const body = { prompt: { kind: 'tokens', ids }, maxTokens: 24, sampling } as const;
      const said = await sayEach(models, body);
      said.forEach(({ result: { drafted, accepted } }, at) => {
        assert.ok(accepted <= drafted);
        sum[at]! += drafted;
        if (at === 0) assert.is(drafted, 0);
        if (at === 2 && sampling === greedy) assert.ok(accepted > 0, 'its rule is mostly right');
      });
    }
  }
  assert.ok(sum[1]! > 0 && sum[2]! > 0, `proposed: ${sum.join(', ')}`);
});

test('a text that repeats itself is looked up in itself', async () => {
  await texts.serveAs('kjv-none', 'kjv', {});
  await texts.serveAs('kjv-lookup', 'kjv', { drafting: 'lookup' });
  let accepted = 0;
  for (const sampling of [greedy, seeded]) {
    const body = { prompt: repeated, maxTokens: 24, sampling };
    const [none, lookup] = await sayEach(['kjv-none', 'kjv-lookup'], body);
    assert.is(none!.result.drafted, 0);
    assert.ok(lookup!.result.drafted > 0);
    assert.ok(lookup!.result.drafted >= lookup!.result.accepted);
    accepted += lookup!.result.accepted;
  }
  assert.ok(accepted > 0, 'some of it was right');
});

test('a package without the entry cannot draft, and one that says nothing cannot either', async () => {
  const without = await rejection(texts.serveAs('a', 'kjv', { drafting: 'source' }));
  assert.match(without.message, /deployment\.drafting: "source" needs the entry 'draft'/);
  const silent = await rejection(texts.serveAs('b', 'sequence', { drafting: 'lookup' }));
  assert.match(silent.message, /"lookup" is for packages of the profile text/);
  const finite = await rejection(texts.serveAs('c', 'first-output', { drafting: 'source' }));
  assert.match(finite.message, /this one is of embeddings/);
});

test.run();
