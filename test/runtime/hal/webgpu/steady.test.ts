/**
 * A WebGPU device that has worked for a while: the next thousands of submissions make no slab,
 * hold nothing, and leave memory where it was. (A longer run is in bench/webgpu/soak.bench.ts.)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tripled } from '../submissions.js';
import { onAdapter } from './adapter.js';
import { openFixture } from './open.js';

const WARM = 1500;
const MORE = 3000;
/** Less than a staging buffer (4 KiB) that is left behind each time. */
const GROWTH_MAX = 48 * 1024 * 1024;

onAdapter(
  test,
  'thousands of submissions leave slabs, ledgers and memory where they were',
  async () => {
    const fixture = await openFixture();
    const run = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        // Lengths vary, so ranges and their bind groups do.
        const values = Array.from({ length: 1 + (i % 7) * 40 }, (_, at) => i + at);
        const { failed } = await fixture.invoke(tripled(values));
        assert.is(failed, null);
      }
    };
    await run(WARM);
    const slabs = fixture.pool.slabBytes;
    const before = process.memoryUsage().rss;
    await run(MORE);
    const growth = process.memoryUsage().rss - before;
    assert.is(fixture.pool.slabBytes, slabs);
    assert.is(fixture.pool.usedBytes, 0);
    assert.is(fixture.ledger.bytes, 0);
    assert.is(fixture.budget.reservedBytes, 0);
    assert.ok(growth < GROWTH_MAX, `${growth} bytes more after ${MORE} submissions`);
    await fixture.close();
  },
);

test.run();
