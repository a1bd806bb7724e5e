import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstOutput } from './first-output-rule.js';
import { errorOf, harness } from './harness.js';

interface Answer {
  readonly object: string;
  readonly model: string;
  readonly data: { object: string; index: number; embedding: number[] | string }[];
  readonly usage: { prompt_tokens: number; total_tokens: number };
}

const path = '/v1/embeddings';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a string gives one embedding with usage', async () => {
  const { post } = harness();
  const response = await post(path, { model: 'first-output', input: 'abc' });
  assert.is(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', 'application/json');
  assert.equal(await response.json(), {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [...firstOutput(bytes('abc'))] }],
    model: 'first-output',
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
});

test('texts keep their order and indices', async () => {
  const { post } = harness();
  const input = ['abc', 'hello', 'ü€'];
  const answer = (await (await post(path, { model: 'first-output', input })).json()) as Answer;
  assert.equal(
    answer.data.map((row) => [row.index, row.embedding]),
    input.map((text, index) => [index, [...firstOutput(bytes(text))]]),
  );
  assert.is(answer.usage.total_tokens, 3 + 5 + 5);
});

test('a list of tokens is one input, a list of lists is several', async () => {
  const { post, serving } = harness();
  await post(path, { model: 'first-output', input: [97, 98] });
  assert.equal(serving.embedding(0).inputs, [{ kind: 'tokens', tokens: [97, 98] }]);
  await post(path, { model: 'first-output', input: [[97], [98, 99]] });
  assert.equal(serving.embedding(1).inputs, [
    { kind: 'tokens', tokens: [97] },
    { kind: 'tokens', tokens: [98, 99] },
  ]);
});

test('base64 and float spell the same bits', async () => {
  const { post } = harness();
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (input) => {
      const body = { model: 'first-output', input };
      const float = (await (await post(path, body)).json()) as Answer;
      const coded = await post(path, { ...body, encoding_format: 'base64' });
      const text = ((await coded.json()) as Answer).data[0]?.embedding as string;
      const buffer = Buffer.from(text, 'base64');
      const values = Array.from({ length: buffer.length / 4 }, (_, k) => buffer.readFloatLE(k * 4));
      assert.equal(values, float.data[0]?.embedding);
      assert.equal(values, [...firstOutput(bytes(input))]);
    }),
    { numRuns: 50 },
  );
});

test('dimensions reach the package, which may refuse them', async () => {
  const { post, serving } = harness();
  const good = await post(path, { model: 'first-output', input: 'a', dimensions: 8 });
  assert.is(good.status, 200);
  assert.is(serving.embedding(0).dimensions, 8);
  const bad = await post(path, { model: 'first-output', input: 'a', dimensions: 9 });
  assert.is(bad.status, 400);
  assert.is((await errorOf(bad)).param, 'dimensions');
});

test('unknown fields and user are ignored', async () => {
  const { post } = harness();
  const body = { model: 'first-output', input: 'a', user: 'someone', future: { x: 1 } };
  assert.is((await post(path, body)).status, 200);
});

const wrongBodies: [string, unknown, string | null, RegExp][] = [
  ['no model', { input: 'a' }, 'model', /must be a string, not missing/],
  ['a model that is no string', { model: 7, input: 'a' }, 'model', /not a number/],
  ['an empty model', { model: '', input: 'a' }, 'model', /empty/],
  ['no input', { model: 'm' }, 'input', /not missing/],
  ['null input', { model: 'm', input: null }, 'input', /not null/],
  ['empty input', { model: 'm', input: '' }, 'input', /empty/],
  ['no inputs', { model: 'm', input: [] }, 'input', /empty/],
  ['an empty text among texts', { model: 'm', input: ['a', ''] }, 'input[1]', /empty/],
  ['a number among texts', { model: 'm', input: ['a', 1] }, 'input[1]', /string like the first/],
  ['a text among tokens', { model: 'm', input: [1, 'a'] }, 'input[1]', /token id/],
  ['a fraction as token', { model: 'm', input: [1.5] }, 'input[0]', /token id/],
  ['a negative token', { model: 'm', input: [[1], [-1]] }, 'input[1][0]', /token id/],
  ['an empty token list', { model: 'm', input: [[]] }, 'input[0]', /empty/],
  ['an object as input', { model: 'm', input: [{}] }, 'input[0]', /not an object/],
  [
    'a format of its own',
    { model: 'm', input: 'a', encoding_format: 'hex' },
    'encoding_format',
    /base64/,
  ],
  ['zero dimensions', { model: 'm', input: 'a', dimensions: 0 }, 'dimensions', /at least 1/],
  ['dimensions as text', { model: 'm', input: 'a', dimensions: '8' }, 'dimensions', /not a string/],
  ['a lone surrogate', '{"model":"m","input":"a\\ud800b"}', 'input', /lone surrogate/],
  ['an array as body', [], null, /not an array/],
  ['null as body', null, null, /not null/],
];

for (const [name, body, param, message] of wrongBodies) {
  test(`${name} is 400 and names the field`, async () => {
    const { post, serving } = harness();
    const response = await post(path, body);
    assert.is(response.status, 400);
    const error = await errorOf(response);
    assert.is(error.param, param);
    assert.is(error.type, 'invalid_request_error');
    assert.match(error.message, message);
    assert.is(serving.calls.length, 0);
  });
}

test('more inputs than the batch limit say the limit and the knob', async () => {
  const { post } = harness({ limits: { batchMax: 2 } });
  const response = await post(path, { model: 'first-output', input: ['a', 'b', 'c'] });
  assert.is(response.status, 400);
  const { message, param } = await errorOf(response);
  assert.match(message, /more than 2 elements, which is the limit; .*--max-batch/);
  assert.is(param, 'input');
});

test('one token list may be longer than the batch limit', async () => {
  const { post } = harness({ limits: { batchMax: 2 } });
  assert.is((await post(path, { model: 'first-output', input: [1, 2, 3] })).status, 200);
});

test('a model that is not served is 404 with the code that clients look for', async () => {
  const { post } = harness();
  const response = await post(path, { model: 'nobody', input: 'a' });
  assert.is(response.status, 404);
  const error = await errorOf(response);
  assert.is(error.code, 'model_not_found');
  assert.is(error.param, 'model');
});

test('a value that JSON cannot spell is an error, not null', async () => {
  const { post, serving } = harness();
  serving.infer = async (call) => ({
    model: call.model,
    generation: 1,
    rows: [new Float32Array([1, NaN])],
    units: 1,
    cohortSize: 1,
    timings: { queueMs: 0, prepareMs: 0, executeMs: 0 },
  });
  const response = await post(path, { model: 'first-output', input: 'a' });
  assert.is(response.status, 500);
  assert.match((await errorOf(response)).message, /value 1 of an embedding is NaN/);
});

test('a server that loses a row is an error', async () => {
  const { post, serving } = harness();
  const infer = serving.infer.bind(serving);
  serving.infer = async (call, options) => ({ ...(await infer(call, options)), rows: [] });
  const response = await post(path, { model: 'first-output', input: 'a' });
  assert.is(response.status, 500);
});

test.run();
