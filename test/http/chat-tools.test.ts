/** Tools that must be called: what the server is asked, what it answers, and what is refused. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../runtime/base/errors.js';
import { errorOf, harness } from './harness.js';
import { postJson, withServer } from './listening.js';
import { checkLaw } from './sse-law.js';

const path = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Hi' }];
const parameters = { type: 'object', properties: { at: { type: 'string' } } };
const tools = [
  { type: 'function', function: { name: 'look', parameters, strict: true } },
  { type: 'function', function: { name: 'walk' } },
];
const good = { model: 'm', messages, tools };
const walk = { type: 'function', function: { name: 'walk' } };
const calls = [
  { name: 'look', arguments: { at: 'sky' } },
  { name: 'walk', arguments: {} },
];
const read = (tool_calls: readonly object[]): string =>
  JSON.stringify({ content: null, tool_calls });

const looked = { name: 'look', parameters, place: 'tools[0].function.parameters', isStrict: true };
const walked = {
  name: 'walk',
  parameters: null,
  place: 'tools[1].function.parameters',
  isStrict: false,
};

const grammarOf = { kind: 'calls', form: null, orElse: null } as const;

const choices: readonly (readonly [name: string, more: object, grammar: unknown])[] = [
  ['nothing said', {}, null],
  ['auto', { tool_choice: 'auto', parallel_tool_calls: false }, null],
  ['none', { tool_choice: 'none' }, null],
  [
    'required',
    { tool_choice: 'required' },
    { ...grammarOf, functions: [looked, walked], isSingle: false },
  ],
  [
    'auto, beside a form',
    { response_format: { type: 'json_object' } },
    { ...grammarOf, functions: [looked, walked], isSingle: false, orElse: { kind: 'json' } },
  ],
  [
    'required, beside a form',
    { response_format: { type: 'json_object' }, tool_choice: 'required' },
    { ...grammarOf, functions: [looked, walked], isSingle: false },
  ],
  [
    'none, beside a form',
    { response_format: { type: 'json_object' }, tool_choice: 'none' },
    { kind: 'json' },
  ],
  [
    'required, one at a time',
    { tool_choice: 'required', parallel_tool_calls: false },
    { ...grammarOf, functions: [looked, walked], isSingle: true },
  ],
  ['a function', { tool_choice: walk }, { ...grammarOf, functions: [walked], isSingle: true }],
];

for (const [name, more, grammar] of choices) {
  test(`what is asked of the server with tool_choice: ${name}`, async () => {
    const made = harness();
    made.text.speeches = [{ tokens: ['x'], chat: read(calls) }];
    const response = await made.post(path, { ...good, ...more });
    assert.is(response.status, 200, await response.clone().text());
    assert.equal(made.text.calls[0]!.body.grammar, grammar);
    assert.is(made.text.calls[0]!.body.hasTools, !name.startsWith('none'));
  });
}

test('a turn of a session may be made to call, too', async () => {
  const made = harness();
  made.text.speeches = [{ tokens: ['x'], chat: read(calls) }];
  await made.post('/v1/sessions', { model: 'm' });
  const asked = { messages, tools, tool_choice: walk };
  const response = await made.post('/v1/sessions/s1/generate', asked);
  assert.is(response.status, 200, await response.clone().text());
  assert.is(made.text.calls[0]!.body.grammar?.kind, 'calls');
});

test('an answer that had to be a call and is none is the fault of the package', async () => {
  const made = harness();
  const none = JSON.stringify({ content: 'No.', tool_calls: [] });
  const status = async (more: object): Promise<number> => {
    made.text.speeches = [{ tokens: ['N', 'o'], chat: none }];
    return (await made.post(path, { ...good, tool_choice: 'required', ...more })).status;
  };
  assert.is(await status({}), 500);
  // It was cut, by its length or by a text that the caller named.
  assert.is(await status({ max_tokens: 1 }), 200);
  assert.is(await status({ stop: 'N' }), 200);
  assert.is(await status({ tool_choice: 'auto' }), 200);
  const form = { type: 'json_object' };
  assert.is(await status({ tool_choice: 'auto', response_format: form }), 200);
});

test('a model that cannot be forced is 400 by the name of the field, whole and streamed', () =>
  withServer(async (made, { url }) => {
    for (const stream of [false, true]) {
      const why = new StatusError('invalidArgument', 'no form', { param: 'tool_choice' });
      made.text.failures.push(why);
      const response = await postJson(url + path, { ...good, tool_choice: 'required', stream });
      assert.is(response.status, 400);
      assert.is((await errorOf(response)).param, 'tool_choice');
    }
  }));

test('calls are streamed with their index, then their reason', () =>
  withServer(async ({ text }, { url }) => {
    text.speeches = [{ tokens: ['x'], chat: read(calls) }];
    const body = { ...good, tool_choice: 'required', stream: true };
    const response = await postJson(url + path, body);
    const heard = checkLaw(await response.text(), { form: 'chat' });
    assert.equal(heard.finishes, ['tool_calls']);
  }));

test('content is streamed before the answer is whole, once, with its log probabilities', () =>
  withServer(async ({ text }, { url }) => {
    const said = JSON.stringify({ content: 'Let me see.', tool_calls: calls.slice(0, 1) });
    const tokens = ['Let ', 'me see', '. ', '<', 'call>'];
    for (const contents of [[], ['Let '], ['Let ', 'me see', '. ']]) {
      text.speeches = [{ tokens, contents, chat: said }];
      const body = { ...good, stream: true, logprobs: true };
      const response = await postJson(url + path, body);
      const heard = checkLaw(await response.text(), { form: 'chat' });
      // Blanks in front of a call may come, too.
      assert.is(heard.texts[0]!.trimEnd(), 'Let me see.');
      assert.equal(heard.finishes, ['tool_calls']);
      const scored = heard.logprobs[0]! as { content: { token: string }[] }[];
      assert.equal(
        scored.flatMap(({ content }) => content.map(({ token }) => token)),
        tokens,
      );
    }
  }));

test('a prompt that is too long is refused by the name of its field', async () => {
  for (const [route, field, more] of [
    [path, 'messages', { messages }],
    ['/v1/completions', 'prompt', { prompt: 'x' }],
  ] as const) {
    const made = harness();
    const options = { param: 'prompt', reason: 'context_length_exceeded' };
    made.text.failures.push(new StatusError('outOfRange', 'too long', options));
    const response = await made.post(route, { model: 'm', ...more });
    assert.is(response.status, 400);
    const { code, param, type } = await errorOf(response);
    assert.equal([code, param, type], ['context_length_exceeded', field, 'invalid_request_error']);
  }
});

test.run();
