import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { gatherRanges } from '../../../runtime/parameters/gather-descriptors.js';
import { descriptorBytes, type Descriptor } from './descriptor-bytes.js';

const entryOf = (bytes: number) => ({ key: 'table', source: 0, shard: 0, offset: 1000, bytes });

function ranges(rows: readonly Descriptor[], entryBytes = 100, targetBytes = 50) {
  return gatherRanges(descriptorBytes(rows), entryOf(entryBytes), targetBytes);
}

function refusal(rows: readonly Descriptor[], entryBytes = 100, targetBytes = 50) {
  try {
    ranges(rows, entryBytes, targetBytes);
  } catch (error) {
    const { code, message } = toStatus(error);
    return { code, message };
  }
  return null;
}

test('control: ranges come in the order of their descriptors', () => {
  assert.equal(
    ranges([
      [90n, 0n, 10n],
      [0n, 40n, 10n],
      [0n, 10n, 30n],
    ]),
    [
      { from: 90, to: 0, length: 10 },
      { from: 0, to: 40, length: 10 },
      { from: 0, to: 10, length: 30 },
    ],
  );
});

test('what transfers nothing is left out, wherever it points', () => {
  const far = 2n ** 64n - 1n;
  assert.equal(ranges([]), []);
  const rows: Descriptor[] = [
    [far, far, 0n],
    [0n, 0n, 5n],
    [3n, 2n, 0n],
  ];
  assert.equal(ranges(rows), [{ from: 0, to: 0, length: 5 }]);
});

test('sums beyond 64 bits are beyond the entry, not inside it', () => {
  const most = 2n ** 64n - 1n;
  const cases: [row: Descriptor, expected: RegExp][] = [
    [[most, 0n, 2n], /descriptor 0 reads up to byte 18446744073709551617 of entry 'table', .* 100/],
    [[2n, 0n, most], /descriptor 0 reads up to byte 18446744073709551617/],
    [[0n, most, 2n], /descriptor 0 writes up to byte 18446744073709551617 of the target, .* 50/],
    [[2n ** 63n, 0n, 2n ** 63n], /up to byte 18446744073709551616/],
  ];
  for (const [row, expected] of cases) {
    const { code, message } = refusal([row])!;
    assert.is(code, 'internal');
    assert.match(message, expected);
  }
});

test('one byte beyond entry or target is told, and with which descriptor', () => {
  assert.is(refusal([[90n, 40n, 10n]]), null);
  assert.match(
    refusal([
      [0n, 0n, 1n],
      [91n, 40n, 10n],
    ])!.message,
    /descriptor 1 reads .* 101 /,
  );
  assert.match(
    refusal([
      [0n, 0n, 1n],
      [90n, 41n, 10n],
    ])!.message,
    /descriptor 1 writes .* 51 /,
  );
});

test('two that write one byte are refused; the same source twice is not', () => {
  assert.is(
    refusal([
      [0n, 0n, 10n],
      [0n, 10n, 10n],
    ]),
    null,
  );
  const { code, message } = refusal([
    [0n, 20n, 10n],
    [50n, 11n, 10n],
  ])!;
  assert.is(code, 'internal');
  assert.match(message, /two descriptors write byte 20 of the target: one covers 11 to 21/);
});

/** Byte by byte: what the target holds, or null where the descriptors are refused. */
function slow(rows: readonly Descriptor[], entry: Uint8Array, target: Uint8Array) {
  const written = new Set<number>();
  for (const [from, to, length] of rows) {
    for (let at = 0n; at < length; at += 1n) {
      if (from + at >= BigInt(entry.length) || to + at >= BigInt(target.length)) return null;
      if (written.has(Number(to + at))) return null;
      written.add(Number(to + at));
      target[Number(to + at)] = entry[Number(from + at)]!;
    }
  }
  return target;
}

test('any descriptors are taken exactly when a copy byte by byte can be made', () => {
  const small = fc.bigInt({ min: 0n, max: 24n });
  const length = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 8n }));
  const row = fc.tuple(small, small, length);
  let taken = 0;
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const entry = Uint8Array.from({ length: 20 }, (_, at) => at + 1);
      const expected = slow(rows, entry, new Uint8Array(24));
      assert.is(refusal(rows, 20, 24) === null, expected !== null);
      if (expected === null) return;
      taken += 1;
      const found = new Uint8Array(24);
      for (const { from, to, length: bytes } of ranges(rows, 20, 24)) {
        found.set(entry.subarray(from, from + bytes), to);
      }
      assert.equal(found, expected);
    }),
    { numRuns: 600 },
  );
  assert.ok(taken > 100, 'enough were taken');
});

test.run();
