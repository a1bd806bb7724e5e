/** Streams end in many ways, and keep their law in each. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../runtime/base/errors.js';
import { errorOf, harness, type Harness } from './harness.js';
import { postJson, until, withServer } from './listening.js';
import { checkLaw, eventsOf } from './sse-law.js';

const path = '/v1/chat/completions';
const good = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true };

async function body(url: string, more: object = {}): Promise<string> {
  const response = await postJson(url + path, { ...good, ...more });
  assert.is(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', 'text/event-stream');
  assert.match(response.headers.get('cache-control') ?? '', 'no-cache');
  assert.ok(response.headers.get('x-request-id'));
  return response.text();
}

test('an answer comes in deltas, with timings and a fingerprint at its end', () =>
  withServer(async ({ text }, { url }) => {
    text.speeches = [{ tokens: ['Hel', 'lo', ' ', '\u{1f600}\n\n'] }];
    const heard = checkLaw(await body(url), { form: 'chat' });
    assert.equal([heard.texts, heard.finishes], [['Hello \u{1f600}\n\n'], ['stop']]);
    // The role, four deltas, the end.
    assert.is(heard.chunks.length, 6);
    const last = heard.chunks.at(-1)!;
    assert.is(last.system_fingerprint, 'm@7');
    assert.is(last.timings?.['generate_tokens_per_second'], 150);
  }));

test('a length, no tokens at all, and an end at the first token', () =>
  withServer(async ({ text }, { url }) => {
    const cut = checkLaw(await body(url, { max_tokens: 1 }), { form: 'chat' });
    assert.equal([cut.texts, cut.finishes], [['Hel'], ['length']]);
    const none = checkLaw(await body(url, { max_tokens: 0 }), { form: 'chat' });
    assert.equal([none.texts, none.finishes], [[''], ['length']]);
    text.speeches = [{ tokens: [] }];
    const empty = checkLaw(await body(url), { form: 'chat' });
    assert.equal([empty.texts, empty.finishes], [[''], ['stop']]);
  }));

test('usage comes alone and last where it was asked for', () =>
  withServer(async ({ text }, { url }) => {
    text.speeches = [{ tokens: ['a', 'b', 'c'], cached: 4 }];
    const options = { stream_options: { include_usage: true } };
    const heard = checkLaw(await body(url, options), { form: 'chat', usage: true });
    assert.is(heard.usage?.completion_tokens, 3);
    assert.is(heard.usage?.prompt_tokens_details.cached_tokens, 4);
    assert.ok(heard.chunks.at(-1)!.timings);
    const off = { stream_options: { include_usage: false } };
    checkLaw(await body(url, off), { form: 'chat' });
  }));

test('n answers are streamed at once, each with its index', () =>
  withServer(async ({ text }, { url }) => {
    text.speeches = [{ tokens: ['a', 'b'] }, { tokens: [] }, { tokens: ['x', 'y', 'z'] }];
    const more = { n: 3, max_tokens: 2, stream_options: { include_usage: true } };
    const heard = checkLaw(await body(url, more), { form: 'chat', choices: 3, usage: true });
    assert.equal(heard.texts, ['ab', '', 'xy']);
    assert.equal(heard.finishes, ['length', 'stop', 'length']);
    assert.is(heard.usage?.completion_tokens, 4);
    assert.is(heard.usage?.prompt_tokens, 5);
  }));

test('log probabilities come with their deltas', () =>
  withServer(async (_, { url }) => {
    const more = { logprobs: true, top_logprobs: 1 };
    const heard = checkLaw(await body(url, more), { form: 'chat' });
    const tokens = heard.logprobs[0]!.flatMap(
      (one) => (one as { content: { token: string; top_logprobs: unknown[] }[] }).content,
    );
    assert.equal(
      tokens.map(({ token, top_logprobs }) => [token, top_logprobs.length]),
      [
        ['Hel', 1],
        ['lo', 1],
      ],
    );
  }));

test('calls of tools come when the answer is whole', () =>
  withServer(async ({ text }, { url }) => {
    const calls = [{ name: 'look', arguments: { at: 1 } }, { name: 'walk' }];
    const chat = JSON.stringify({ content: 'Well.', tool_calls: calls });
    text.speeches = [{ tokens: ['Well.', '<look>'], chat }];
    const tools = ['look', 'walk'].map((name) => ({ type: 'function', function: { name } }));
    const heard = checkLaw(await body(url, { tools, logprobs: true }), { form: 'chat' });
    assert.equal([heard.texts, heard.finishes], [['Well.'], ['tool_calls']]);
    assert.equal(
      heard.calls[0]!.map((call) => [call.index, call.function.name, call.function.arguments]),
      [
        [0, 'look', '{"at":1}'],
        [1, 'walk', '{}'],
      ],
    );
    assert.is(heard.logprobs[0]!.length, 1);
    text.speeches = [
      { tokens: ['<look>'], chat: JSON.stringify({ content: null, tool_calls: [calls[0]] }) },
    ];
    const silent = checkLaw(await body(url, { tools, logprobs: true }), { form: 'chat' });
    assert.equal([silent.texts, silent.calls[0]!.length, silent.logprobs[0]!.length], [[''], 1, 1]);
  }));

test('an error before the first token is an answer with a status of its own', () =>
  withServer(async ({ text }, { url }) => {
    text.failures.push(new StatusError('resourceExhausted', 'full', { retryAfterS: 3 }));
    const full = await postJson(url + path, good);
    assert.is(full.status, 429);
    assert.is(full.headers.get('retry-after'), '3');
    assert.is((await errorOf(full)).message, 'full');
    const wrong = await postJson(url + path, { ...good, n: 0 });
    assert.is(wrong.status, 400);
    await wrong.text();
    checkLaw(await body(url), { form: 'chat' });
  }));

const outcomes = async ({ get }: Harness): Promise<string> => (await get('/metrics')).text();

test('an error after the first token is an event, and the end', () =>
  withServer(async (made, { url }) => {
    const failure = new StatusError('unavailable', 'the device was lost', { retryAfterS: 1 });
    made.text.speeches = [{ tokens: ['a', 'b', 'c'], failAt: 2, failure }];
    const heard = checkLaw(await body(url), { form: 'chat', ends: 'error' });
    assert.equal(heard.texts, ['ab']);
    assert.equal([heard.error?.code, heard.error?.message], ['unavailable', 'the device was lost']);
    const counted = 'loom_requests_total{route="/v1/chat/completions",model="m",outcome="';
    await until(() => made.lines.length === 1);
    assert.match(await outcomes(made), `${counted}unavailable"} 1`);
    assert.equal([made.lines[0]!.level, made.lines[0]!.message], ['error', `POST ${path} 503`]);
  }));

test('when one of n fails after the start, all end with one error', () =>
  withServer(async ({ text }, { url }) => {
    text.speeches = [
      { tokens: ['a', 'b'], hangAt: 1 },
      { tokens: ['a', 'b'], failAt: 1 },
    ];
    const heard = checkLaw(await body(url, { n: 2 }), { form: 'chat', choices: 2, ends: 'error' });
    assert.equal(heard.finishes, [null, null]);
    assert.ok(text.aborted.length >= 1);
  }));

test('past its deadline a stream ends with an error that names the knob', () =>
  withServer(
    async ({ text }, { url }) => {
      text.speeches = [{ tokens: ['a', 'b'], hangAt: 1 }];
      const heard = checkLaw(await body(url), { form: 'chat', ends: 'error' });
      assert.is(heard.error?.code, 'deadline_exceeded');
      assert.match(heard.error?.message ?? '', /within 0\.1 s; raise --generation-timeout/);
      await until(() => text.aborted.length === 1);
      const init = { headers: { 'x-request-timeout': '0.03' } };
      text.speeches = [{ tokens: ['a'], hangAt: 0 }];
      const early = await postJson(url + path, good, init);
      assert.is(early.status, 504);
      assert.match((await errorOf(early)).message, /within 0\.03 s/);
    },
    { limits: { generationTimeoutMs: 100 } },
  ));

for (const [phase, hangAt] of [
  ['before the first token', 0],
  ['among tokens', 1],
] as const) {
  test(`a client that leaves ${phase} stops all of its choices`, () =>
    withServer(async (made, { url }) => {
      made.text.speeches = [{ tokens: ['a', 'b'], hangAt }];
      const client = new AbortController();
      const init = { signal: client.signal };
      const pending = postJson(url + path, { ...good, n: 2 }, init).catch(() => null);
      await until(() => made.text.calls.length === 2);
      if (hangAt > 0) await pending;
      assert.equal(made.text.aborted, []);
      client.abort();
      await until(() => made.text.aborted.length === 2);
      await until(() => made.lines.length === 1);
      assert.match(await outcomes(made), /outcome="cancelled"} 1/);
      assert.is(made.services.open.streams, 0);
      made.text.speeches = [{ tokens: ['a'] }];
      checkLaw(await body(url), { form: 'chat' });
    }));
}

test('a server that shuts down lets open streams finish, within its bound', () =>
  withServer(async (made, listener) => {
    let speak = (): void => undefined;
    const slow = new Promise<void>((resolve) => (speak = resolve));
    const generate = made.text.generate.bind(made.text);
    made.text.generate = async (call, options) => {
      await options.onDelta({ text: 'first', tokens: [] });
      await slow;
      return generate(call, options);
    };
    const response = await postJson(listener.url + path, good);
    made.draining = true;
    const closed = listener.close(5_000);
    speak();
    const heard = checkLaw(await response.text(), { form: 'chat' });
    assert.equal(heard.texts, ['firstHello']);
    await closed;
  }));

test('the law is broken by what breaks it', async () => {
  const chunk = (choice: object | null, more: object = {}): string =>
    `data: ${JSON.stringify({
      id: 'i',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices:
        choice === null ? [] : [{ index: 0, logprobs: null, finish_reason: null, ...choice }],
      ...more,
    })}\n\n`;
  const role = chunk({ delta: { role: 'assistant' } });
  const word = chunk({ delta: { content: 'a' } });
  const stop = chunk({ delta: {}, finish_reason: 'stop' });
  const done = 'data: [DONE]\n\n';
  const error = 'data: {"error":{"message":"x"}}\n\n';
  checkLaw(role + word + stop + done, { form: 'chat' });
  const unlawful: [string, string][] = [
    ['no end', role + word + stop],
    ['two ends', role + stop + done + done],
    ['no reason', role + word + done],
    ['two reasons', role + stop + stop + done],
    ['words after the reason', role + stop + word + done],
    ['no role', word + stop + done],
    ['two roles', role + role + stop + done],
    ['an end after an error', role + error + done],
    ['words after an error', role + error + word + stop + done],
    ['another answer', role + chunk({ delta: {} }, { id: 'j' }) + stop + done],
    ['an unasked choice', role + chunk({ index: 1, delta: {} }) + stop + done],
    ['unasked usage', role + stop + chunk(null, { usage: {} }) + done],
    ['half an event', `${role}${word}${stop}${done}data: {`],
    ['no event', `${role}hello\n\n${stop}${done}`],
  ];
  for (const [what, text] of unlawful) {
    let isBroken = false;
    try {
      checkLaw(text, { form: 'chat' });
    } catch {
      isBroken = true;
    }
    assert.ok(isBroken, what);
  }
  assert.is(eventsOf(`: a\n\n${role}`).comments, 1);
  // Without a socket there is nothing to stream to, and that is a bug of whoever asks.
  assert.is((await harness().post(path, good)).status, 500);
});

test.run();
