/**
 * Every chart of the repository, in the worlds that are explored: the products in which charts
 * meet, and those that stand alone. Small scopes take a second or two together, for each test run;
 * large ones minutes, for `npm run matrix`.
 */
import { banksWorld, type BanksScope } from './banks-world.js';
import type { ChartWorld } from './chart-world.js';
import { deploymentsWorld, type DeploymentsScope } from './deployments-world.js';
import { explore, type Exploration, type World } from './explore.js';
import type { RequestsScope } from './request-charts.js';
import { requestsWorld } from './requests-world.js';
import { rowsWorld, type RowsScope } from './rows-world.js';
import { serversWorld, type ServersScope } from './servers-world.js';
import { sessionsWorld, type SessionsScope } from './sessions-world.js';
import { modelWorlds } from './model-worlds.js';
import { systemWorlds } from './system-worlds.js';

/** Beyond this many states a scope is not what it is said to be: its exploration fails. */
const statesMax = { small: 20_000, large: 1_000_000 };

const quiet: Omit<RequestsScope, 'name' | 'requests'> = {
  ...{ cancels: 0, rejections: 0, stages: 0, failures: 0, losses: 0 },
  drains: false,
};
const steady: Omit<DeploymentsScope, 'name'> = {
  ...{ registrations: 0, removals: 0, faults: 0, deaths: 0, losses: 0, refusals: 0 },
};
const calm: Omit<SessionsScope, 'name' | 'sessions'> = {
  ...{ cancels: 0, stalls: 0, refusals: 0, failures: 0, closes: 0 },
};
const kept = { isRetained: true, turns: 1 };
const passing = { isRetained: false, turns: 1 };
const noBanks = { failures: 0, dismissals: 0, retirements: 0 };

const requestScopes: Readonly<Record<'small' | 'large', readonly RequestsScope[]>> = {
  small: [
    { ...quiet, name: 'two members, a caller who leaves', requests: [2], cancels: 1 },
    { ...quiet, name: 'two members, one at fault', requests: [2], rejections: 1 },
    {
      ...{ name: 'one member, whatever may happen', requests: [1] },
      ...{ cancels: 1, rejections: 1, stages: 1, failures: 1, losses: 1, drains: true },
    },
  ],
  large: [
    {
      ...{ ...quiet, name: 'two members, one at fault, and who leaves', requests: [2] },
      ...{ cancels: 1, rejections: 1 },
    },
    {
      ...{ ...quiet, name: 'two members, a device that fails', requests: [2] },
      ...{ cancels: 1, failures: 1, losses: 1 },
    },
    { ...quiet, name: 'two requests, callers who leave', requests: [1, 1], cancels: 1 },
  ],
};

const sessionScopes: Readonly<Record<'small' | 'large', readonly SessionsScope[]>> = {
  small: [
    {
      ...{ name: 'one session', sessions: [{ isRetained: true, turns: 2 }] },
      ...{ cancels: 1, stalls: 1, refusals: 1, failures: 1, closes: 1 },
    },
  ],
  large: [
    {
      ...{ ...calm, name: 'a session and a turn', sessions: [kept, passing] },
      ...{ cancels: 1, stalls: 1, failures: 1 },
    },
    {
      ...{ ...calm, name: 'two sessions', sessions: [kept, kept] },
      ...{ cancels: 2, stalls: 1, failures: 1, closes: 1 },
    },
  ],
};

const bankScopes: Readonly<Record<'small' | 'large', readonly BanksScope[]>> = {
  small: [
    {
      ...{ name: 'two that take turns', room: 1, banks: ['a', 'b'], cohorts: [['a'], ['b']] },
      ...{ failures: 1, dismissals: 1, retirements: 1 },
    },
    {
      ...{ name: 'two that one invocation waits for', room: 2, banks: ['a', 'b'] },
      ...{ cohorts: [['a', 'b']], failures: 1, dismissals: 0, retirements: 2 },
    },
  ],
  large: [
    {
      ...{ ...noBanks, name: 'three invocations of two banks', room: 2, banks: ['a', 'b'] },
      ...{ cohorts: [['a', 'b'], ['b'], ['a']], failures: 1, dismissals: 1, retirements: 1 },
    },
    {
      ...{ ...noBanks, name: 'three banks, room for two', room: 2, banks: ['a', 'b', 'c'] },
      ...{ cohorts: [['a', 'b'], ['b', 'c'], ['c']], failures: 1, dismissals: 1 },
    },
  ],
};

