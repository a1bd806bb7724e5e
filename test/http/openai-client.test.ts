/** The `openai` client against the fake server: what every server must pass, and tools. */
import OpenAI, { APIError } from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../runtime/base/errors.js';
import { textConformance } from '../conformance/openai-text.js';
import { withServer } from './listening.js';

const messages = [{ role: 'user' as const, content: 'Is it raining?' }];

test('the client finds what it expects', () =>
  withServer(async ({ text }, { url }) => {
    const known = text.generate.bind(text);
    text.generate = (call, options) =>
      known({ ...call, model: call.model === 'no-such-model' ? 'nobody' : call.model }, options);
    await textConformance({ baseURL: `${url}/v1`, model: 'm', prompt: 'Hi', hasChat: true });
  }));

const tools = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: {} } },
  },
];

test('the client is called for its tools, whole and streamed, and may answer', () =>
  withServer(async ({ text }, { url }) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
    const calls = [{ name: 'weather', arguments: { city: 'Bern' } }];
    const chat = JSON.stringify({ content: null, tool_calls: calls });
    text.speeches = [{ tokens: ['<call>'], chat }];
    const asked = { model: 'm', messages, tools };
    const whole = await client.chat.completions.create(asked);
    const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
    for (const answer of [whole, streamed]) {
      const [choice] = answer.choices;
      assert.is(choice!.finish_reason, 'tool_calls');
      const [call] = choice!.message.tool_calls!;
      assert.ok(call!.type === 'function' && call.id.length > 0);
      assert.is(call!.type === 'function' && call.function.name, 'weather');
      assert.equal(JSON.parse(call!.type === 'function' ? call.function.arguments : ''), {
        city: 'Bern',
      });
    }
    text.speeches = [{ tokens: ['Yes.'] }];
    const { message } = whole.choices[0]!;
    const result = {
      role: 'tool' as const,
      tool_call_id: message.tool_calls![0]!.id,
      content: '1',
    };
    const last = await client.chat.completions.create({
      model: 'm',
      messages: [...messages, message, result],
    });
    assert.is(last.choices[0]!.message.content, 'Yes.');
  }));

test('the client throws what a stream that has begun ends with', () =>
  withServer(async ({ text }, { url }) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 });
    const failure = new StatusError('unavailable', 'the device was lost');
    text.speeches = [{ tokens: ['a', 'b'], failAt: 1, failure }];
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
    let said = '';
    let thrown: unknown = null;
    try {
      for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? '';
    } catch (error) {
      thrown = error;
    }
    assert.is(said, 'a');
    assert.instance(thrown, APIError);
    assert.match((thrown as APIError).message, /the device was lost/);
    assert.is((thrown as APIError).code, 'unavailable');
  }));

test.run();
