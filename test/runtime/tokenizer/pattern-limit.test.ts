/** Patterns of a tokenizer.json that never end on some texts: the call fails, others go on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasPatterns } from '../../../runtime/tokenizer/pattern-limit.js';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { refusal } from '../refusal.js';
import { decode, encode, withSpecial } from './tokenizer-files.js';

const endless = { Regex: '(a+)+b|(?:(?:x|x)*)*y' };
const model = { type: 'WordLevel', vocab: { '?': 0, ab: 1, xy: 2 }, unk_token: '?' };
const long = 'a'.repeat(60);

const tokenizerOf = (steps: object): Tokenizer =>
  new Tokenizer(new TextEncoder().encode(JSON.stringify({ model, ...steps })), 'test.json', 100);

const split = { type: 'Split', pattern: endless, behavior: 'Isolated', invert: false };

for (const [where, steps] of Object.entries({
  'words are cut': { pre_tokenizer: split },
  'words of words are cut': { pre_tokenizer: { type: 'Sequence', pretokenizers: [split] } },
  'a text is normalized': { normalizer: { type: 'Replace', pattern: endless, content: '!' } },
})) {
  test(`a pattern without end where ${where}: refused by time, the next text is read`, () => {
    const tokenizer = tokenizerOf(steps);
    for (const text of [long, 'x'.repeat(60)]) {
      const { code, message } = refusal(() => encode(tokenizer, text));
      assert.is(code, 'resourceExhausted');
      assert.match(message, /patterns of test\.json were not done with 60 characters after 100 ms/);
    }
    assert.equal(encode(tokenizer, 'a', { flags: withSpecial }), [0]);
  });
}

test('a pattern without end where ids become text', () => {
  const vocab = { [long]: 0, ab: 1 };
  const decoder = { type: 'Replace', pattern: endless, content: '!' };
  const tokenizer = tokenizerOf({ model: { ...model, vocab, unk_token: null }, decoder });
  assert.is(refusal(() => decode(tokenizer, [1, 0])).code, 'resourceExhausted');
  assert.is(decode(tokenizer, [1]), '!');
});

test('a pattern without end over a token that was added', () => {
  const added = [{ id: 3, content: long, normalized: true }];
  const normalizer = { type: 'Replace', pattern: endless, content: '!' };
  const { code, message } = refusal(() => tokenizerOf({ normalizer, added_tokens: added }));
  assert.is(code, 'invalidArgument');
  assert.match(message, /no usable tokenizer\.json: the patterns of test\.json were not done/);
});

test('control: words are those of the pattern, and only patterns count as such', () => {
  assert.equal(encode(tokenizerOf({ pre_tokenizer: split }), 'abxyab'), [1, 2, 1]);
  assert.ok(hasPatterns({ type: 'Sequence', pretokenizers: [split] }));
  assert.not(hasPatterns([null, { type: 'Split', pattern: { String: 'Regex' } }]));
});

test.run();
