import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness } from './harness.js';

for (const prefix of ['', '/v1']) {
  test(`${prefix}/tokenize and ${prefix}/detokenize undo each other`, async () => {
    const { post } = harness();
    const given = await (await post(`${prefix}/tokenize`, { model: 'm', prompt: 'ab' })).json();
    assert.equal(given, { model: 'm', count: 2, tokens: [97, 98] });
    const back = await post(`${prefix}/detokenize`, { model: 'm', tokens: [97, 98] });
    assert.equal(await back.json(), { model: 'm', prompt: 'ab' });
    const empty = await post(`${prefix}/detokenize`, { model: 'm', tokens: [] });
    assert.equal(await empty.json(), { model: 'm', prompt: '' });
  });
}

test('a conversation is tokenized as its template spells it', async () => {
  const { post } = harness();
  const messages = [{ role: 'user', content: 'Hi' }];
  const answer = await (await post('/tokenize', { model: 'm', messages })).json();
  const { tokens } = answer as { tokens: number[] };
  assert.equal(JSON.parse(Buffer.from(tokens).toString()), {
    messages,
    add_generation_prompt: true,
  });
});

for (const [name, route, body, status, param] of [
  ['no prompt', 'tokenize', { model: 'm' }, 400, 'prompt'],
  ['two prompts', 'tokenize', { model: 'm', prompt: 'a', messages: [] }, 400, 'prompt'],
  ['a lone surrogate', 'tokenize', { model: 'm', prompt: '\ud800' }, 400, 'prompt'],
  ['no tokens', 'detokenize', { model: 'm' }, 400, 'tokens'],
  ['no token', 'detokenize', { model: 'm', tokens: [1, -1] }, 400, 'tokens[1]'],
  ['no model', 'detokenize', { tokens: [1] }, 400, 'model'],
  ['an unknown model', 'tokenize', { model: 'nobody', prompt: 'a' }, 404, 'model'],
] as const) {
  test(`${name} is ${status} and names the field`, async () => {
    const { post } = harness();
    const response = await post(`/${route}`, body);
    assert.is(response.status, status);
    assert.is((await errorOf(response)).param, param);
  });
}

test.run();
