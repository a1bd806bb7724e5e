import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import type { FiniteBody } from '../../../runtime/profiles/finite-request.js';
import { frameOf, memberCount } from '../../../runtime/profiles/finite-request.js';
import {
  checkForecast,
  forecastInput,
  forecastRefusal,
} from '../../../runtime/profiles/memory-forecast.js';
import { encodePacket } from '../../../runtime/profiles/request-packet.js';

const words = (bytes: Uint8Array): number[] =>
  [...new BigInt64Array(bytes.slice().buffer)].map(Number);

const inputs: FiniteBody = {
  profile: 'embeddings',
  inputs: [
    { kind: 'text', text: 'kůň' },
    { kind: 'tokens', tokens: [1, 2, 3] },
  ],
  dimensions: 0,
};

test('each member has a header: kind and bytes of its records, no payload', () => {
  const { ranges, descriptors } = forecastInput(inputs);
  assert.equal(words(ranges), [0, 32, 32, 32]);
  // Text of five bytes, three ids; each with the number of dimensions.
  assert.equal(words(descriptors), [1, 5, 3, 8, 2, 12, 3, 8]);
});

test('kinds and lengths are those that prepare_request will see', () => {
  const questions: FiniteBody = {
    profile: 'decisions',
    questions: [
      { kind: 'choice', text: 'which?', labels: ['a', 'ö', '🙂'], context: '\ud800 alone' },
      { kind: 'yes_no', text: '', context: '' },
    ],
  };
  for (const body of [inputs, questions]) {
    const { ranges, descriptors } = forecastInput(body);
    const [table, headers] = [words(ranges), words(descriptors)];
    assert.is(table.length, 2 * memberCount(body));
    for (let member = 0; member < memberCount(body); member += 1) {
      const packet = encodePacket(frameOf(body, member).records);
      const [count, ...rows] = words(packet.subarray(0, packet.length & ~7));
      const first = table[2 * member]! / 8;
      assert.is(table[2 * member + 1], count! * 16);
      for (let record = 0; record < count!; record += 1) {
        const expected = [rows[3 * record], rows[3 * record + 2]];
        assert.equal(headers.slice(first + 2 * record, first + 2 * record + 2), expected);
      }
    }
  }
});

test('estimates are bytes from 0', () => {
  assert.equal(checkForecast('estimate', [1n, 0n, 2n ** 40n]), {
    privatePeak: 1,
    retained: 0,
    expanded: 2 ** 40,
  });
  const cases: [results: bigint[], expected: RegExp][] = [
    [[-1n, 0n, 0n], /'estimate' of the package returned private_peak = -1; bytes from 0/],
    [[0n, -5n, 0n], /retained = -5/],
    [[0n, 0n, -(2n ** 63n)], /expanded = -9223372036854775808/],
    [[2n ** 62n, 0n, 0n], /private_peak = 4611686018427387904/],
  ];
  for (const [results, expected] of cases) {
    assert.throws(
      () => checkForecast('estimate', results),
      (error: unknown) => expected.test(toStatus(error).message),
    );
  }
});

test('what is above the limit in all can never fit; what meets it can', () => {
  const forecast = { privatePeak: 600, retained: 300, expanded: 100 };
  assert.is(forecastRefusal(forecast, 1000), null);
  const refusal = forecastRefusal(forecast, 999)!;
  assert.is(refusal.code, 'resourceExhausted');
  assert.match(refusal.message, /never fit: .* 1000 bytes .*600 .*300 .*100 .* 999 \(--memory\)/);
});

test.run();
