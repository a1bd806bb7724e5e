import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StatusRecord } from '../../../runtime/base/errors.js';
import { Timeline } from '../../../runtime/hal/timeline.js';

const broken: StatusRecord = { code: 'dataLoss', message: 'broken' };

test('points are pending until they are reached, in order', () => {
  const timeline = new Timeline('t');
  assert.equal([timeline.issue(), timeline.issue()], [1, 2]);
  assert.is(timeline.state(0), 'reached');
  assert.is(timeline.state(1), 'pending');
  assert.throws(() => timeline.settle(2, null), /point 1 of t to settle next/);
  timeline.settle(1, null);
  assert.is(timeline.reached, 1);
  assert.equal([timeline.state(1), timeline.state(2)], ['reached', 'pending']);
  assert.throws(() => timeline.settle(1, null), /point 2 of t/);
  timeline.settle(2, null);
  assert.throws(() => timeline.settle(3, null), /to have been issued/);
});

test('failure is sticky for later points and leaves earlier ones alone', () => {
  const timeline = new Timeline('t');
  for (let i = 0; i < 4; i += 1) timeline.issue();
  timeline.settle(1, null);
  timeline.settle(2, broken);
  assert.is(timeline.state(1), 'reached');
  assert.equal(
    [2, 3, 4, 9].map((point) => timeline.state(point)),
    [broken, broken, broken, broken],
  );
  assert.is(timeline.reached, 1);
  assert.throws(() => timeline.settle(3, null), /to be reached after a failure/);
});

test('the first failure stays, whatever fails after it', () => {
  const timeline = new Timeline('t');
  timeline.issue();
  timeline.issue();
  timeline.settle(1, broken);
  timeline.settle(2, { code: 'internal', message: 'later' });
  assert.is(timeline.failure, broken);
  assert.is(timeline.state(2), broken);
});

test('each listener is called once, at once when its point has settled', () => {
  const timeline = new Timeline('t');
  const calls: string[] = [];
  for (let i = 0; i < 3; i += 1) timeline.issue();
  const listen = (name: string, point: number): void =>
    timeline.listen(point, (failure) => calls.push(`${name} ${failure?.code ?? 'reached'}`));
  listen('zero', 0);
  listen('one', 1);
  listen('three', 3);
  timeline.settle(1, null);
  listen('late', 1);
  timeline.settle(2, broken);
  listen('doomed', 3);
  timeline.settle(3, broken);
  assert.equal(calls, [
    'zero reached',
    'one reached',
    'late reached',
    'three dataLoss',
    'doomed dataLoss',
  ]);
});

test.run();
