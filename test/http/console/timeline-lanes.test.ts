import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deviceLanes, reach } from '../../../http/console/timeline-lanes.js';
import { WorkLog } from '../../../http/console/work-log.js';
import type { WorkRecord } from '../../../http/console/wire.js';

const work = (invocation: string, acceptedMs: number, retiredMs: number | null): WorkRecord => {
  const startedMs = retiredMs === null ? null : acceptedMs;
  const device = 'device:/d';
  return { type: 'work', device, invocation, acceptedMs, startedMs, retiredMs, failed: false };
};

test('a work that is told twice is one, with the life of its submitter', () => {
  const log = new WorkLog();
  const [actor, parent] = ['m:/c/1', 'm:/'];
  log.add({ type: 'spawn', atMs: 1, actor, parent, incarnation: 0 });
  log.add(work(actor, 2, null));
  assert.is(log.between(0, 10)[0]?.retiredMs, null);
  // Two clocks told it.
  log.add(work(actor, 2.1, 5));
  log.add({ type: 'stop', atMs: 6, actor, reason: { kind: 'finished' } });
  const works = log.between(0, 10);
  assert.is(works.length, 1);
  assert.is(works[0]!.retiredMs, 5);
  assert.equal(reach(works[0]!, 100), [1, 6]);
  log.add(work(actor, 2, null));
  assert.is(log.between(0, 10)[0]!.retiredMs, 5, 'told in the wrong order');
});

test('a work whose retirement was lost ends with its submitter', () => {
  const log = new WorkLog();
  const [actor, parent] = ['m:/c/1', 'm:/'];
  log.add({ type: 'spawn', atMs: 1, actor, parent, incarnation: 0 });
  log.add(work(actor, 2, null));
  assert.equal(reach(log.between(0, 10)[0]!, 100), [1, 100]);
  log.add({ type: 'stop', atMs: 6, actor, reason: { kind: 'finished' } });
  assert.equal(reach(log.between(0, 10)[0]!, 100), [1, 6]);
  assert.equal(log.between(7, 10), []);
});

test('works that do not touch the time are not given', () => {
  const log = new WorkLog();
  for (const at of [10, 20, 30]) log.add(work(`c/${at}`, at, at + 5));
  log.add(work('open', 1, null));
  const names = (fromMs: number, toMs: number): string[] =>
    log.between(fromMs, toMs).map(({ invocation }) => invocation);
  assert.equal(names(16, 29), ['open', 'c/20']);
  assert.equal(names(15, 20), ['open', 'c/10', 'c/20']);
  assert.equal(names(-5, 0), []);
});

test('the oldest works give way', () => {
  const log = new WorkLog(10);
  for (let at = 0; at < 50; at += 1) log.add(work(`c/${at}`, at, at + 1));
  assert.equal(log.between(0, 100).map(({ acceptedMs }) => acceptedMs)[0], 40);
});

test('no two works of a lane overlap, and no lane is more than the busiest moment needs', () => {
  const spans = fc.array(fc.record({ at: fc.nat(50), ms: fc.nat(20) }), { maxLength: 30 });
  fc.assert(
    fc.property(spans, (list) => {
      const works = list.map(({ at, ms }, index) => ({
        ...work(`c/${index}`, at, at + ms),
        life: null,
      }));
      const [device] = deviceLanes(works, 100, 0.5);
      const laid = device?.works ?? [];
      assert.is(laid.length, works.length);
      for (const [index, left] of laid.entries()) {
        for (const right of laid.slice(index + 1)) {
          if (left.lane !== right.lane) continue;
          assert.ok(left.work.retiredMs! + 0.5 <= right.work.acceptedMs);
        }
      }
      // Times are whole: a bar and its gap cover every whole moment from its start to its end.
      const busiest = Math.max(
        0,
        ...Array.from({ length: 71 }, (_, moment) => {
          const covers = ({ at, ms }: { at: number; ms: number }): boolean =>
            at <= moment && moment < at + ms + 0.5;
          return list.filter(covers).length;
        }),
      );
      assert.is(device?.lanes ?? 0, busiest);
    }),
  );
});

test.run();
