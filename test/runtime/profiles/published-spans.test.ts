/** What `publish_epoch` may say of an epoch, against tables written by hand. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPublished } from '../../../runtime/profiles/published-spans.js';
import type { Span } from '../../../runtime/profiles/text.js';
import { refusal } from '../refusal.js';
import { words } from './tables.js';

const VOCABULARY = 40;

const plain: Span = {
  row: 0,
  state: -1,
  first: 0,
  ids: [1, 2, 3],
  selects: true,
  drafts: 0,
  pages: [0],
  bound: new Uint8Array(0),
  counter: 0,
  history: [],
  mask: null,
  seed: 0n,
};

function details(...pairs: [id: number, logprob: number][]): Uint8Array {
  const view = new DataView(new ArrayBuffer(pairs.length * 16));
  pairs.forEach(([id, logprob], at) => {
    view.setBigInt64(at * 16, BigInt(id), true);
    view.setFloat64(at * 16 + 8, logprob, true);
  });
  return new Uint8Array(view.buffer);
}

const check = (span: Partial<Span>, table: Uint8Array, given: Uint8Array = new Uint8Array(0)) =>
  checkPublished({ table, details: given }, [{ ...plain, ...span }], { vocabulary: VOCABULARY });

function refused(action: () => unknown): string {
  const { message } = refusal(action);
  assert.match(message, /^'publish_epoch' of the package returned/);
  return message;
}

test('control: a selected token with details, and a span that selects nothing', () => {
  const spans = [plain, { ...plain, selects: false }];
  const table = words(3, 7, 16, 3, 3, -1, 0, 0);
  const given = details([9, 0], [7, -1.5], [3, -0.25], [7, -1.5]);
  assert.equal(checkPublished({ table, details: given }, spans, { vocabulary: VOCABULARY }), [
    {
      completed: 3,
      selected: 7,
      details: [
        { id: 7, logprob: -1.5 },
        { id: 3, logprob: -0.25 },
        { id: 7, logprob: -1.5 },
      ],
    },
    { completed: 3, selected: null, details: [] },
  ]);
});

test('any progress from the tokens that are no proposals to all of them is possible', () => {
  fc.assert(
    fc.property(
      fc.nat(9),
      fc.nat(9),
      fc.integer({ min: -2, max: 12 }),
      (sure, drafts, completed) => {
        const span = { ids: new Array<number>(1 + sure + drafts).fill(5), drafts };
        const isRight = completed >= 1 + sure && completed <= 1 + sure + drafts;
        const run = () => check(span, words(completed, 4, 0, 0));
        if (isRight) assert.equal(run(), [{ completed, selected: 4, details: [] }]);
        else assert.match(refused(run), `for span 0: ${completed} completed tokens`);
      },
    ),
  );
});

test('a mask rules ids out, but not behind proposals', () => {
  fc.assert(
    fc.property(
      fc.nat(VOCABULARY - 1),
      fc.uint32Array({ minLength: 2, maxLength: 2 }),
      (id, mask) => {
        const may = ((BigInt(mask[1]!) << 32n) | BigInt(mask[0]!)) & (1n << BigInt(id));
        const run = () => check({ mask }, words(3, id, 0, 0));
        if (may !== 0n) assert.is(run()[0]!.selected, id);
        else assert.match(refused(run), `the selected id ${id}, which its mask rules out`);
      },
    ),
  );
  const drafted = { mask: new Uint32Array(2), drafts: 1 };
  assert.is(check(drafted, words(3, 8, 0, 0))[0]!.selected, 8);
});

test('everything else is refused, and the span named', () => {
  const two = details([7, -0.5], [3, -0.25]);
  const cases: [RegExp, Partial<Span>, Uint8Array, Uint8Array?][] = [
    [/24 bytes for 1 spans; four i64 words each/, {}, words(3, 7, 0)],
    [/64 bytes for 1 spans/, {}, words(3, 7, 0, 0, 3, 7, 0, 0)],
    [/far outside of any size/, {}, words(2n ** 60n, 7, 0, 0)],
    [/selected id -1; ids are 0 to 39/, {}, words(3, -1, 0, 0)],
    [/selected id 40; ids are 0 to 39/, {}, words(3, 40, 0, 0)],
    [/selected id 7, and the span selects nothing/, { selects: false }, words(3, 7, 0, 0)],
    [/details without a selected id/, { selects: false }, words(3, -1, 0, 1), two],
    [/details with proposals/, { drafts: 1 }, words(3, 7, 0, 1), two],
    [/2 details of 16 bytes from 16; the details have 32 bytes/, {}, words(3, 7, 16, 2), two],
    [/1 details of 16 bytes from -16/, {}, words(3, 7, -16, 1), two],
    [/-1 details/, {}, words(3, 7, 0, -1), two],
    [/details that begin with id 7; 8 was selected/, {}, words(3, 8, 0, 2), two],
    [/detail 1 with id 40/, {}, words(3, 7, 0, 2), details([7, -1], [40, -1])],
    [/detail 0 with id -3/, {}, words(3, 7, 0, 1), details([-3, -1])],
    [/detail 0 with the log probability NaN/, {}, words(3, 7, 0, 1), details([7, NaN])],
    [/log probability 0.5/, {}, words(3, 7, 0, 1), details([7, 0.5])],
    [/detail 2 that is likelier/, {}, words(3, 7, 0, 3), details([7, -9], [1, -2], [2, -1])],
  ];
  for (const [message, span, table, given] of cases) {
    assert.match(
      refused(() => check(span, table, given)),
      message,
    );
  }
});

test('what is impossible may be listed, and certainty may round up', () => {
  const [result] = check({}, words(3, 7, 0, 2), details([7, 1e-6], [1, -Infinity]));
  assert.equal(
    result!.details.map(({ logprob }) => logprob),
    [1e-6, -Infinity],
  );
});

test.run();
