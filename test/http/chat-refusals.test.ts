/** What a chat is refused for: the field at fault, and what it takes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness } from './harness.js';

const path = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Hi' }];
const good = { model: 'm', messages };
const tools = [{ type: 'function', function: { name: 'look' } }];
const named = (name: string) => ({ type: 'function', function: { name } });
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

/** Over `good`: field at fault, what the message says. */
const wrongBodies: [string, object, string, RegExp][] = [
  ['no messages', { messages: undefined }, 'messages', /not missing/],
  ['messages that are none', { messages: 'x' }, 'messages', /an array, not a string/],
  ['empty messages', { messages: [] }, 'messages', /not be empty/],
  ['a message that is none', { messages: ['x'] }, 'messages[0]', /an object, not a string/],
  ['an unknown role', { messages: [{ role: 'x', content: '' }] }, 'messages[0].role', /one of/],
  ['no content', user(undefined), 'messages[0].content', /not missing/],
  ['a number as content', user(1), 'messages[0].content', /string or an array/],
  ['a lone surrogate', user('\ud800'), 'messages[0].content', /lone surrogate/],
  [
    'an image',
    user([{ type: 'text', text: 'a' }, { type: 'image_url' }]),
    'messages[0].content[1].type',
    /only parts of type "text" are taken, not "image_url"/,
  ],
  ['tools that are none', { tools: {} }, 'tools', /an array/],
  ['a tool of another type', { tools: [{ type: 'x' }] }, 'tools[0].type', /"function"/],
  ['a tool without a name', { tools: [named('')] }, 'tools[0].function.name', /1 to 64/],
  ['a choice without tools', { tool_choice: 'required' }, 'tool_choice', /there are no tools/],
  ['an unknown choice', { tools, tool_choice: 'some' }, 'tool_choice', /"none", "auto"/],
  [
    'a choice of no tool',
    { tools, tool_choice: named('fly') },
    'tool_choice.function.name',
    /none/,
  ],
  ['another form', { response_format: { type: 'xml' } }, 'response_format.type', /json_schema/],
  [
    'no schema',
    { response_format: { type: 'json_schema', json_schema: {} } },
    'response_format.json_schema.schema',
    /an object, not missing/,
  ],
  ['hot', { temperature: 2.1 }, 'temperature', /from 0 to 2/],
  ['a text as temperature', { temperature: '1' }, 'temperature', /a number, not a string/],
  ['too much mass', { top_p: 1.1 }, 'top_p', /from 0 to 1/],
  ['half a rank', { top_k: 0.5 }, 'top_k', /whole number/],
  ['a negative length', { max_tokens: -1 }, 'max_tokens', /from 0 to/],
  ['no answers', { n: 0 }, 'n', /from 1 to 128/],
  ['129 answers', { n: 129 }, 'n', /from 1 to 128/],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', /has 5 texts, at most 4/],
  ['an empty stop', { stop: '' }, 'stop', /not be empty/],
  ['an empty stop among stops', { stop: ['a', ''] }, 'stop[1]', /not be empty/],
  ['a number as stop', { stop: 1 }, 'stop', /not a number/],
  ['a bias of no token', { logit_bias: { a: 1 } }, 'logit_bias.a', /no token id/],
  ['too much bias', { logit_bias: { '1': 101 } }, 'logit_bias.1', /-100 to 100, not 101/],
  ['biases as a list', { logit_bias: [1] }, 'logit_bias', /an object, not an array/],
  ['too many likeliest', { logprobs: true, top_logprobs: 21 }, 'top_logprobs', /from 0 to 20/],
  ['likeliest alone', { top_logprobs: 1 }, 'top_logprobs', /needs logprobs/],
  ['stream as text', { stream: 'yes' }, 'stream', /true or false/],
  ['options without a stream', { stream_options: {} }, 'stream_options', /set stream to true/],
  ['functions', { functions: [] }, 'functions', /send tools/],
  ['sound', { audio: { voice: 'x' } }, 'audio', /text only/],
  ['half a seed', { seed: 1.5 }, 'seed', /whole number/],
];

for (const [name, more, param, message] of wrongBodies) {
  test(`${name} is 400 and names the field`, async () => {
    const { post, text } = harness();
    const response = await post(path, { ...good, ...more });
    assert.is(response.status, 400);
    const error = await errorOf(response);
    assert.is(error.param, param);
    assert.match(error.message, message);
    assert.is(text.calls.length, 0);
  });
}

test('more messages than the limit say the limit and the knob', async () => {
  const { post } = harness({ limits: { batchMax: 2 } });
  const many = Array.from({ length: 3 }, () => messages[0]);
  const response = await post(path, { ...good, messages: many });
  assert.is(response.status, 400);
  assert.match((await errorOf(response)).message, /messages: has more than 2 .*--max-batch/);
});

test('a model that is not served is 404, a draining server 503', async () => {
  const made = harness();
  const response = await made.post(path, { ...good, model: 'nobody' });
  assert.is(response.status, 404);
  assert.is((await errorOf(response)).code, 'model_not_found');
  made.draining = true;
  assert.is((await made.post(path, good)).status, 503);
});

test.run();
