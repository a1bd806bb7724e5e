import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChurnMap, ChurnSet } from '../../../runtime/base/churn-map.js';
import fc from '../../properties.js';

/** Few keys and long runs, so that maps are made anew many times. */
const moves = fc.array(
  fc.record({ kind: fc.constantFrom('set', 'delete', 'delete'), key: fc.nat({ max: 90 }) }),
  { minLength: 200, maxLength: 800 },
);

test('a map under any churn is a Map, in its order too', () => {
  fc.assert(
    fc.property(moves, (run) => {
      const ours = new ChurnMap<number, number>();
      const theirs = new Map<number, number>();
      for (const [at, { kind, key }] of run.entries()) {
        if (kind === 'set') {
          ours.set(key, at);
          theirs.set(key, at);
        } else assert.is(ours.delete(key), theirs.delete(key));
        assert.is(ours.size, theirs.size);
        assert.is(ours.get(key), theirs.get(key));
        assert.is(ours.has(key), theirs.has(key));
      }
      assert.equal([...ours], [...theirs]);
      assert.equal(ours.keys(), [...theirs.keys()]);
      assert.equal(ours.values(), [...theirs.values()]);
    }),
  );
});

test('a set keeps each value once, in order', () => {
  const set = new ChurnSet<string>();
  for (let round = 0; round < 300; round += 1) {
    set.add('first').add(`${round}`).add(`${round}`);
    if (round > 1) assert.ok(set.delete(`${round - 2}`));
  }
  assert.not.ok(set.delete('0'));
  assert.ok(set.has('first') && !set.has('0'));
  assert.is(set.size, 3);
  assert.equal([...set], ['first', '298', '299']);
});

test('what is listed may be changed meanwhile: each entry comes once', () => {
  const map = new ChurnMap<number, number>();
  for (let key = 0; key < 500; key += 1) map.set(key, key);
  const seen: number[] = [];
  for (const [key] of map) {
    seen.push(key);
    map.delete(key);
    map.set(key + 1000, 0);
  }
  assert.is(seen.length, 500);
  assert.is(new Set(seen).size, 500);
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of the old space that entries gone by leave behind, while 64 are there at a time. */
function leftBehind(map: ChurnMap<number, object>): number {
  const oldSpace = (): number =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size;
  const churn = (from: number, to: number): void => {
    for (let key = from; key < to; key += 1) {
      map.set(key, new Array<number>(20).fill(key));
      map.delete(key - 64);
    }
  };
  churn(0, 100_000);
  collect();
  const before = oldSpace();
  churn(100_000, 400_000);
  return oldSpace() - before;
}

test('entries that are gone do not follow into the old space', () => {
  const map = new ChurnMap<number, object>();
  const bytes = leftBehind(map);
  assert.is(map.size, 64);
  assert.ok(bytes < 2 ** 20, `${bytes} bytes of garbage in the old space`);
});

test.run();
