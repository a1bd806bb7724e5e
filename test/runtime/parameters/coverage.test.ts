import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Coverage } from '../../../runtime/parameters/coverage.js';

const end = 24;
const ranges = fc.array(fc.tuple(fc.nat({ max: end - 1 }), fc.integer({ min: 1, max: 6 })), {
  maxLength: 12,
});

test('ranges are taken exactly when they touch nothing that is taken', () => {
  fc.assert(
    fc.property(ranges, (rows) => {
      const coverage = new Coverage();
      const taken = new Array<boolean>(end + 6).fill(false);
      for (const [start, length] of rows) {
        const wanted = Array.from({ length }, (_, index) => start + index);
        const meets = wanted.some((at) => taken[at]);
        const overlap = coverage.add({ start, end: start + length });
        assert.is(overlap !== null, meets);
        if (overlap !== null) {
          assert.ok(overlap.start < start + length && overlap.end > start);
          for (let at = overlap.start; at < overlap.end; at += 1) assert.ok(taken[at]);
        } else for (const at of wanted) taken[at] = true;
      }
      const gap = coverage.firstGap(end);
      const first = taken.indexOf(false);
      if (first >= end) assert.is(gap, null);
      else {
        assert.is(gap!.start, first);
        assert.not(taken.slice(gap!.start, Math.min(gap!.end, end)).includes(true));
        assert.ok(gap!.end >= end || taken[gap!.end]);
      }
      assert.is(coverage.end, taken.lastIndexOf(true) + 1);
    }),
  );
});

test.run();
