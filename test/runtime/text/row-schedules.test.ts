/** Any schedule of what may happen to rows, against the simulation that remembers everything. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TextGeometry } from '../../../runtime/profiles/text.js';
import { RowSimulation } from './row-simulation.js';
import type { SimulatedRow } from './row-simulation.js';
import { smallGeometry } from './small-geometry.js';

/** What happens, to which row or checkpoint, and how much of it. */
type Step = readonly [what: number, which: number, much: number];

type Act = (simulation: RowSimulation, pick: Pick, much: number) => void;

interface Pick {
  /** A row that is in no submission. */
  readonly idle: SimulatedRow | undefined;
  readonly checkpoint: number;
}

const bits = (much: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => (much >> index) & 1);

function epoch(simulation: RowSimulation, much: number): void {
  const spans = simulation.rows
    .filter(({ isInFlight, row, ids }) => !isInFlight && row.done < ids.length)
    .filter((_, index) => ((much >> index) & 1) === 0)
    .map((of) => simulation.reserve(of, 1 + (much % 9), much % 3))
    .filter((span) => span !== null);
  if (spans.length > 0) simulation.submit(spans);
}

/** The row's last token with proposals after it. */
function speculate(simulation: RowSimulation, of: SimulatedRow, much: number): void {
  if (of.row.done !== of.ids.length - 1) return;
  simulation.store.proposed(of.row, bits(much, 1 + (much % 4)));
  const span = simulation.reserve(of, 1 + of.row.drafts, much % 5);
  if (span === null || span.ids.length !== 1 + of.row.drafts) simulation.store.proposed(of.row, []);
  else simulation.submit([span]);
}

const forget = (simulation: RowSimulation, of: SimulatedRow): void => {
  simulation.rows.splice(simulation.rows.indexOf(of), 1);
  simulation.store.close(of.row);
};

const acts: Readonly<Record<string, Act>> = {
  open: (simulation, _, much) => void simulation.open(much % 4 === 0 ? 'other' : 'tokens'),
  append: (simulation, { idle }, much) => {
    if (idle !== undefined) simulation.append(idle, bits(much >> 3, 1 + (much % 8)));
  },
  run: (simulation, _, much) => epoch(simulation, much),
  runAll: (simulation, _, much) => epoch(simulation, much * 64),
  retire: (simulation) => simulation.retire(),
  retireNext: (simulation) => simulation.retire(),
  fail: (simulation) => simulation.fail(),
  fork: (simulation, { idle }) => void (idle !== undefined && simulation.fork(idle)),
  rewind: (simulation, { idle }, much) => {
    if (idle === undefined) return;
    idle.ids = idle.ids.slice(0, much % (idle.ids.length + 1));
    simulation.store.rewind(idle.row, idle.ids.length);
  },
  stepBack: (simulation, { idle }) => {
    if (idle !== undefined) simulation.store.stepBack(idle.row);
  },
  speculate: (simulation, { idle }, much) => {
    if (idle !== undefined) speculate(simulation, idle, much);
  },
  checkpoint: (simulation, { idle }) => {
    if (idle === undefined) return;
    const { checkpoints, store } = simulation;
    const checkpoint = store.checkpoint(idle.row);
    checkpoints.push({ checkpoint, kind: idle.row.kind, ids: [...idle.ids] });
  },
  restore: (simulation, { idle, checkpoint }) => {
    const kept = simulation.checkpoints[checkpoint];
    if (idle === undefined || kept === undefined || idle.row.kind !== kept.kind) return;
    simulation.store.restore(idle.row, kept.checkpoint);
    idle.ids = [...kept.ids];
  },
  spillCheckpoint: (simulation, { checkpoint }) => {
    const kept = simulation.checkpoints[checkpoint];
    if (kept !== undefined) simulation.store.spillCheckpoint(kept.checkpoint);
  },
  dropCheckpoint: (simulation, { checkpoint }) => {
    const [kept] = simulation.checkpoints.splice(checkpoint, 1);
    if (kept !== undefined) simulation.store.dropCheckpoint(kept.checkpoint);
  },
  spill: (simulation, { idle }) => void (idle !== undefined && simulation.store.spill(idle.row)),
  close: (simulation, _, much) => {
    const of = simulation.rows[much % Math.max(1, simulation.rows.length)];
    if (of !== undefined) forget(simulation, of);
  },
  install: (simulation, { idle }) => void (idle !== undefined && simulation.install(idle)),
  dropCache: (simulation) => simulation.store.dropCache(),
  evict: (simulation) => simulation.evict(),
};

function play(geometry: TextGeometry, steps: readonly Step[]): RowSimulation {
  const simulation = new RowSimulation(geometry);
  const all = Object.values(acts);
  for (const [what, which, much] of steps) {
    const idle = simulation.rows.filter(({ isInFlight }) => !isInFlight);
    const pick = {
      idle: idle[which % Math.max(1, idle.length)],
      checkpoint: which % Math.max(1, simulation.checkpoints.length),
    };
    all[what % all.length]!(simulation, pick, much);
    simulation.checkIds();
  }
  return simulation;
}

/** Everything that rows shall hold is computed, one row after the other. */
function computeAll(simulation: RowSimulation): void {
  while (simulation.flights.length > 0) simulation.retire();
  for (const of of [...simulation.rows]) {
    while (of.row.done < of.ids.length) {
      const span = simulation.reserve(of, 5, 1);
      if (span === null) {
        simulation.rows
          .filter((other) => other !== of)
          .forEach(({ row }) => simulation.store.spill(row));
        simulation.checkpoints.forEach(({ checkpoint }) =>
          simulation.store.spillCheckpoint(checkpoint),
        );
        continue;
      }
      simulation.submit([span]);
      simulation.retire();
    }
  }
}

const steps = fc.array(fc.tuple(fc.nat(200), fc.nat(30), fc.nat(4095)), {
  minLength: 1,
  maxLength: 120,
  size: 'max',
});

for (const states of [0, 4, 9]) {
  test(`every token is computed on what is before it, with ${states} states`, () => {
    const geometry = smallGeometry({ states, stateBytes: states === 0 ? 0 : 100 });
    fc.assert(
      fc.property(steps, (schedule) => {
        const simulation = play(geometry, schedule);
        computeAll(simulation);
        const { store, rows, checkpoints } = simulation;
        for (const { row } of rows) store.close(row);
        for (const { checkpoint } of checkpoints) store.dropCheckpoint(checkpoint);
        store.dropCache();
        const left = store.describe();
        assert.is(left.pagesFree, geometry.pages);
        const { pagesUsed, pagesCached, pagesWaiting, sharedPages, snapshots, holds } = left;
        assert.equal(
          { pagesUsed, pagesCached, pagesWaiting, sharedPages, snapshots, holds },
          { pagesUsed: 0, pagesCached: 0, pagesWaiting: 0, sharedPages: 0, snapshots: 0, holds: 0 },
        );
        assert.is(left.rows + left.checkpoints, 0);
      }),
      { numRuns: 1500 },
    );
  });
}

test.run();
