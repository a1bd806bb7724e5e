/** Transfer plans: any valid one passes as it is, and each kind of damage is told. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkTransferPlan } from '../../../runtime/profiles/transfer-plan.js';
import { refusal } from '../refusal.js';
import { words } from './tables.js';

const sizes = { metadataBytes: 64, inputBytes: 100 };
const sizeOf = (binding: number): number => (binding === 0 ? 64 : 100);

type Record5 = readonly [number, number, number, number, number];

const check = (records: readonly Record5[]) => {
  const bytes = words(...records.flat());
  return checkTransferPlan({ bytes, offset: 0n, length: BigInt(bytes.length) }, sizes);
};

/** Targets cut from each side one after another; sources anywhere; empty records between. */
const plan: fc.Arbitrary<readonly Record5[]> = fc
  .array(
    fc.record({
      gap: fc.nat(7),
      length: fc.nat(12),
      source: fc.constantFrom(0, 1),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      isInput: fc.boolean(),
    }),
    { maxLength: 20 },
  )
  .map((pieces) => {
    const ends = [0, 0];
    const records: [number, number, number, number, number][] = [];
    for (const { gap, length, source, at, isInput } of pieces) {
      const target = isInput ? 1 : 0;
      const offset = ends[target]! + gap;
      if (offset + length > sizeOf(target)) continue;
      const sourceOffset = Math.floor(at * (sizeOf(source) - length));
      records.push([source, sourceOffset, target, offset, length]);
      ends[target] = offset + length;
    }
    return records.sort((left, right) => left[2] - right[2]);
  });

test('a valid plan passes as it is, without its empty records', () => {
  fc.assert(
    fc.property(plan, (records) => {
      const found = check(records).map((each) => Object.values(each));
      assert.equal(
        found,
        records.filter(([, , , , length]) => length > 0).map((record) => [...record]),
      );
    }),
    { numRuns: 300 },
  );
});

test('sources may be used again, out of order and across; empty records stand anywhere', () => {
  assert.is(check([]).length, 0);
  const records: Record5[] = [
    [1, 50, 0, 0, 8],
    [1, 50, 0, 8, 8],
    [0, 64, 0, 0, 0],
    [0, 0, 0, 40, 24],
    [0, 0, 1, 0, 64],
    [1, 0, 0, 3, 0],
    [1, 64, 1, 64, 36],
  ];
  assert.is(check(records).length, 5);
});

test('a plan lies anywhere in its buffer', () => {
  const bytes = new Uint8Array(100);
  bytes.set(words(0, 1, 1, 2, 3), 13);
  const found = checkTransferPlan({ bytes: bytes.subarray(5), offset: 8n, length: 40n }, sizes);
  assert.equal(found, [{ source: 0, sourceOffset: 1, target: 1, targetOffset: 2, length: 3 }]);
});

test('any valid plan with one damaged record is refused for that', () => {
  const damages: [RegExp, (record: Record5) => (number | bigint)[]][] = [
    [/source 2; 0 is metadata and 1 the input/, ([, a, b, c, d]) => [2, a, b, c, d]],
    [/target 2; 0 is metadata/, ([a, b, , c, d]) => [a, b, 2, c, d]],
    [/of its source; \w+ has/, ([a, , b, c, d]) => [a, sizeOf(a) - d + 1, b, c, d]],
    [/of its target; \w+ has/, ([a, b, c, , d]) => [a, b, c, sizeOf(c) - d + 1, d]],
    [/length = 18446744073709551615, which is far/, ([a, b, c, d]) => [a, b, c, d, -1n]],
    [/source offset = 9007199254740992, which/, ([a, , c, d, e]) => [a, 2n ** 53n, c, d, e]],
    [/target offset = 9223372036854775808/, ([a, b, c, , e]) => [a, b, c, -(2n ** 63n), e]],
  ];
  const some = plan.filter((records) => records.length > 0);
  fc.assert(
    fc.property(some, fc.nat(), fc.constantFrom(...damages), (records, pick, damage) => {
      const at = pick % records.length;
      const [message, change] = damage;
      const table = words(...records.flatMap((one, index) => (index === at ? change(one) : one)));
      const status = refusal(() =>
        checkTransferPlan({ bytes: table, offset: 0n, length: BigInt(table.length) }, sizes),
      );
      assert.match(status.message, message);
      assert.match(status.message, new RegExp(`'encode_epoch' of .* transfer ${at} with`));
    }),
    { numRuns: 200 },
  );
});

test('order and overlap of targets', () => {
  const cases: [RegExp, Record5[]][] = [
    [
      /transfer 1 with target 0 at 0 behind target 0 at 8/,
      [
        [0, 0, 0, 8, 4],
        [0, 0, 0, 0, 4],
      ],
    ],
    [
      /transfer 1 with target 0 at 60 behind target 1 at 0/,
      [
        [0, 0, 1, 0, 4],
        [0, 0, 0, 60, 4],
      ],
    ],
    [
      /transfer 1 with a target at 7, and one before it goes on to 8/,
      [
        [0, 0, 1, 0, 8],
        [0, 0, 1, 7, 1],
      ],
    ],
    [
      /transfer 1 with a target at 0, and one before it goes on to 8/,
      [
        [0, 0, 1, 0, 8],
        [0, 0, 1, 0, 8],
      ],
    ],
    // An empty record in between hides nothing.
    [
      /transfer 2 with a target at 7/,
      [
        [0, 0, 1, 0, 8],
        [0, 0, 0, 0, 0],
        [0, 0, 1, 7, 1],
      ],
    ],
  ];
  for (const [message, records] of cases) {
    assert.match(refusal(() => check(records)).message, message);
  }
});

test('an empty record is of the packets too', () => {
  assert.match(refusal(() => check([[0, 65, 0, 0, 0]])).message, /bytes 65 to 65 of its source/);
  assert.match(refusal(() => check([[0, 0, 3, 0, 0]])).message, /target 3/);
});

test('the place of the plan', () => {
  const bytes = words(0, 0, 0, 0, 1);
  const at = (offset: bigint, length: bigint) =>
    refusal(() => checkTransferPlan({ bytes, offset, length }, sizes)).message;
  assert.match(at(0n, 39n), /a transfer plan of 39 bytes; records of 40 bytes expected/);
  assert.match(at(1n, 40n), /at bytes 1 to 41 of a buffer of 40/);
  assert.match(at(-40n, 40n), /at bytes -40 to 0/);
  assert.match(at(0n, -40n), /at bytes 0 to -40/);
  assert.match(at(2n ** 62n, 2n ** 62n), /of a buffer of 40/);
  const huge = new Uint8Array(40 * (2 ** 20 + 1));
  assert.match(
    refusal(() =>
      checkTransferPlan({ bytes: huge, offset: 0n, length: BigInt(huge.length) }, sizes),
    ).message,
    /1048577 transfers; at most 1048576/,
  );
});

test.run();
