/** A published page is written by nobody, until it has left the cache and is taken again. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Holds } from '../../../runtime/text/holds.js';
import { PagePool } from '../../../runtime/text/page-pool.js';
import type { PrefixNode, PrefixTree } from '../../../runtime/text/prefix-tree.js';

test('a page that has left the cache may be written by who takes it', () => {
  const resting: PrefixNode[] = [];
  const tree: Pick<PrefixTree, 'rest' | 'wake' | 'evict' | 'resting'> = {
    rest: (node) => void resting.push(node),
    wake: () => assert.unreachable('nobody comes back to it'),
    evict: () => resting.pop() ?? null,
    get resting() {
      return resting.length;
    },
  };
  const evicted: number[] = [];
  const pool = new PagePool({
    count: 1,
    holds: new Holds(),
    tree: tree as PrefixTree,
    onEvict: ({ page }) => void evicted.push(page),
  });
  const page = pool.take()!;
  assert.ok(pool.mayWrite(page));
  pool.publish({ page } as PrefixNode);
  assert.not(pool.mayWrite(page));
  assert.is(pool.take(), null);
  pool.release(page);
  assert.is(pool.counts().pagesCached, 1);
  assert.is(pool.take(), page);
  assert.equal(evicted, [page]);
  assert.ok(pool.mayWrite(page));
  pool.retain(page);
  assert.not(pool.mayWrite(page), 'two refer to it');
  assert.is(pool.counts().sharedPages, 1);
  pool.release(page);
  assert.is(pool.counts().sharedPages, 0);
});

test.run();
