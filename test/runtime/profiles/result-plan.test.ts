import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { collectRows, parseResultPlan } from '../../../runtime/profiles/result-plan.js';
import type { PlanLimits } from '../../../runtime/profiles/result-plan.js';
import { words } from './tables.js';

const limits: PlanLimits = {
  entry: 'prepare_batch',
  members: 2,
  outputBytes: 256,
  resultBytes: 64,
  rowsEach: 1,
};

test('control: a plan with reversed rows and padding', () => {
  const plan = parseResultPlan(words(128, 80, 1, 48, 32, 1, 0, 16), limits);
  assert.is(plan.physicalBytes, 128);
  assert.is(plan.liveBytes, 80);
  assert.equal(plan.members, [[{ offset: 48, width: 32 }], [{ offset: 0, width: 16 }]]);
  assert.equal(plan.snapshot, [
    { offset: 0, length: 16 },
    { offset: 48, length: 32 },
  ]);
});

test('every kind of invalid plan is refused and the entry is named', () => {
  const cases: [name: string, plan: Uint8Array, expected: RegExp][] = [
    ['no whole words', new Uint8Array(12), /12 bytes; tables are whole i64 words/],
    ['empty', new Uint8Array(0), /ends after 0 words, before the physical bytes/],
    ['no live prefix', words(128), /before the live prefix bytes/],
    ['physical 0', words(0, 0, 1, 0, 4, 1, 4, 4), /0 physical bytes; 1 to 256/],
    ['physical negative', words(-8, 0, 1, 0, 4, 1, 4, 4), /-8 physical bytes/],
    ['physical too large', words(260, 64, 1, 0, 4, 1, 4, 4), /260 physical bytes; 1 to 256 are/],
    ['far too large', words(2n ** 62n, 64, 1, 0, 4), /far outside of any size/],
    ['live above physical', words(128, 132, 1, 0, 4, 1, 4, 4), /132 bytes in an output of 128/],
    ['live negative', words(128, -1, 1, 0, 4, 1, 4, 4), /live prefix of -1/],
    ['a member missing', words(128, 64, 1, 0, 4), /before the number of rows of request 1/],
    ['a member too many', words(128, 64, 1, 0, 4, 1, 4, 4, 1, 8, 4), /3 words after the last of 2/],
    ['no row', words(128, 64, 0, 1, 4, 4), /0 rows for request 0; 1 expected/],
    ['two rows', words(128, 64, 2, 0, 4, 8, 4, 1, 4, 4), /2 rows for request 0/],
    ['negative rows', words(128, 64, -1, 1, 4, 4), /-1 rows/],
    ['a huge number of rows', words(128, 64, 2n ** 50n, 0, 4), /rows for request 0/],
    ['a row cut short', words(128, 64, 1, 0), /before the width of row 0 of request 0/],
    ['width 0', words(128, 64, 1, 0, 0, 1, 4, 4), /width 0 for row 0 of request 0/],
    ['width negative', words(128, 64, 1, 0, -4, 1, 4, 4), /width -4/],
    ['width no multiple of 4', words(128, 64, 1, 0, 6, 1, 8, 4), /width 6/],
    ['offset negative', words(128, 64, 1, -4, 4, 1, 4, 4), /at bytes -4 to 0/],
    ['offset no multiple of 4', words(128, 64, 1, 2, 4, 1, 8, 4), /multiples of 4/],
    ['row behind the live prefix', words(128, 64, 1, 0, 4, 1, 64, 4), /bytes 64 to 68; the live/],
    ['row across the prefix', words(128, 64, 1, 0, 4, 1, 60, 8), /bytes 60 to 68/],
    ['the same row twice', words(128, 64, 1, 0, 8, 1, 0, 8), /overlap at byte 0/],
    ['rows overlap', words(128, 64, 1, 0, 8, 1, 4, 8), /overlap at byte 4/],
    [
      'results too large',
      words(256, 256, 1, 0, 64, 1, 64, 4),
      /rows of 68 bytes together; at most 64/,
    ],
  ];
  for (const [name, plan, expected] of cases) {
    try {
      parseResultPlan(plan, limits);
      assert.unreachable(`${name} was accepted`);
    } catch (error) {
      assert.instance(error, StatusError, name);
      assert.match((error as Error).message, expected, name);
      assert.match((error as Error).message, /^'prepare_batch' of the package returned/);
      assert.is((error as StatusError).code, 'internal');
      assert.is((error as StatusError).status.where, 'prepare_batch');
    }
  }
});

