/** What a chat asks of the server, what it answers, and what it refuses. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness } from './harness.js';

const path = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Hi' }];
const good = { model: 'm', messages };

interface ChatAnswer {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly system_fingerprint: string;
  readonly choices: {
    index: number;
    message: { role: string; content: string | null; tool_calls?: unknown[] };
    logprobs: { content: unknown[] } | null;
    finish_reason: string;
  }[];
  readonly usage: Record<string, unknown>;
  readonly timings: Record<string, number | null>;
}

async function ask(made: ReturnType<typeof harness>, more: object = {}): Promise<ChatAnswer> {
  const response = await made.post(path, { ...good, ...more });
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as ChatAnswer;
}

test('an answer has the form that clients know, with usage and timings', async () => {
  const made = harness();
  made.text.speeches = [{ tokens: ['Hel', 'lo'], cached: 2 }];
  const answer = await ask(made);
  assert.match(answer.id, /^chatcmpl-/);
  assert.is(answer.object, 'chat.completion');
  assert.is(answer.system_fingerprint, 'm@7');
  assert.equal(answer.choices, [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    } as never,
  ]);
  assert.equal(answer.usage, {
    prompt_tokens: 5,
    completion_tokens: 2,
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 2 },
  });
  assert.equal(answer.timings, {
    queue_ms: 1,
    prompt_ms: 10,
    // Three tokens that were not cached in 10 ms; one token after the first in 20 ms.
    prompt_tokens_per_second: 300,
    generate_ms: 20,
    generate_tokens_per_second: 50,
  });
});

test('every field reaches the server; null says nothing', async () => {
  const made = harness();
  await ask(made, {
    max_tokens: 9,
    stop: ['a', 'b'],
    temperature: 0.5,
    top_p: 0.25,
    top_k: -1,
    min_p: 0.125,
    presence_penalty: -1,
    frequency_penalty: 1,
    repetition_penalty: 1.5,
    seed: 11,
    logit_bias: { '7': -100, '9': 2.5 },
    response_format: { type: 'json_object' },
    logprobs: true,
    top_logprobs: 2,
    user: 'someone',
    metadata: { a: 'b' },
    store: true,
    some_future_field: [1],
  });
  const { body } = made.text.calls[0]!;
  assert.equal(body, {
    prompt: { kind: 'chat', json: JSON.stringify({ messages, add_generation_prompt: true }) },
    session: null,
    maxTokens: 9,
    stop: ['a', 'b'],
    sampling: {
      temperature: 0.5,
      topP: 0.25,
      topK: 0,
      minP: 0.125,
      presencePenalty: -1,
      frequencyPenalty: 1,
      repetitionPenalty: 1.5,
      seed: 11,
      topLogprobs: 2,
      logitBias: [
        [7, -100],
        [9, 2.5],
      ],
    },
    grammar: { kind: 'json' },
    hasTools: false,
    profile: 'text',
  });
  const names = 'max_tokens stop temperature top_p top_k min_p presence_penalty seed logit_bias';
  const others = 'response_format stream stream_options n logprobs top_logprobs tools tool_choice';
  const silent = `${names} ${others} parallel_tool_calls max_completion_tokens functions`.split(
    ' ',
  );
  await ask(made, Object.fromEntries(silent.map((name) => [name, null])));
  const { sampling, maxTokens, stop, grammar } = made.text.calls[1]!.body;
  assert.equal([sampling, maxTokens, stop, grammar], [{}, null, [], null]);
});

test('max_completion_tokens goes before max_tokens, and 0 is a length', async () => {
  const made = harness();
  await ask(made, { max_tokens: 9, max_completion_tokens: 1 });
  assert.is(made.text.calls[0]!.body.maxTokens, 1);
  const none = await ask(made, { max_tokens: 0 });
  assert.is(none.choices[0]!.finish_reason, 'length');
  assert.is(none.choices[0]!.message.content, '');
  assert.is(none.usage['completion_tokens'], 0);
});

test('a schema reaches the server as it is', async () => {
  const made = harness();
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };
  const json_schema = { name: 'x', strict: true, schema };
  await ask(made, { response_format: { type: 'json_schema', json_schema } });
  assert.equal(made.text.calls[0]!.body.grammar, { kind: 'schema', schema });
  await ask(made, { response_format: { type: 'text' } });
  assert.is(made.text.calls[1]!.body.grammar, null);
});

test('messages are what templates understand', async () => {
  const made = harness();
  const call = (args: string) => ({
    id: 'c1',
    type: 'function',
    function: { name: 'f', arguments: args },
  });
  await ask(made, {
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call('{"x":1}'), call('{broken')] },
      { role: 'tool', tool_call_id: 'c1', content: '3', extra: true },
    ],
  });
  const { prompt } = made.text.calls[0]!.body;
  const read = (value: unknown) => ({ ...call(''), function: { name: 'f', arguments: value } });
  assert.is(prompt.kind, 'chat');
  assert.equal(JSON.parse(prompt.kind === 'chat' ? prompt.json : ''), {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a\nb' },
      { role: 'assistant', content: null, tool_calls: [read({ x: 1 }), read('{broken')] },
      { role: 'tool', tool_call_id: 'c1', content: '3', extra: true },
    ],
    add_generation_prompt: true,
  });
});

test('n answers come in order, each with a seed of its own', async () => {
  const made = harness();
  made.text.speeches = ['a', 'b', 'c'].map((tokens) => ({ tokens: [tokens] }));
  const answer = await ask(made, { n: 3, seed: Number.MAX_SAFE_INTEGER - 1 });
  assert.equal(
    answer.choices.map((choice) => [choice.index, choice.message.content]),
    [
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ],
  );
  assert.is(answer.usage['prompt_tokens'], 5);
  assert.is(answer.usage['completion_tokens'], 3);
  const { calls } = made.text;
  const seeds = calls.map(({ body }) => body.sampling.seed!);
  assert.is(seeds[0], Number.MAX_SAFE_INTEGER - 1);
  assert.is(new Set(seeds).size, 3);
  assert.ok(seeds.every(Number.isSafeInteger));
  assert.is(new Set(calls.map(({ requestId }) => requestId)).size, 3);
});

test('when one of n fails the others are told to stop, and the request has failed', async () => {
  const made = harness();
  made.text.speeches = [
    { tokens: ['a', 'b'], hangAt: 1 },
    { tokens: ['a', 'b'], failAt: 1 },
  ];
  const response = await made.post(path, { ...good, n: 2 });
  assert.is(response.status, 500);
  assert.is((await errorOf(response)).message, 'broken');
  assert.is(made.text.aborted.length, 2);
});

test('log probabilities of chosen tokens, and of the likeliest when asked', async () => {
  const made = harness();
  made.text.speeches = [{ tokens: ['é', '\ufffd'] }];
  const bare = await ask(made, { logprobs: true });
  assert.equal(bare.choices[0]!.logprobs, {
    content: [
      { token: 'é', logprob: -0.5, bytes: [0xc3, 0xa9], top_logprobs: [] },
      // Half a character has no text, and is told by its bytes.
      { token: '\ufffd', logprob: -0.5, bytes: [0xc3], top_logprobs: [] },
    ],
    refusal: null,
  } as never);
  const four = await ask(made, { logprobs: true, top_logprobs: 4 });
  const [first] = four.choices[0]!.logprobs!.content as { top_logprobs: { logprob: number }[] }[];
  assert.equal(
    first!.top_logprobs.map(({ logprob }) => logprob),
    // JSON spells no infinity.
    [-0.5, -1.5, -2.5, -9999],
  );
});

const tools = [
  { type: 'function', function: { name: 'look', parameters: { type: 'object' } } },
  { type: 'function', function: { name: 'walk' } },
];

test('tools are shown to the template, and what the package reads is the answer', async () => {
  const made = harness();
  const calls = [
    { name: 'look', arguments: { at: 'sky' } },
    { id: 'mine', function: { name: 'walk', arguments: '{"to":1}' } },
  ];
  made.text.speeches = [
    { tokens: ['<call>'], chat: JSON.stringify({ content: null, tool_calls: calls }) },
  ];
  const answer = await ask(made, { tools, tool_choice: 'required' });
  const { prompt, hasTools } = made.text.calls[0]!.body;
  assert.is(hasTools, true);
  const seen = JSON.parse(prompt.kind === 'chat' ? prompt.json : '') as Record<string, unknown>;
  assert.equal([seen['tools'], seen['tool_choice']], [tools, 'required']);
  const [choice] = answer.choices;
  assert.is(choice!.finish_reason, 'tool_calls');
  assert.is(choice!.message.content, null);
  const [first, second] = choice!.message.tool_calls as { id: string }[];
  assert.match(first!.id, /^call-/);
  assert.equal([first, second], [
    { id: first!.id, type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } },
    { id: 'mine', type: 'function', function: { name: 'walk', arguments: '{"to":1}' } },
  ] as never);
  const single = await ask(made, { tools, parallel_tool_calls: false });
  assert.is(single.choices[0]!.message.tool_calls!.length, 1);
});

test('an answer that calls nothing, was cut, or is not parsed', async () => {
  const made = harness();
  const chat = JSON.stringify({ content: 'No.', tool_calls: [] });
  made.text.speeches = [{ tokens: ['No.'], chat }];
  const plain = await ask(made, { tools });
  assert.equal(
    [plain.choices[0]!.message.content, plain.choices[0]!.finish_reason],
    ['No.', 'stop'],
  );
  const cut = { content: '', tool_calls: [{ name: 'look', arguments: {} }] };
  made.text.speeches = [{ tokens: ['x', 'y'], chat: JSON.stringify(cut) }];
  assert.is((await ask(made, { tools, max_tokens: 1 })).choices[0]!.finish_reason, 'length');
  // A package that reads no calls answers with its text.
  made.text.speeches = [{ tokens: ['x'] }];
  assert.is((await ask(made, { tools })).choices[0]!.message.content, 'x');
});

test('tool_choice none shows no tools', async () => {
  const made = harness();
  await ask(made, { tools, tool_choice: 'none', response_format: { type: 'json_object' } });
  const { prompt, hasTools } = made.text.calls[0]!.body;
  assert.is(hasTools, false);
  assert.not.match(prompt.kind === 'chat' ? prompt.json : '', 'tool');
});

for (const chat of ['nonsense', '1', '{"content":1}', '{"tool_calls":{}}', '{"tool_calls":[{}]}']) {
  test(`a package that reads ${chat} in an answer is at fault`, async () => {
    const made = harness();
    made.text.speeches = [{ tokens: ['x'], chat }];
    const response = await made.post(path, { ...good, tools });
    assert.is(response.status, 500);
    assert.match((await errorOf(response)).message, /^answer_chat of m gave no message: /);
  });
}

test('what tokens took is measured', async () => {
  const made = harness();
  made.text.speeches = [{ tokens: ['a', 'b', 'c'], cached: 2, drafted: 4, accepted: 1 }];
  const { usage } = await ask(made, { n: 2 });
  assert.equal(usage['completion_tokens_details'], {
    accepted_prediction_tokens: 2,
    rejected_prediction_tokens: 6,
  });
  await made.post(path, { ...good, model: 'nobody' });
  const text = await (await made.get('/metrics')).text();
  const lines = [
    'loom_time_to_first_token_seconds_count{model="m"} 2',
    'loom_inter_token_seconds_count{model="m"} 4',
    'loom_prompt_tokens_total{model="m"} 5',
    'loom_cached_tokens_total{model="m"} 2',
    'loom_generation_tokens_total{model="m"} 6',
    'loom_drafted_tokens_total{model="m"} 8',
    'loom_finished_total{model="m",reason="stop"} 2',
    'loom_open_streams 0',
    'loom_stream_held_bytes 0',
  ];
  for (const line of lines) assert.ok(text.includes(`${line}\n`), line);
  assert.not.match(text, 'nobody');
});

test.run();
