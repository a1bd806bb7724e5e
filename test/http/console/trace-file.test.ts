import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTrace } from '../../../http/console/trace-file.js';

const head = '{"loomTrace":1,"threads":[]}';
const move = (atMs: number, actor: string): string =>
  JSON.stringify({ type: 'transition', atMs, actor, from: 'x', to: 'y', event: 'go' });

test('records in the order of time, each thread in its own order', () => {
  const { records } = readTrace(
    [head, move(3, 'a:/1'), move(1, 'b:/2'), move(3, 'b:/3')].join('\n'),
  );
  const actors = records.map((record) => 'actor' in record && record.actor);
  assert.equal(actors, ['b:/2', 'a:/1', 'b:/3']);
});

test('lines of other kinds are passed over; what was lost is added up', () => {
  const lines = [head, '{"type":"lost","atMs":1,"count":4}', '{"type":"arrived","id":"x"}'];
  const { records, lost } = readTrace([...lines, move(2, 'a:/1'), '{"type":"lo'].join('\n'));
  assert.is(records.length, 1);
  assert.is(lost, 5);
});

test('charts and the tree of the server that recorded it are used when they are there', () => {
  const { charts, tree } = readTrace(head);
  assert.equal([charts, tree], [null, null]);
  const told = readTrace('{"loomTrace":1,"charts":[],"tree":{"nowMs":1}}');
  assert.equal([told.charts, told.tree], [[], { nowMs: 1 }]);
});

test('what is no trace is refused with a reason', () => {
  assert.throws(() => readTrace(''), /no trace/);
  assert.throws(() => readTrace('[]'), /no trace/);
  assert.throws(() => readTrace('{"loomTrace":2}'), /version 2.*version 1/);
  assert.throws(() => readTrace(`${head}\nnonsense\n${move(1, 'a:/1')}`), /line 2/);
});

test.run();
