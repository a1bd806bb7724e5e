/** Ways through charts: of a small one by hand, and of all machines that run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chartOf, loadMachines } from '../../../actors/machine-charts.js';
import { MachineCharts } from '../../../http/console/machine-charts.js';
import type { Chart, TransitionRecord } from '../../../http/console/wire.js';

const record = (from: string, to: string, event: string): TransitionRecord => {
  return { type: 'transition', atMs: 0, actor: 'a:/x', from, to, event };
};

const chart: Chart = {
  id: 'door',
  path: 'door.machine.ts',
  description: '',
  initial: 'shut',
  states: ['shut', 'deciding', 'open', 'gone'].map((name) => {
    return { name, description: '', type: 'atomic', tags: [] };
  }),
  transitions: [
    { from: 'shut', event: 'push', guard: null, actions: [], to: 'deciding' },
    { from: 'shut', event: 'kick', guard: 'isWeak', actions: [], to: 'gone' },
    { from: 'shut', event: 'push', guard: 'isAjar', actions: [], to: 'open' },
    { from: 'shut', event: 'look', guard: null, actions: ['peek'], to: null },
    { from: 'deciding', event: '', guard: 'isLocked', actions: [], to: 'shut' },
    { from: 'deciding', event: '', guard: null, actions: [], to: 'open' },
    { from: 'open', event: 'kick', guard: null, actions: [], to: 'gone' },
  ],
};

test('one edge for all transitions between two states, none for those that stay', () => {
  const edges = new MachineCharts([chart]).edges('door');
  assert.is(edges.length, 6);
  const pushed = edges.find(({ id }) => id === 'shut → open')!;
  assert.equal(pushed.labels, ['push [isAjar]']);
  assert.equal(edges.find(({ from }) => from === 'deciding')!.labels, ['always [isLocked]']);
});

test('a record takes one edge, or an edge and the eventless ones after it', () => {
  const charts = new MachineCharts([chart]);
  const way = (from: string, to: string, event: string): string[] =>
    charts.taken('door', record(from, to, event)).map(({ id }) => id);
  assert.equal(way('shut', 'open', 'push'), ['shut → open']);
  assert.equal(way('shut', 'deciding', 'push'), ['shut → deciding']);
  assert.equal(way('shut', 'shut', 'push'), ['shut → deciding', 'deciding → shut']);
  assert.equal(way('shut', 'gone', 'push'), []);
  assert.equal(way('open', 'gone', 'kick'), ['open → gone']);
});

test('the kind of an actor is guessed only from a chart that has all its ways', () => {
  const other = { ...chart, id: 'gate', transitions: chart.transitions.slice(0, 1) };
  const charts = new MachineCharts([other, chart]);
  assert.is(charts.guess([record('shut', 'deciding', 'push')]), 'gate');
  assert.is(charts.guess([record('shut', 'gone', 'kick')]), 'door');
  assert.is(charts.guess([record('shut', 'ajar', 'push')]), '');
  assert.is(charts.guess([]), '');
});

test('every declared move of every machine that runs is found, and its machine guessed', async () => {
  const all = (await loadMachines()).map(chartOf);
  const charts = new MachineCharts(all);
  let moves = 0;
  for (const { id, transitions } of all) {
    for (const { from, to, event } of transitions) {
      if (to === null || to === from || event === '') continue;
      moves += 1;
      const [edge] = charts.taken(id, record(from, to, event));
      assert.is(edge?.id, `${from} → ${to}`);
      const guessed = charts.chart(charts.guess([record(from, to, event)]));
      const states = guessed!.states.map(({ name }) => name);
      assert.ok(states.includes(from) && states.includes(to));
    }
  }
  assert.ok(moves > 100);
});

test.run();
