import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StatusRecord } from '../../../runtime/base/errors.js';
import { Fence } from '../../../runtime/hal/fence.js';
import { Timeline } from '../../../runtime/hal/timeline.js';

const broken: StatusRecord = { code: 'dataLoss', message: 'broken' };

const timelines = (): [Timeline, Timeline] => {
  const pair: [Timeline, Timeline] = [new Timeline('a'), new Timeline('b')];
  for (const timeline of pair) {
    timeline.issue();
    timeline.issue();
  }
  return pair;
};

test('joining keeps the largest point of each timeline; nothing joined is null', () => {
  const [a, b] = timelines();
  const joined = Fence.join(Fence.at(a, 2), null, Fence.at(b, 1), Fence.at(a, 1));
  assert.equal(
    joined!.points.map(({ timeline, point }) => `${timeline.label}${point}`),
    ['a2', 'b1'],
  );
  assert.is(Fence.join(), null);
  assert.is(Fence.join(null, null), null);
});

test('a fence is pending until all its points have settled, even when one has failed', () => {
  const [a, b] = timelines();
  const joined = Fence.join(Fence.at(a, 1), Fence.at(b, 1))!;
  const heard: (StatusRecord | null)[] = [];
  joined.listen((failure) => heard.push(failure));
  a.settle(1, broken);
  assert.is(joined.state, 'pending');
  assert.equal(heard, []);
  b.settle(1, null);
  assert.equal(joined.state, broken);
  assert.equal(heard, [broken]);
});

test('a fence covers exactly its points: later failures change nothing', () => {
  const [a] = timelines();
  const fence = Fence.at(a, 1);
  a.settle(1, null);
  a.settle(2, broken);
  assert.is(fence.state, 'reached');
  const heard: (StatusRecord | null)[] = [];
  fence.listen((failure) => heard.push(failure));
  assert.equal(heard, [null]);
});

test.run();
