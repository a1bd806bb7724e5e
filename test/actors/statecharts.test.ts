/** Laws that every machine in `actors/` obeys, found in the definitions that run. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMachine, type AnyStateNode } from 'xstate';
import { guardName, rowsOf, sourceRoot, statesOf } from '../../actors/machine-charts.js';
import { loadCharts, nameOf, renderStatecharts, type Chart } from '../../actors/statecharts.js';
import { breachesOf, declaredEvents } from './chart-laws.js';

const charts = await loadCharts();

test('every machine is found', () => {
  const found = charts.map(({ machine }) => machine.id);
  for (const id of [
    'server',
    'deployment',
    'generation',
    'deviceQueue',
    'cohort',
    'finiteRequest',
  ]) {
    assert.ok(found.includes(id), `${id} in ${found.join(', ')}`);
  }
  assert.is(new Set(found).size, found.length, 'ids are unique');
});

test('STATECHARTS.md shows the machines that run', () => {
  const file = join(sourceRoot(), 'actors', 'STATECHARTS.md');
  const written = existsSync(file) ? readFileSync(file, 'utf8') : '';
  assert.ok(written === renderStatecharts(charts), 'it is stale; run: npm run statecharts');
});

for (const chart of charts) {
  test(`${chart.machine.id}: obeys the laws of charts`, () => {
    assert.ok(declaredEvents(chart.source).length > 1, 'its events were found in its source');
    assert.equal(breachesOf(chart), []);
  });
}

/** A chart that a law must find fault with. */
function chartOf(config: object, source = ''): Chart {
  const machine = createMachine({ id: 'broken', description: 'A chart.', ...config } as never);
  return { path: 'broken.machine.ts', source, machine: machine as never };
}

const good = { type: 'final', description: 'It ended.', tags: ['succeeded'] };
const faulty: [law: string, chart: Chart, breach: RegExp][] = [
  [
    'reachable',
    chartOf({
      initial: 'a',
      states: { a: { description: 'A.', on: { go: 'b' } }, b: good, c: good },
    }),
    /c cannot be reached/,
  ],
  [
    'an exit',
    chartOf({ initial: 'a', states: { a: { description: 'A.', on: { go: {} } } } }),
    /a has no exit/,
  ],
  [
    'described',
    chartOf({ initial: 'a', states: { a: { on: { go: 'b' } }, b: good } }),
    /a has no description/,
  ],
  [
    'handled',
    chartOf(
      { initial: 'a', states: { a: { description: 'A.', on: { go: 'b' } }, b: good } },
      "export type Event =\n  | { type: 'go' }\n  | { type: 'forgotten'; n: number };\n",
    ),
    /event forgotten is declared and nowhere handled/,
  ],
  [
    'kept by the device',
    chartOf({
      initial: 'a',
      on: { 'request.cancel': '.b' },
      states: {
        a: { description: 'A.', tags: ['holdsDevice'], on: { 'work.retired': 'b' } },
        b: good,
      },
    }),
    /a holds the device and is left by request\.cancel/,
  ],
  [
    'kept by the device without an event',
    chartOf({
      initial: 'a',
      states: { a: { description: 'A.', tags: ['holdsDevice'], always: 'b' }, b: good },
    }),
    /a holds the device and is left by always/,
  ],
  [
    'named actions',
    chartOf({
      initial: 'a',
      states: { a: { description: 'A.', entry: () => {}, on: { go: 'b' } }, b: good },
    }),
    /a: an inline action/,
  ],
  [
    'named guards',
    chartOf({
      initial: 'a',
      states: { a: { description: 'A.', on: { go: { target: 'b', guard: () => true } } }, b: good },
    }),
    /a: an inline guard/,
  ],
  [
    'named invokes',
    chartOf({
      initial: 'a',
      states: { a: { description: 'A.', invoke: { src: 'x' }, on: { go: 'b' } }, b: good },
    }),
    /a: an invoke without an id/,
  ],
  [
    'a final that says how it ended',
    chartOf({
      initial: 'a',
      states: { a: { description: 'A.', on: { go: 'b' } }, b: { ...good, tags: [] } },
    }),
    /b does not say how it ended/,
  ],
];
for (const [law, chart, breach] of faulty) {
  test(`a chart that breaks a law is found: ${law}`, () => {
    const breaches = breachesOf(chart);
    assert.is(breaches.length, 1, breaches.join('; '));
    assert.match(breaches[0]!, breach);
  });
}

test('the drawing and the table name every state and every event', () => {
  const text = renderStatecharts(charts);
  const states = charts.flatMap(({ machine }) => statesOf(machine.root as AnyStateNode));
  for (const state of states.filter(({ parent }) => parent !== undefined)) {
    assert.ok(text.includes(`**${nameOf(state)}**`), nameOf(state));
    for (const { event, guard } of rowsOf(state)) {
      if (event !== '') assert.ok(text.includes(`\`${event}\``), event);
      if (guard !== undefined) assert.ok(text.includes(guardName(guard)), guardName(guard));
    }
  }
});

test.run();
