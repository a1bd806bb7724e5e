/** Continued texts: forms of prompts, echo, log probabilities, streams, refusals. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness, type Harness } from './harness.js';
import { postJson, withServer } from './listening.js';
import { checkLaw } from './sse-law.js';

const path = '/v1/completions';
const good = { model: 'm', prompt: 'In the beginning' };

interface Completion {
  readonly id: string;
  readonly object: string;
  readonly choices: {
    index: number;
    text: string;
    logprobs: {
      tokens: string[];
      token_logprobs: number[];
      top_logprobs: Record<string, number>[];
      text_offset: number[];
    } | null;
    finish_reason: string;
  }[];
  readonly usage: Record<string, number>;
}

async function ask({ post }: Harness, more: object = {}): Promise<Completion> {
  const response = await post(path, { ...good, ...more });
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as Completion;
}

test('a text is continued, by 16 tokens where nothing is said', async () => {
  const made = harness();
  const answer = await ask(made);
  assert.match(answer.id, /^cmpl-/);
  assert.is(answer.object, 'text_completion');
  assert.equal(answer.choices, [
    { index: 0, text: 'Hello', logprobs: null, finish_reason: 'stop' },
  ]);
  const { body } = made.text.calls[0]!;
  assert.equal(body.prompt, { kind: 'text', text: 'In the beginning' });
  assert.is(body.maxTokens, 16);
  await ask(made, { max_tokens: 0 });
  assert.is(made.text.calls[1]!.body.maxTokens, 0);
});

test('texts, tokens, lists of tokens: each prompt has n answers, in order', async () => {
  const made = harness();
  const asked = async (prompt: unknown, n?: number) => {
    made.text.calls.length = 0;
    const { choices, usage } = await ask(made, { prompt, n });
    const prompts = made.text.calls.map(({ body }) => body.prompt);
    return { prompts, indices: choices.map(({ index }) => index), usage };
  };
  const text = (value: string) => ({ kind: 'text' as const, text: value });
  const tokens = (...ids: number[]) => ({ kind: 'tokens' as const, ids });
  const twice = await asked(['a', ''], 2);
  assert.equal(twice.prompts, [text('a'), text('a'), text(''), text('')]);
  assert.equal(twice.indices, [0, 1, 2, 3]);
  // Each prompt is read once, each of the four answers has two tokens.
  assert.equal([twice.usage['prompt_tokens'], twice.usage['completion_tokens']], [10, 8]);
  assert.equal((await asked([1, 2])).prompts, [tokens(1, 2)]);
  assert.equal((await asked([[1], [2, 3]])).prompts, [tokens(1), tokens(2, 3)]);
});

test('seeds differ among the answers to one prompt, not among prompts', async () => {
  const made = harness();
  await ask(made, { prompt: ['a', 'b'], n: 2, seed: 5 });
  assert.equal(
    made.text.calls.map(({ body }) => body.sampling.seed),
    [5, 6, 5, 6],
  );
});

test('echo puts the prompt before its answer, whole and streamed', () =>
  withServer(async (made, { url }) => {
    const both = { prompt: ['ab', 'c'], echo: true };
    const answer = await ask(made, both);
    assert.equal(
      answer.choices.map(({ text }) => text),
      ['abHello', 'cHello'],
    );
    const ids = await ask(made, { prompt: [...Buffer.from('xyz')], echo: true, max_tokens: 0 });
    assert.equal([ids.choices[0]!.text, ids.choices[0]!.finish_reason], ['xyz', 'length']);
    const response = await postJson(url + path, { ...good, ...both, stream: true });
    const heard = checkLaw(await response.text(), { form: 'completion', choices: 2 });
    assert.equal(heard.texts, ['abHello', 'cHello']);
  }));

test('log probabilities have tokens, offsets and the likeliest', async () => {
  const made = harness();
  made.text.speeches = [{ tokens: ['ab', 'c', 'def'] }];
  const answer = await ask(made, { logprobs: 2 });
  assert.equal(answer.choices[0]!.logprobs, {
    tokens: ['ab', 'c', 'def'],
    token_logprobs: [-0.5, -0.5, -0.5],
    top_logprobs: ['ab', 'c', 'def'].map((text) => ({ [text]: -0.5, other1: -1.5 })),
    text_offset: [0, 2, 3],
  });
  made.text.speeches = [{ tokens: ['\ufffd', 'x'] }];
  const parts = await ask(made, { logprobs: 0 });
  assert.equal(parts.choices[0]!.logprobs!.tokens, ['bytes:\\xc3', 'x']);
  made.text.speeches = [{ tokens: ['ab', 'c', 'def'] }];
  const bare = await ask(made, { logprobs: 0 });
  assert.equal(bare.choices[0]!.logprobs!.top_logprobs, [{}, {}, {}]);
  assert.is(made.text.calls[2]!.body.sampling.topLogprobs, 0);
});

test('with an echo the tokens of the prompt come first, and its first has no likelihood', () =>
  withServer(async (made, { url }) => {
    made.text.speeches = [{ tokens: ['c', 'def'], prompt: ['ab', ' x'] }];
    const asked = { prompt: 'ab x', echo: true, logprobs: 1 };
    const answer = await ask(made, asked);
    assert.is(answer.choices[0]!.text, 'ab xcdef');
    const due = {
      tokens: ['ab', ' x', 'c', 'def'],
      token_logprobs: [null, -0.5, -0.5, -0.5],
      top_logprobs: [null, { ' x': -0.5 }, { c: -0.5 }, { def: -0.5 }],
      text_offset: [0, 2, 4, 5],
    };
    assert.equal(answer.choices[0]!.logprobs, due as never);
    const none = await ask(made, { ...asked, max_tokens: 0 });
    assert.equal([none.choices[0]!.text, none.choices[0]!.finish_reason], ['ab x', 'length']);
    assert.equal(none.choices[0]!.logprobs!.text_offset, [0, 2]);
    const response = await postJson(url + path, { ...good, ...asked, stream: true });
    const heard = checkLaw(await response.text(), { form: 'completion' });
    assert.equal(heard.texts, ['ab xcdef']);
    const pieces = heard.logprobs[0]! as (typeof due)[];
    for (const field of ['tokens', 'token_logprobs', 'top_logprobs', 'text_offset'] as const) {
      assert.equal(
        pieces.flatMap((piece) => piece[field] as unknown[]),
        due[field],
      );
    }
    assert.is(made.text.calls[0]!.body.isPromptScored, true);
    await ask(made, { prompt: 'ab', echo: true });
    await ask(made, { prompt: 'ab', logprobs: 1 });
    for (const call of made.text.calls.slice(-2)) assert.is(call.body.isPromptScored, undefined);
  }));

test('streamed offsets go on from delta to delta', () =>
  withServer(async ({ text }, { url }) => {
    text.speeches = [{ tokens: ['ab', 'c', 'def'] }];
    const body = { ...good, logprobs: 1, stream: true, stream_options: { include_usage: true } };
    const response = await postJson(url + path, body);
    const heard = checkLaw(await response.text(), { form: 'completion', usage: true });
    assert.equal([heard.texts, heard.finishes], [['abcdef'], ['stop']]);
    assert.equal(
      heard.logprobs[0]!.map((one) => (one as { text_offset: number[] }).text_offset),
      [[0], [2], [3]],
    );
    assert.is(heard.usage?.completion_tokens, 3);
  }));

const wrongBodies: [string, object, string, RegExp][] = [
  ['no prompt', { prompt: undefined }, 'prompt', /not missing/],
  ['no prompts', { prompt: [] }, 'prompt', /not be empty/],
  ['a number as prompt', { prompt: 1 }, 'prompt', /not a number/],
  ['mixed prompts', { prompt: ['a', [1]] }, 'prompt[1]', /kind of the first/],
  ['no tokens', { prompt: [[1], []] }, 'prompt[1]', /not be empty/],
  ['half a token', { prompt: [1.5] }, 'prompt[0]', /token id/],
  ['a lone surrogate', { prompt: ['a', '\udfff'] }, 'prompt[1]', /lone surrogate/],
  ['a suffix', { suffix: 'x' }, 'suffix', /leave it out/],
  ['the best of several', { n: 1, best_of: 2 }, 'best_of', /what n is \(1\)/],
  ['too many likeliest', { logprobs: 21 }, 'logprobs', /from 0 to 20/],
  ['no number of likeliest', { logprobs: true }, 'logprobs', /a number, not a boolean/],
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

test('an empty suffix, and best_of as n, are no wish', async () => {
  await ask(harness(), { suffix: '', n: 2, best_of: 2 });
});

test('more answers than the limit say the limit and the knob', async () => {
  const { post } = harness({ limits: { batchMax: 4 } });
  assert.is((await post(path, { ...good, prompt: ['a', 'b'], n: 2 })).status, 200);
  const response = await post(path, { ...good, prompt: ['a', 'b'], n: 3 });
  assert.is(response.status, 400);
  const { param, message } = await errorOf(response);
  assert.is(param, 'n');
  assert.match(message, /are 6, the limit is 4; .*--max-batch/);
});

test('echo of a model that is not served is 404', async () => {
  const { post } = harness();
  const body = { ...good, model: 'nobody', prompt: [1], echo: true };
  assert.is((await post(path, body)).status, 404);
});

test.run();
