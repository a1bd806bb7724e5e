/**
 * All reachable states of every chart, in small scopes: alone or with those that it meets. No law
 * is broken in any of them, each state of each chart is among them, and whoever lives can end.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadMachines } from '../../actors/machine-charts.js';
import { cohort } from '../../actors/serving/cohort.js';
import { finiteRequest } from '../../actors/serving/finite-request.js';
import { session } from '../../actors/serving/session.js';
import { rowMemory } from '../../actors/model/row-memory.js';
import { device } from '../../actors/system/device.js';
import type { CompiledState, MachineTable } from '../../runtime/system/machine-table.js';
import { chartPlaces } from '../matrix/chart-places.js';
import { placeName } from '../matrix/follower.js';
import { explore } from './explore.js';
import { explorations, lineOf, sparedPlaces } from './explorations.js';
import { deploymentsWorld } from './deployments-world.js';
import { requestsWorld } from './requests-world.js';
import { rowsWorld } from './rows-world.js';
import { sessionsWorld } from './sessions-world.js';

const all = [...explorations('small')];

for (const exploration of all) {
  test(lineOf({ ...exploration, breaches: [] }), () => {
    assert.equal(exploration.breaches, [], lineOf(exploration));
    assert.ok(exploration.ends > 0 && exploration.moves > exploration.ends);
  });
}

test('every state in which an actor can be found is visited, and no other', async () => {
  const places = await chartPlaces();
  const visited = new Set(all.flatMap(({ places: seen }) => [...seen]));
  for (const place of places) {
    const isSeen = visited.has(placeName(place));
    assert.is(isSeen, place.kind !== 'passes', `${placeName(place)} ${place.kind}`);
  }
  const machines = new Set([...visited].map((name) => name.slice(0, name.indexOf('.'))));
  assert.is(machines.size, (await loadMachines()).length);
});

test('a device that is away is not lost, and nobody removes a model before the server is ready', () => {
  const isSpared = sparedPlaces();
  const away = ['device.recovering', 'device.reopening', 'deviceQueue.opening', 'server.starting'];
  for (const place of away) assert.ok(isSpared(place, 'device lost'), place);
  const open = ['device.open', 'deviceQueue.ready', 'server.ready', 'deployment.recovering'];
  for (const place of open) assert.not(isSpared(place, 'device lost'), place);
  assert.ok(isSpared('server.starting', 'unregister'));
  assert.not(isSpared('server.starting', 'client cancel'), 'somebody may wait for the start');
  assert.not(isSpared('bank.absent', 'device lost'), 'no world knows');
});

/** The state of a table, by name. */
function stateOf({ initial }: MachineTable, name: string): CompiledState {
  const seen = new Set<CompiledState>();
  const visit = (state: CompiledState): CompiledState | undefined => {
    if (state.name === name) return state;
    if (seen.has(state)) return undefined;
    seen.add(state);
    for (const list of [...state.on.values(), state.always]) {
      for (const { plan } of list) {
        const found = visit(plan.target);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return visit(initial.target)!;
}

/** Runs with a transition taken out of a chart that runs. */
function without<Result>(
  table: MachineTable,
  [state, event]: readonly [string, string],
  run: () => Result,
): Result {
  const { on } = stateOf(table, state);
  const transitions = on.get(event)!;
  on.set(event, []);
  try {
    return run();
  } finally {
    on.set(event, transitions);
  }
}

const requests = {
  ...{ name: 'mutated', requests: [1], rejections: 1, stages: 1, failures: 1, losses: 0 },
  ...{ cancels: 1, drains: false },
};
const sessions = {
  ...{ name: 'mutated', sessions: [{ isRetained: false, turns: 1 }], cancels: 1, stalls: 1 },
  ...{ refusals: 0, failures: 0, closes: 0 },
};

const rows = {
  ...{ name: 'mutated', room: 1, turns: [1, 1], cancels: 0, stalls: 0, rounds: 0 },
};
const deployments = {
  ...{ name: 'mutated', registrations: 1, removals: 0, faults: 0, deaths: 0 },
  ...{ losses: 1, refusals: 1 },
};

test('a chart that forgets a transition is found out, with the way there', () => {
  const mutants = [
    [finiteRequest.table, ['settling', 'members.dropped'], () => requestsWorld(requests)],
    [finiteRequest.table, ['abandoning', 'members.prepared'], () => requestsWorld(requests)],
    [cohort.table, ['executing', 'work.failed'], () => requestsWorld(requests)],
    [cohort.table, ['specializing', 'members.left'], () => requestsWorld(requests)],
    [session.table, ['settling', 'turn.settled'], () => sessionsWorld(sessions)],
    [session.table, ['stalled', 'turn.resumed'], () => sessionsWorld(sessions)],
    [rowMemory.table, ['wanted', 'rows.rest'], () => rowsWorld(rows)],
    [rowMemory.table, ['waiting', 'rows.evict'], () => rowsWorld({ ...rows, turns: [2, 1] })],
    [rowMemory.table, ['inUse', 'rows.want'], () => rowsWorld(rows)],
    [device.table, ['recovering', 'reopen.due'], () => deploymentsWorld(deployments)],
    [device.table, ['open', 'device.lost'], () => deploymentsWorld(deployments)],
  ] as const;
  for (const [table, place, world] of mutants) {
    const { breaches } = without(table, place, () => explore(world() as never, 100_000));
    assert.ok(breaches.length > 0, `${table.id} ${place.join(' on ')} is missed by nobody`);
    assert.match(breaches[0]!, /after start · /);
  }
});

test('a dead end and a round that never ends are told apart from an end', () => {
  const walk = (next: Readonly<Record<string, readonly string[]>>, ends: readonly string[]) =>
    explore<string>(
      {
        name: 'walk',
        starts: ['a'],
        key: (state) => state,
        moves: (state) => (next[state] ?? []).map((to) => ({ name: `to ${to}`, next: to })),
        breach: () => null,
        isEnd: (state) => ends.includes(state),
        rested: new Set(),
      },
      10,
    ).breaches;
  assert.equal(walk({ a: ['b'] }, ['b']), []);
  assert.match(walk({ a: ['b', 'c'] }, ['b'])[0]!, /nothing can happen.*to c/s);
  assert.match(walk({ a: ['b', 'c'], c: ['c'] }, ['b'])[0]!, /no end can be reached.*to c/s);
});

test.run();
