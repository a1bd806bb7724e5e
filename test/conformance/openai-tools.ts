/**
 * What the `openai` client must see of a server whose model can be made to call tools and scores
 * prompts: run against real ones. It knows no answer, only how answers hang together.
 */
import OpenAI, { BadRequestError } from 'openai';
import * as assert from 'uvu/assert';
import type { TextSubject } from './openai-text.js';

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      strict: true,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', maxLength: 6 }, days: { enum: [1, 2, 3] } },
        required: ['city', 'days'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function' as const,
    function: {
      name: 'stop',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
  },
];

export async function toolConformance(subject: TextSubject): Promise<void> {
  const client = new OpenAI({ baseURL: subject.baseURL, apiKey: 'unused', maxRetries: 0 });
  await callsWhatIsRequired(client, subject);
  await refusesWhatItCannotHold(client, subject);
  await saysContentAtOnce(client, subject);
  await scoresPrompts(client, subject);
  await drawsBySeed(client, subject);
  await saysWhatIsTooLong(client, subject);
}

async function callsWhatIsRequired(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const messages = [{ role: 'user' as const, content: prompt }];
  const stop = { type: 'function' as const, function: { name: 'stop' } };
  for (const tool_choice of ['required' as const, stop]) {
    const asked = { model, messages, tools, tool_choice, seed: 5, temperature: 1, max_tokens: 300 };
    const single = { ...asked, parallel_tool_calls: false };
    const whole = await client.chat.completions.create(single);
    const streamed = await client.chat.completions.stream(single).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      const { finish_reason, message } = choices[0]!;
      assert.is(finish_reason, 'tool_calls');
      assert.is(message.content ?? null, null);
      assert.is(message.tool_calls!.length, 1);
      const [call] = message.tool_calls!;
      assert.is(call!.type, 'function');
      if (call!.type === 'function') checkCall(call.function, tool_choice === stop);
    }
    const called = (answer: typeof whole) =>
      answer.choices[0]!.message.tool_calls!.map((call) =>
        call.type === 'function' ? call.function.arguments : '',
      );
    assert.equal(called(streamed as typeof whole), called(whole));
  }
}

function checkCall(call: { name: string; arguments: string }, isNamed: boolean): void {
  const given = JSON.parse(call.arguments) as { city?: unknown; days?: unknown };
  if (isNamed) assert.is(call.name, 'stop');
  if (call.name === 'stop') return assert.equal(given, {});
  assert.is(call.name, 'weather');
  assert.equal(Object.keys(given), ['city', 'days']);
  assert.type(given.city, 'string');
  assert.ok([1, 2, 3].includes(given.days as number));
}

async function refusesWhatItCannotHold(client: OpenAI, subject: TextSubject): Promise<void> {
  const { model, prompt } = subject;
  const held = {
    name: 'held',
    strict: true,
    parameters: { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
  };
  const error = await refusal(
    client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: prompt }],
      tools: [{ type: 'function', function: held }],
      tool_choice: 'required',
    }),
  );
  assert.is(error.param, 'tools[0].function.parameters.properties.a.pattern');
}

/** That tools are offered does not keep an answer back that calls none. */
async function saysContentAtOnce(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const messages = [{ role: 'user' as const, content: prompt }];
  const asked = { model, messages, tools, temperature: 0, max_tokens: 12 };
  const whole = await client.chat.completions.create(asked);
  const { content, tool_calls: calls } = whole.choices[0]!.message;
  assert.is(calls, undefined);
  const pieces: string[] = [];
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
    pieces.push(chunk.choices[0]?.delta.content ?? '');
  }
  assert.is(pieces.join(''), content);
  assert.ok(pieces.filter((piece) => piece !== '').length > 4, JSON.stringify(pieces));
}

/** The likelihoods of an answer are those of the same text as a prompt. */
async function scoresPrompts(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const asked = { model, temperature: 0, logprobs: 1 };
  const plain = await client.completions.create({ ...asked, prompt, max_tokens: 6 });
  const echoed = await client.completions.create({ ...asked, prompt, max_tokens: 6, echo: true });
  const answer = plain.choices[0]!;
  const both = echoed.choices[0]!;
  assert.is(both.text, prompt + answer.text);
  const tokens = both.logprobs!.tokens!;
  assert.equal(tokens.slice(-6), answer.logprobs!.tokens);
  assert.equal(both.logprobs!.token_logprobs!.slice(-6), answer.logprobs!.token_logprobs);
  assert.is(both.logprobs!.token_logprobs![0], null);
  assert.is(both.logprobs!.text_offset!.at(-6), prompt.length);
  const score = { ...asked, prompt: both.text, max_tokens: 0, echo: true };
  const scored = (await client.completions.create(score)).choices[0]!;
  assert.is(scored.text, both.text);
  // The same text may be cut into other tokens.
  if (JSON.stringify(scored.logprobs!.tokens) !== JSON.stringify(tokens)) return;
  assert.equal(scored.logprobs!.token_logprobs, both.logprobs!.token_logprobs);
}

async function drawsBySeed(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const asked = { model, prompt, max_tokens: 12, temperature: 1 };
  const several = await client.completions.create({ ...asked, seed: 40, n: 3 });
  for (const [index, { text }] of several.choices.entries()) {
    const alone = await client.completions.create({ ...asked, seed: 40 + index });
    assert.is(text, alone.choices[0]!.text, `choice ${index}`);
  }
  assert.ok(new Set(several.choices.map(({ text }) => text)).size > 1);
}

async function saysWhatIsTooLong(client: OpenAI, { model, prompt }: TextSubject): Promise<void> {
  const content = `${prompt} `.repeat(2_000);
  const messages = [{ role: 'user' as const, content }];
  const chat = await refusal(client.chat.completions.create({ model, messages }));
  assert.equal([chat.code, chat.param], ['context_length_exceeded', 'messages']);
  const text = await refusal(client.completions.create({ model, prompt: content }));
  assert.equal([text.code, text.param], ['context_length_exceeded', 'prompt']);
}

async function refusal(promise: Promise<unknown>): Promise<BadRequestError> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, BadRequestError);
    return error as BadRequestError;
  }
  throw new Error('the request should have been refused');
}