test('several rows a request are possible where the profile says so', () => {
  const plan = parseResultPlan(words(128, 64, 2, 0, 8, 16, 8, 1, 8, 8), {
    ...limits,
    rowsEach: null,
  });
  assert.equal(plan.members[0], [
    { offset: 0, width: 8 },
    { offset: 16, width: 8 },
  ]);
  assert.equal(plan.snapshot, [{ offset: 0, length: 24 }]);
});

test('collecting gives each member the bytes of its rows, whatever the layout', () => {
  const layout = fc
    .array(
      fc.record({ width: fc.integer({ min: 1, max: 6 }), gap: fc.integer({ min: 0, max: 3 }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .chain((rows) => fc.record({ rows: fc.constant(rows), seed: fc.integer() }));
  fc.assert(
    fc.property(layout, ({ rows, seed }) => {
      let at = 0;
      const places = rows.map(({ width, gap }) => {
        at += gap * 4;
        const place = { offset: at, width: width * 4 };
        at += width * 4;
        return place;
      });
      // Any order of members over the physical rows.
      const order = places.map((_, index) => index);
      order.sort((left, right) => ((left * 7919 + seed) % 13) - ((right * 7919 + seed) % 13));
      const table = order.flatMap((index) => [1, places[index]!.offset, places[index]!.width]);
      const plan = parseResultPlan(words(at, at, ...table), {
        ...limits,
        members: order.length,
        outputBytes: at,
        resultBytes: at,
      });
      const output = Float32Array.from({ length: at / 4 }, (_, index) => index + 0.5);
      const bytes = new Uint8Array(output.buffer);
      const snapshot = Buffer.concat(
        plan.snapshot.map(({ offset, length }) => bytes.subarray(offset, offset + length)),
      );
      collectRows(plan, snapshot).forEach((collected, member) => {
        const { offset, width } = places[order[member]!]!;
        assert.ok('rows' in collected);
        assert.equal(collected.rows, bytes.slice(offset, offset + width));
      });
    }),
  );
});

test('a value that is not finite fails its own member only', () => {
  const plan = parseResultPlan(words(16, 16, 1, 0, 8, 1, 8, 8), limits);
  for (const bad of [NaN, Infinity, -Infinity]) {
    const output = Float32Array.of(1, 2, 3, bad);
    const [first, second] = collectRows(plan, new Uint8Array(output.buffer));
    assert.ok('rows' in first!);
    assert.ok('status' in second!);
    assert.match(second.status.message, /value 1 of the result is/);
    assert.is(second.status.where, 'run');
  }
  const edge = Float32Array.of(3.4028234663852886e38, -0, 1e-45, 0);
  assert.ok(collectRows(plan, new Uint8Array(edge.buffer)).every((entry) => 'rows' in entry));
});

test('small rows lie in one buffer; large ones each in a buffer that can be moved', () => {
  for (const [width, buffers] of [
    [1024, 1],
    [64 * 1024, 2],
  ] as const) {
    const live = 2 * width;
    const plan = parseResultPlan(words(live, live, 1, width, width, 1, 0, width), {
      ...limits,
      ...{ outputBytes: live, resultBytes: live },
    });
    const snapshot = new Uint8Array(live).fill(7, width);
    const rows = collectRows(plan, snapshot).map((member) => 'rows' in member && member.rows);
    assert.equal(rows, [new Uint8Array(width).fill(7), new Uint8Array(width)]);
    assert.is(new Set(rows.map((row) => row && row.buffer)).size, buffers);
  }
});

test('what was collected survives the snapshot', () => {
  const plan = parseResultPlan(words(8, 8, 1, 0, 4, 1, 4, 4), limits);
  const snapshot = new Uint8Array(Float32Array.of(1, 2).buffer);
  const collected = collectRows(plan, snapshot);
  snapshot.fill(0);
  assert.ok('rows' in collected[1]!);
  assert.is(new Float32Array(collected[1].rows.slice().buffer)[0], 2);
});

test.run();
