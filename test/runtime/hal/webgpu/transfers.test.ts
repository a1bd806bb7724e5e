/** Transfers at any byte offset and length do what the same ones do to an array. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceCommand } from '../../../../runtime/hal/command.js';
import { subRange } from '../../../../runtime/hal/buffer.js';
import { onAdapter } from './adapter.js';
import { openFixture } from './open.js';

const BYTES = 96;

const place = fc.tuple(fc.nat(BYTES), fc.nat(BYTES)).map(([a, b]) => {
  return { offset: Math.min(a, b), length: Math.abs(a - b) };
});
const step = fc.oneof(
  fc.record({ op: fc.constant('upload' as const), at: place, seed: fc.nat(255) }),
  fc.record({ op: fc.constant('fill' as const), at: place, byte: fc.nat(255) }),
  fc.record({ op: fc.constant('copy' as const), at: place, to: fc.nat(BYTES) }),
);

onAdapter(test, 'odd transfers change the bytes that they name and no others', async () => {
  const fixture = await openFixture();
  const range = fixture.place(BYTES);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const model = new Uint8Array(BYTES).map((_, at) => at);
      const commands: DeviceCommand[] = [{ op: 'upload', target: range, bytes: model.slice() }];
      for (const each of steps) {
        const { offset, length } = each.at;
        const at = subRange(range, offset, length);
        if (each.op === 'upload') {
          const bytes = new Uint8Array(length).map((_, i) => each.seed + 7 * i);
          model.set(bytes, offset);
          commands.push({ op: 'upload', target: at, bytes });
        } else if (each.op === 'fill') {
          model.fill(each.byte, offset, offset + length);
          commands.push({ op: 'fill', target: at, byte: each.byte });
        } else {
          const isApart = each.to + length <= offset || each.to >= offset + length;
          if (!isApart || each.to + length > BYTES) continue;
          model.copyWithin(each.to, offset, offset + length);
          commands.push({ op: 'copy', source: at, target: subRange(range, each.to, length) });
        }
      }
      const reads = [0, 1, 3].map((offset) => {
        const into = new Uint8Array(BYTES - 2 * offset);
        commands.push({ op: 'readback', source: subRange(range, offset, into.length), into });
        return { offset, into };
      });
      assert.is((await fixture.work(commands).retired).failure, null);
      for (const { offset, into } of reads) {
        assert.equal([...into], [...model.subarray(offset, offset + into.length)]);
      }
    }),
    { numRuns: 60 },
  );
  await fixture.close();
});

onAdapter(test, 'large uploads of shared memory arrive whole, over several slabs', async () => {
  const fixture = await openFixture();
  const bytes = 9 * 1024 * 1024 + 4;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes)).map((_, at) => at ^ (at >>> 11));
  const ranges = [fixture.place(bytes), fixture.place(bytes), fixture.place(bytes)];
  assert.ok(new Set(ranges.map(({ slab }) => slab)).size > 1);
  for (const target of ranges.slice(0, 2)) {
    const outcome = await fixture.work([{ op: 'upload', target, bytes: shared }]).retired;
    assert.is(outcome.failure, null);
  }
  const [first, second, third] = ranges;
  await fixture.work([{ op: 'copy', source: first!, target: third! }]).retired;
  for (const range of [second!, third!]) {
    assert.is(Buffer.compare(await fixture.read(range), shared), 0);
  }
  await fixture.close();
});

test.run();
