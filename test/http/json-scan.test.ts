/** What a body holds is bounded before it is parsed; the bounds count what the parser builds. */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../runtime/base/errors.js';
import { scanJson } from '../../http/json-scan.js';
import { errorOf, harness } from './harness.js';

const bounds = { elementsMax: 3, knob: '--max-batch N' };

function refusal(text: string): { message: string; param?: string } | null {
  try {
    scanJson(text, bounds);
    return null;
  } catch (error) {
    assert.instance(error, StatusError);
    return (error as StatusError).status;
  }
}

/** The law, from the parsed document: lists that are fields hold at most so many but numbers. */
function isWithin(document: unknown): boolean {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return true;
  return Object.values(document).every((value) => {
    if (!Array.isArray(value)) return true;
    const counted = value.filter((one) => typeof one === 'string' || typeof one === 'object');
    return counted.filter((one) => one !== null).length <= bounds.elementsMax;
  });
}

test('it counts what the parser builds, whatever strings and keys hold', () => {
  const odd = fc.constantFrom('"', '\\', '[', '{', '}', ']', ':', ',', '\\"', 'é', '\u2028', '');
  const text = fc.array(odd, { maxLength: 4 }).map((parts) => parts.join(''));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.constantFrom(1, -2.5, null, true),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  const space = fc.constantFrom(undefined, 1, '\t');
  let refused = 0;
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 5 }), space, (document, indent) => {
      const told = refusal(JSON.stringify(document, null, indent));
      assert.is(told === null, isWithin(document));
      if (told !== null) refused += 1;
    }),
    { numRuns: 1000, seed: 11 },
  );
  assert.ok(refused > 50, String(refused));
});

test('the field is named, and a list of numbers is one input', () => {
  const told = refusal('{ "model": "m", "input" : ["a", "b", ["c", "d"], {"e": 1}] }');
  assert.match(told?.message ?? '', /^input: has more than 3 elements.*--max-batch N/);
  assert.is(told?.param, 'input');
  assert.is(refusal(`{"input":[${'1,'.repeat(100_000)}2]}`), null);
  assert.is(refusal('{"input":["a","b","c"],"other":["a","b","c"]}'), null);
});

test('objects and inner lists have bounds of their own', () => {
  const fields = Array.from({ length: 5000 }, (_, index) => `"k${index}":1`).join(',');
  assert.match(refusal(`{${fields}}`)?.message ?? '', /an object .* more than 4096/);
  assert.match(refusal(`{"a":{"b":{${fields}}}}`)?.message ?? '', /an object .* more than 4096/);
  const inner = `["a"${',"a"'.repeat(5000)}]`;
  assert.match(refusal(`{"input":[${inner}]}`)?.message ?? '', /a list .* more than 4096/);
});

test('what is no JSON is left to the parser, however it ends', () => {
  const whole = '{"a":["b\\"c",{"d":[1]}],"e":"f"}';
  for (let end = 0; end <= whole.length; end += 1) {
    assert.is(refusal(whole.slice(0, end)), null);
    assert.is(refusal(whole.slice(end)), null);
  }
  for (const text of [']', '}}}}', '"', '"\\', ':', '::[', '[[[]']) assert.is(refusal(text), null);
});

test('a million inputs are refused without being built', async () => {
  const { post } = harness();
  for (const one of ['"a"', '[1]', '{}']) {
    const body = `{"model":"first-output","input":[${`${one},`.repeat(1_000_000)}${one}`;
    // It does not even end: a parser would have said so.
    const response = await post('/v1/embeddings', body);
    assert.is(response.status, 400);
    const { message, param } = await errorOf(response);
    assert.match(message, /^input: has more than 2048 elements/);
    assert.is(param, 'input');
  }
});

test.run();
