/** Cases and scenarios of packages with retained rows, against generators that say what we want. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { checkPackage } from '../../../runtime/packages/check-package.js';
import { runTextCase, textCaseSchema } from '../../../runtime/packages/check-text-case.js';
import {
  checkTextRequest,
  textRequestSchema,
} from '../../../runtime/packages/check-text-request.js';
import type { Generate, TextAnswer } from '../../../runtime/packages/check-text-request.js';
import { smallText } from './small-text.js';

const answer: TextAnswer = { ids: [4, 5], text: 'ab', finish: 'length', captured: null };
const steady: Generate = async () => answer;
const capturing = (...values: number[]): Generate => {
  const captured = new Uint8Array(Float32Array.from(values).buffer);
  return async () => ({ ...answer, captured });
};
const refusing: Generate = async () => {
  throw new StatusError('invalidArgument', 'top_p is 2; no');
};

const run = (expect: object, generate = steady, bound?: object) =>
  runTextCase(textCaseSchema.parse({ request: { prompt: 'x' }, expect, bound }), generate);

const turnOf = (request: object) => checkTextRequest(textRequestSchema.parse(request));

test('prompts and chats take the shape that HTTP takes', () => {
  assert.equal(turnOf({ prompt: 'a' }), {
    ...{ prompt: { kind: 'text', text: 'a' }, maxTokens: null, stop: [] },
    ...{ sampling: {}, hasTools: false },
  });
  assert.equal(turnOf({ prompt: [3, 4], max_tokens: 0 }).prompt, { kind: 'tokens', ids: [3, 4] });
  const messages = [{ role: 'user', content: 'hi' }];
  const tools = [{ type: 'function' }];
  const chat = turnOf({ messages, tools, tool_choice: 'auto', stop: ['.'] });
  assert.is(chat.hasTools, true);
  assert.equal(JSON.parse((chat.prompt as { json: string }).json), {
    ...{ messages, tools, tool_choice: 'auto', add_generation_prompt: true },
  });
  for (const wrong of [{}, { prompt: 'a', messages }, { prompt: 'a', tools }]) {
    assert.throws(() => turnOf(wrong), /either prompt or messages/);
  }
  assert.throws(() => turnOf({ prompt: 'a', dimensions: 3 }), /dimensions/);
});

test('fields of sampling keep their meaning', () => {
  const { sampling } = turnOf({
    ...{ prompt: 'a', temperature: 0, top_p: 0.5, top_k: 3, min_p: 0.1, presence_penalty: 1 },
    ...{ frequency_penalty: 2, repetition_penalty: 1.5, seed: 7, logit_bias: { 12: -3 } },
  });
  assert.equal(sampling, {
    ...{ temperature: 0, topP: 0.5, topK: 3, minP: 0.1, presencePenalty: 1 },
    ...{ frequencyPenalty: 2, repetitionPenalty: 1.5, seed: 7, logitBias: [[12, -3]] },
  });
});

test('control: all that is said must hold, and nothing else is looked at', async () => {
  assert.equal(await run({ ids: [4, 5], text: 'ab', finish: 'length' }), []);
  assert.equal(await run({ text: 'ab' }), []);
  assert.equal(await run({ ids: [4], text: 'ac', finish: 'stop' }), [
    'ids: [4,5] instead of [4]',
    'text: "ab" instead of "ac"',
    'finish: "length" instead of "stop"',
  ]);
  assert.throws(() => textCaseSchema.parse({ request: { prompt: 'x' }, expect: {} }));
});

test('refusals are expected by code and by a part of the message', async () => {
  const error = (code: string, message: string) => ({ error: { code, message } });
  assert.equal(await run(error('invalidArgument', 'top_p'), refusing), []);
  assert.equal((await run(error('notFound', 'top_p'), refusing)).length, 1);
  assert.equal((await run(error('invalidArgument', 'top_k'), refusing)).length, 1);
  assert.equal(await run({ text: 'ab' }, refusing), ['invalidArgument: top_p is 2; no']);
  assert.equal(await run(error('notFound', '')), ['it was answered; notFound was expected']);
});

test('what a sequence captured is rows within a bound', async () => {
  const rows = {
    rows: [
      [1, 2],
      [3, 4],
    ],
  };
  assert.equal(await run(rows, capturing(1, 2, 3, 4)), []);
  assert.match((await run(rows, capturing(1, 2, 3, 4.5)))[0]!, /row 1, value 1: 4.5 instead of 4/);
  assert.equal(await run(rows, capturing(1, 2, 3, 4.5), { absolute: 0.5, relative: 0 }), []);
  assert.match((await run(rows, capturing(1, 2, 3)))[0]!, /12 bytes came back.*no 2 rows/);
  assert.match((await run(rows, capturing(1, 2)))[0]!, /row 0 has 1 values; 2 were expected/);
  assert.match((await run(rows))[0]!, /captures nothing/);
});

const scenario = {
  steps: [
    { send: 'a', request: { prompt: 'x', seed: 1 } },
    { send: 'b', request: { prompt: 'x', seed: 1 } },
    { await: 'a' },
  ],
  expect: { a: { outcome: 'answer', same_as_alone: true, same_as: 'b' }, b: { outcome: 'any' } },
};

async function checked(generate: Generate | undefined, more: Readonly<Record<string, string>>) {
  const { document, files } = smallText({ more });
  const infer = async (): Promise<never> => {
    throw new Error('no cohorts here');
  };
  const pause = async (): Promise<void> => undefined;
  const items = await checkPackage({ document, files, infer, generate, pause });
  return items.map(({ kind, name, outcome, details }) => [kind, name, outcome, ...details]);
}

test('cases and scenarios of a package run through who generates', async () => {
  const more = {
    'cases/one.json': JSON.stringify({ request: { prompt: 'x' }, expect: { text: 'ab' } }),
    'scenarios/two.json': JSON.stringify(scenario),
  };
  assert.equal(await checked(steady, more), [
    ['case', 'one', 'passed'],
    ['scenario', 'two', 'passed'],
  ]);
  let asked = 0;
  const changing: Generate = async () => ({ ...answer, ids: [(asked += 1)] });
  const [, found] = await checked(changing, more);
  assert.equal(found!.slice(0, 3), ['scenario', 'two', 'failed']);
  assert.match(String(found![3]), /a: row 0 differs in bits from the one alone/);
  const [nobody] = await checked(undefined, more);
  assert.match(String(nobody![3]), /nobody to generate/);
});

test('a case of cohorts is none of rows', async () => {
  const wrong = { request: { input: 'x' }, expect: { rows: [[1]] } };
  const [item] = await checked(steady, { 'cases/one.json': JSON.stringify(wrong) });
  assert.is(item![2], 'failed');
  assert.match(String(item![3]), /cases\/one\.json: request/);
});

test.run();
