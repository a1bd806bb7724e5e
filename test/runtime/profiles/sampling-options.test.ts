/** Options of a turn: what is refused, what becomes of silence, how the table reads. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkDefaults,
  checkSampling,
  encodeSampling,
} from '../../../runtime/profiles/sampling-options.js';
import type { SamplingOptions } from '../../../runtime/profiles/text.js';
import { refusal } from '../refusal.js';

const read = (bytes: Uint8Array): number[] => [...new Float64Array(bytes.slice().buffer)];
const table = (...values: number[]) => new Uint8Array(Float64Array.from(values).buffer);
const nothing = (): number[] => new Array<number>(9).fill(NaN);

const all: Required<SamplingOptions> = {
  temperature: 0.5,
  topP: 0.9,
  topK: 40,
  minP: 0.05,
  presencePenalty: -2,
  frequencyPenalty: 2,
  repetitionPenalty: 1.1,
  seed: -5,
  topLogprobs: 3,
  logitBias: [
    [7, -100],
    [2, 0.5],
  ],
};

test('control: the words of everything that can be said', () => {
  assert.equal(read(encodeSampling(all, {})), [
    ...[0.5, 0.9, 40, 0.05, -2, 2, 1.1, -5, 3],
    ...[2, 7, -100, 2, 0.5],
  ]);
});

test('what nobody says has no effect', () => {
  assert.equal(read(encodeSampling({}, {})), [1, 1, 0, 0, 0, 0, 1, 0, -1, 0]);
});

test('the caller wins over the package, field by field, zero included', () => {
  const asked = { temperature: 0, topLogprobs: 0, logitBias: [] };
  const words = read(encodeSampling(asked, all));
  assert.equal(words, [0, 0.9, 40, 0.05, -2, 2, 1.1, -5, 0, 0]);
});

test('each field has its range, and the error its name', () => {
  const cases: [keyof SamplingOptions, string, number[], number[]][] = [
    ['temperature', 'temperature', [-0.1, Infinity, NaN], [0, 5]],
    ['topP', 'top_p', [0, -1, 1.01, NaN], [0.001, 1]],
    ['topK', 'top_k', [-1, 1.5, NaN], [0, 1e6]],
    ['minP', 'min_p', [-0.1, 1.1], [0, 1]],
    ['presencePenalty', 'presence_penalty', [-2.1, 2.1], [-2, 2]],
    ['frequencyPenalty', 'frequency_penalty', [-2.1, 2.1], [-2, 2]],
    ['repetitionPenalty', 'repetition_penalty', [0, -1, Infinity], [0.1, 3]],
    ['seed', 'seed', [0.5, 2 ** 53], [0, -(2 ** 53 - 1)]],
    ['topLogprobs', 'top_logprobs', [-1, 0.5], [0, 20]],
  ];
  for (const [name, param, wrong, right] of cases) {
    for (const value of right) checkSampling({ [name]: value }, 10);
    for (const value of wrong) {
      const status = refusal(() => checkSampling({ [name]: value }, 10));
      assert.is(status.code, 'invalidArgument');
      assert.is(status.param, param);
      assert.match(status.message, `${param} is ${value};`);
    }
  }
});

test('biases are of known tokens and within bounds', () => {
  checkSampling({ logitBias: [[9, 100]] }, 10);
  const cases: [RegExp, [number, number][]][] = [
    [/logit_bias is token 10; ids from 0 to 9 expected/, [[10, 1]]],
    [/token -1/, [[-1, 1]]],
    [/token 0.5/, [[0.5, 1]]],
    [/logit_bias is 101 for token 3/, [[3, 101]]],
    [/NaN for token 3/, [[3, NaN]]],
    [/4097 tokens; at most 4096/, Array.from({ length: 4097 }, () => [1, 1])],
  ];
  for (const [message, logitBias] of cases) {
    const status = refusal(() => checkSampling({ logitBias }, 10));
    assert.match(status.message, message);
    assert.is(status.param, 'logit_bias');
  }
});

test('what a package prefers is read back as it was written', () => {
  assert.equal(checkDefaults(encodeSampling(all, {}), 10), all);
  assert.equal(checkDefaults(table(...nothing(), NaN), 10), {});
  assert.equal(checkDefaults(table(...nothing(), 0), 10), {});
  const silent = nothing();
  silent[0] = 0.7;
  silent[8] = -1;
  assert.equal(checkDefaults(table(...silent, 0), 10), { temperature: 0.7 });
});

test('a package that prefers the impossible is at fault', () => {
  const hot = nothing();
  hot[0] = -1;
  const cases: [RegExp, Uint8Array][] = [
    [/7 bytes; at least 10 f64 words/, new Uint8Array(7)],
    [/72 bytes; at least 10 f64 words/, table(...nothing())],
    [/12 words with 0 biases/, table(...nothing(), 0, 1, 1)],
    [/10 words with 1 biases/, table(...nothing(), 1)],
    [/11 words with NaN biases/, table(...nothing(), NaN, 1)],
    [/10 words with -1 biases/, table(...nothing(), -1)],
    [/temperature is -1;/, table(...hot, 0)],
    [/token 10; ids from 0 to 9/, table(...nothing(), 1, 10, 1)],
  ];
  for (const [message, bytes] of cases) {
    const status = refusal(() => checkDefaults(bytes, 10));
    assert.is(status.code, 'internal');
    assert.match(status.message, /^'request_defaults' of the package returned/);
    assert.match(status.message, message);
  }
});

test.run();