const rowScopes: Readonly<Record<'small' | 'large', readonly RowsScope[]>> = {
  small: [
    {
      ...{ name: 'one model, whatever may happen', room: 1, turns: [1] },
      ...{ cancels: 1, stalls: 1, rounds: 1 },
    },
    {
      ...{ name: 'two models, room for one', room: 1, turns: [1, 1] },
      ...{ cancels: 0, stalls: 0, rounds: 0 },
    },
  ],
  large: [
    {
      ...{ name: 'two models, a reader who stalls', room: 1, turns: [1, 1] },
      ...{ cancels: 0, stalls: 1, rounds: 0 },
    },
    {
      ...{ name: 'two models, a caller who leaves', room: 1, turns: [1, 1] },
      ...{ cancels: 1, stalls: 0, rounds: 1 },
    },
    {
      ...{ name: 'two models that take turns', room: 1, turns: [2, 1] },
      ...{ cancels: 0, stalls: 0, rounds: 0 },
    },
  ],
};

const deploymentScopes: Readonly<Record<'small' | 'large', readonly DeploymentsScope[]>> = {
  small: [
    {
      ...{ ...steady, name: 'replaced and removed', registrations: 2, removals: 1 },
      ...{ faults: 1, deaths: 1 },
    },
    {
      ...{ ...steady, name: 'a device that is lost', registrations: 2, removals: 1 },
      ...{ losses: 1, refusals: 1 },
    },
  ],
  large: [
    {
      ...{ name: 'all of it', registrations: 3, removals: 1 },
      ...{ faults: 2, deaths: 1, losses: 1, refusals: 0 },
    },
  ],
};

const serverScopes: Readonly<Record<'small' | 'large', readonly ServersScope[]>> = {
  small: [
    {
      ...{ name: 'a start, a loss, a drain', losses: 1, refusals: 1 },
      ...{ registrations: 1, starters: 1, drains: 1 },
    },
  ],
  large: [
    {
      ...{ name: 'two models, two losses', losses: 2, refusals: 2 },
      ...{ registrations: 2, starters: 2, drains: 2 },
    },
  ],
};

const worldsOf = (size: 'small' | 'large'): readonly ChartWorld<never>[] =>
  [
    ...(size === 'small' ? [...modelWorlds(), ...systemWorlds()] : []),
    ...requestScopes[size].map(requestsWorld),
    ...bankScopes[size].map(banksWorld),
    ...serverScopes[size].map(serversWorld),
    ...deploymentScopes[size].map(deploymentsWorld),
    ...sessionScopes[size].map(sessionsWorld),
    ...rowScopes[size].map(rowsWorld),
  ] as unknown as readonly ChartWorld<never>[];

/** One after another, so that whoever asks may tell how far it is. */
export function* explorations(size: 'small' | 'large'): Generator<Exploration> {
  for (const world of worldsOf(size)) yield explore(world as World<unknown>, statesMax[size]);
}

/**
 * What breaks first in the small worlds in which charts of a machine live; null: nothing. It throws
 * where one has more states than it can have.
 */
export function breachOf(machine: string): string | null {
  for (const world of worldsOf('small').filter(({ machines }) => machines.includes(machine))) {
    const [breach] = explore(world as World<unknown>, statesMax.small).breaches;
    if (breach !== undefined) return breach;
  }
  return null;
}

/**
 * Explores the small worlds again: whether a harm finds nobody in a place, in every state of every
 * world that knows the harm and comes there; false where none does.
 */
export function sparedPlaces(): (place: string, harm: string) => boolean {
  const worlds = worldsOf('small').filter(({ isAboutHarms }) => isAboutHarms);
  for (const world of worlds) explore(world as World<unknown>, statesMax.small);
  return (place, harm) => {
    const found = worlds.map((world) => world.findsAnybody(place, harm));
    return found.includes(false) && !found.includes(true);
  };
}

/** A line of a report. */
export const lineOf = ({ world, states, moves, ends, depth, breaches }: Exploration): string =>
  `${world}: ${states} states, ${moves} moves, ${ends} ends, at most ${depth} moves away` +
  (breaches.length === 0 ? '' : `\n${breaches.join('\n')}`);
