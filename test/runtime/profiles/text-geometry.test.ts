/** What `prepare` of a package with retained rows may declare, and what is refused. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkShapes, checkTextPrepare } from '../../../runtime/profiles/text-geometry.js';
import type { TextPrepareResults } from '../../../runtime/profiles/text-geometry.js';
import { refusal } from '../refusal.js';
import { words } from './tables.js';

const valid: TextPrepareResults = {
  rows: 4n,
  tokens: 8n,
  spans: 3n,
  context: 33n,
  storage: words(4, 16, 9, 8, 6),
  packets: words(100, 160, 64, 12, 5, 50),
  terminal: words(1, 49),
};

test('control: every result is where it belongs', () => {
  assert.equal(checkTextPrepare(valid, 1), {
    rows: 4,
    tokens: 8,
    spans: 3,
    context: 33,
    pageTokens: 4,
    pageBytes: 16,
    pages: 9,
    stateBytes: 8,
    states: 6,
    metadataBytes: 100,
    inputBytes: 160,
    residualBytes: 64,
    feedbackBytes: 12,
    outputs: 5,
    vocabulary: 50,
    terminal: [1, 49],
  });
});

test('a package may do without states, outputs, packets and an end', () => {
  const results = {
    ...valid,
    storage: words(4, 16, 9, 0, 0),
    packets: words(0, 0, 0, 0, 0, 1),
    terminal: words(),
  };
  const bare = checkTextPrepare(results, 0);
  assert.is(bare.states, 0);
  assert.equal(bare.terminal, []);
});

test('what is to speak has an output', () => {
  const packets = words(100, 160, 64, 12, 0, 50);
  const status = refusal(() => checkTextPrepare({ ...valid, packets }, 1));
  assert.match(status.message, /^'prepare' .* outputs of an epoch = 0; 1 to 2147483647 expected/);
});

test('the most rows, pages and states', () => {
  const many = { rows: 2n ** 16n, storage: words(4, 16, 2 ** 20, 8, 2 ** 20) };
  const { rows, pages, states } = checkTextPrepare({ ...valid, ...many }, 1);
  assert.equal([rows, pages, states], [65_536, 1_048_576, 1_048_576]);
});

test('everything else is refused, with what was given and what is possible', () => {
  const cases: [RegExp, Partial<TextPrepareResults>][] = [
    [/rows = 0; 1 to 65536 expected/, { rows: 0n }],
    [/rows = 65537; 1 to 65536 expected/, { rows: 65_537n }],
    [/tokens = -1; 1 to/, { tokens: -1n }],
    [/spans = 2147483648; 1 to 2147483647/, { spans: 2n ** 31n }],
    [/context = 9223372036854775807, which is far outside/, { context: 2n ** 63n - 1n }],
    [/storage of 32 bytes; 5 i64 words expected/, { storage: words(4, 16, 9, 8) }],
    [/storage of 41 bytes; 5 i64/, { storage: new Uint8Array(41) }],
    [/tokens of a page = 0;/, { storage: words(0, 16, 9, 8, 6) }],
    [/bytes of a page = 15; 16 to/, { storage: words(4, 15, 9, 8, 6) }],
    [/pages = 0;/, { storage: words(4, 16, 0, 8, 6) }],
    [/pages = 300000000; 1 to 1048576 expected/, { storage: words(4, 16, 3e8, 8, 6) }],
    [/states = 1048577; 0 to 1048576 expected/, { storage: words(4, 16, 9, 8, 2 ** 20 + 1) }],
    [
      /8 pages of 4 tokens; one row of 33 tokens \(context\) takes 9/,
      { storage: words(4, 16, 8, 8, 6) },
    ],
    [/bytes of a state = -8;/, { storage: words(4, 16, 9, -8, 6) }],
    [/3 states of 8 bytes; at least one for each of 4 rows/, { storage: words(4, 16, 9, 8, 3) }],
    [/3 states of 0 bytes; none expected/, { storage: words(4, 16, 9, 0, 3) }],
    [/pages of \d+ bytes together; at most/, { storage: words(4, 2 ** 40, 9, 8, 6) }],
    [/states of \d+ bytes together; at most/, { storage: words(4, 16, 9, 2 ** 39, 6) }],
    [/packets of 56 bytes; 6 i64 words expected/, { packets: words(1, 1, 1, 1, 1, 1, 1) }],
    [/bytes of metadata = -1;/, { packets: words(-1, 160, 64, 12, 5, 50) }],
    [/bytes of input = 1073741825; 0 to/, { packets: words(1, 2 ** 30 + 1, 64, 12, 5, 50) }],
    [/bytes of the residual = -4;/, { packets: words(1, 1, -4, 12, 5, 50) }],
    [/bytes of one output's feedback = -1;/, { packets: words(1, 1, 1, -1, 5, 50) }],
    [/outputs of an epoch = -1;/, { packets: words(1, 1, 1, 1, -1, 50) }],
    [/tokens known = 0; 1 to/, { packets: words(1, 1, 1, 1, 1, 0) }],
    [/1000000 outputs with 1000000 bytes of feedback/, { packets: words(1, 1, 1, 1e6, 1e6, 5) }],
    [/terminal id 0 = 50; 0 to 49 expected/, { terminal: words(50) }],
    [/terminal id 1 = -1;/, { terminal: words(3, -1) }],
    [/a table of 7 bytes/, { terminal: new Uint8Array(7) }],
  ];
  for (const [message, change] of cases) {
    const status = refusal(() => checkTextPrepare({ ...valid, ...change }, 1));
    assert.match(status.message, message);
    assert.match(status.message, /^'prepare' of the package returned/);
    assert.is(status.code, 'internal');
  }
});

test('one stage takes the largest epoch', () => {
  assert.equal(checkShapes([1n, 16n, 8n], 16), [1, 16, 8]);
  assert.match(
    refusal(() => checkShapes([1n, 8n], 16)).message,
    /tokens = 16, and stages for 1, 8; a stage's tag is the tokens/,
  );
  assert.match(refusal(() => checkShapes([], 16)).message, /stages for none/);
  assert.match(refusal(() => checkShapes([16n, 0n], 16)).message, /the tag of stage 1 = 0/);
});

test.run();
