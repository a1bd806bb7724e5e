import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceRange } from '../../../runtime/hal/buffer.js';
import { Fence } from '../../../runtime/hal/fence.js';
import type { SlabMemory, StorageFamily } from '../../../runtime/hal/pool.js';
import { Timeline } from '../../../runtime/hal/timeline.js';
import { POISON_BYTE, SlabPool } from '../../../runtime/memory/slab-pool.js';

/** Slab memory that records what is filled, and holds real bytes. */
class FakeMemory implements SlabMemory {
  readonly slabs: number;
  readonly slabBytesMax: number;
  readonly fills: string[] = [];
  bytes = 0;

  constructor(slabBytesMax: number, slabs = 1) {
    this.slabs = slabs;
    this.slabBytesMax = slabBytesMax;
  }

  serves(_slab: number, _family: StorageFamily): boolean {
    return true;
  }

  slabBytes(): number {
    return this.bytes;
  }

  grow(_: number, bytes: number): boolean {
    if (bytes > this.slabBytesMax) return false;
    this.bytes = bytes;
    return true;
  }

  window(): null {
    return null;
  }

  fill({ offset, length }: DeviceRange, byte: number): void {
    this.fills.push(`${offset}+${length}=${byte}`);
  }
}

const place = (pool: SlabPool, bytes: number, deployment: string): DeviceRange => {
  const range = pool.allocate(bytes, deployment);
  assert.ok(range);
  return range;
};

test('grows up to the limit of the memory and not beyond', () => {
  const memory = new FakeMemory(1024);
  const pool = new SlabPool(memory);
  const first = place(pool, 700, 'a');
  assert.is(first.length, 768);
  assert.is(memory.bytes, 1024);
  assert.is(pool.allocate(512, 'a'), null);
  assert.is(pool.usedBytes, 768);
  pool.release(first, null);
  assert.is(place(pool, 1024, 'a').length, 1024);
});

test('clears a range exactly when it passes to another deployment', () => {
  const memory = new FakeMemory(1024);
  const pool = new SlabPool(memory);
  pool.release(place(pool, 256, 'a'), null);
  pool.release(place(pool, 256, 'a'), null);
  assert.equal(memory.fills, []);
  pool.release(place(pool, 256, 'b'), null);
  assert.equal(memory.fills, ['0+256=0']);
});

test('zeros are made of what is not zero, whoever had it', () => {
  const memory = new FakeMemory(1024);
  const pool = new SlabPool(memory, { poison: true });
  const zeros = () => pool.allocate(256, 'null', 'mutable', 'zeros')!;
  const first = zeros();
  assert.equal(memory.fills, [], 'zero since the slab grew');
  pool.release(first, null);
  pool.release(zeros(), null);
  assert.equal(memory.fills, ['0+256=0'], 'its own bytes');
});

test('takes a range back only when its fence has settled, reached or failed', () => {
  for (const failure of [null, { code: 'internal', message: 'broken' } as const]) {
    const pool = new SlabPool(new FakeMemory(256));
    const timeline = new Timeline('t');
    const range = place(pool, 256, 'a');
    pool.release(range, Fence.at(timeline, timeline.issue()));
    assert.is(pool.allocate(256, 'a'), null, 'still in use');
    timeline.settle(1, failure);
    assert.is(place(pool, 256, 'a').offset, range.offset);
  }
});

test('poison lies in everything that is handed out', () => {
  const memory = new FakeMemory(1024);
  const pool = new SlabPool(memory, { poison: true });
  place(pool, 300, 'a');
  assert.equal(memory.fills, [`0+512=${POISON_BYTE}`]);
});

test('releasing twice is a bug', () => {
  const pool = new SlabPool(new FakeMemory(1024));
  const range = place(pool, 1, 'a');
  pool.release(range, null);
  assert.throws(() => pool.release(range, null), /to be released once/);
});

test('a range lies in a slab that serves what it is for', () => {
  class Families extends FakeMemory {
    override serves(slab: number, family: StorageFamily): boolean {
      return slab === (family === 'constant' ? 0 : 1);
    }
  }
  const memory = new Families(4096, 2);
  const pool = new SlabPool(memory);
  for (const [family, slab] of [
    ['mutable', 1],
    ['constant', 0],
  ] as const) {
    assert.is(pool.allocate(256, 'a', family)!.slab, slab);
  }
});

test.run();
