/**
 * A deployment, its preparations and its generations, and the device that it is on: packages are
 * registered over each other, some do not prepare or load, threads and the device are lost, which
 * opens again after some attempts, everything is unregistered. What the device tells comes to the
 * deployment through the server, all on the main thread: as if it came at once.
 *
 * Laws: one preparation at a time; requests go to a generation that has loaded and lives; each
 * registration has one answer (I12); what lives is what is counted; whatever was left on the device
 * is released (I8), unless the device took it along; whoever is on the device knows if it works.
 */
import { deployment } from '../../actors/model/deployment.js';
import type { Context } from '../../actors/model/deployment-context.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { DEVICE, DeviceCharts, type DeviceAccount } from './device-charts.js';
import { ChartWorld, type ChartKind, type ChartState, type Draft } from './chart-world.js';

export interface DeploymentsScope {
  readonly name: string;
  readonly registrations: number;
  readonly removals: number;
  /** Packages that do not prepare, generations that do not load. */
  readonly faults: number;
  /** Threads that are lost with what they run. */
  readonly deaths: number;
  /** Losses of the device; each time it opens again. */
  readonly losses: number;
  /** Attempts to open it again that fail. */
  readonly refusals: number;
}

interface Outside extends DeviceAccount {
  budget: Omit<DeploymentsScope, 'name'>;
  registered: number;
  answered: number[];
  location: number;
  started: number;
  served: number;
  waiting: number[];
  next: number[];
  preparation: { isCancelled: boolean } | null;
  living: Record<string, { phase: 'loading' | 'loaded'; isTold: 'nothing' | 'drain' | 'loss' }>;
  candidate: number;
  current: number;
  /** Scopes that hold something on the device. */
  held: number[];
  isBackoff: boolean;
  isSteady: boolean;
  removals: number;
  isRemoved: boolean;
}

type Here = Draft<Outside>;
type Change = readonly [string, (draft: Here) => void];

const NAME = 'deployment';
const bad = { code: 'invalidArgument', message: 'the package is at fault' } as const;
const gone = { code: 'unavailable', message: 'a thread or the device was lost' } as const;

function answer(draft: Here, registrations: readonly number[]): void {
  for (const one of registrations) {
    if (draft.outside.answered.includes(one)) draft.fault(`I12: ${one} is answered again`);
    draft.outside.answered.push(one);
  }
}

function answerWaiting(draft: Here): void {
  answer(draft, draft.outside.waiting);
  draft.outside.waiting = [];
}

function release(draft: Here, generation: number, isDevice: boolean): void {
  if (isDevice) draft.outside.held = draft.outside.held.filter((one) => one !== generation);
}

const kind: ChartKind<Outside> = {
  table: deployment.table,
  effects: {
    keepPackage(draft) {
      const { outside } = draft;
      answer(draft, outside.next);
      outside.location = outside.registered;
      outside.next = [outside.registered];
    },
    supersedeRegistrations: (draft) => answerWaiting(draft),
    revertPackage(draft) {
      draft.outside.location = draft.outside.served;
    },
    startPreparation(draft, { context }) {
      const { outside } = draft;
      if (outside.preparation !== null) draft.fault('two preparations run');
      if (outside.started !== outside.location) answerWaiting(draft);
      outside.waiting.push(...outside.next);
      outside.next = [];
      outside.started = outside.location;
      outside.preparation = { isCancelled: false };
      outside.held.push((context as Context).generation);
      if (!outside.device) draft.fault('a preparation begins without a device');
    },
    cancelPreparation(draft) {
      const { preparation } = draft.outside;
      if (preparation !== null) preparation.isCancelled = true;
    },
    releasePreparation(draft, { context }) {
      const { generation, device } = context as Context;
      release(draft, generation, device);
    },
    dropCandidate(draft, { context }) {
      const { generation, device } = context as Context;
      release(draft, generation, device);
    },
    startGeneration(draft, { context }) {
      const { generation } = context as Context;
      draft.outside.living[generation] = { phase: 'loading', isTold: 'nothing' };
      draft.outside.candidate = generation;
    },
    switchGeneration(draft) {
      const { outside } = draft;
      const old = outside.living[outside.current];
      if (old !== undefined) old.isTold = 'drain';
      outside.current = outside.candidate;
      outside.candidate = 0;
      outside.served = outside.started;
    },
    drainGenerations(draft) {
      for (const one of Object.values(draft.outside.living)) {
        if (one.phase === 'loaded' && one.isTold === 'nothing') one.isTold = 'drain';
      }
    },
    abandonGenerations(draft) {
      for (const one of Object.values(draft.outside.living)) one.isTold = 'loss';
      Object.assign(draft.outside, { current: 0, candidate: 0 });
    },
    releaseGeneration(draft, { event, context }) {
      const { generation } = event as unknown as { generation: number };
      release(draft, generation, (context as Context).device);
    },
    forgetGeneration(draft, { event }) {
      const { generation } = event as unknown as { generation: number };
      const { outside } = draft;
      delete outside.living[generation];
      if (outside.current === generation) outside.current = 0;
      if (outside.candidate === generation) outside.candidate = 0;
    },
    forwardRequest(draft) {
      const { current, living } = draft.outside;
      if (current !== 0 && living[current]?.phase !== 'loaded') {
        draft.fault(`a request goes to generation ${current}, which has not loaded`);
      }
    },
    refuseRegistration: (draft) => answer(draft, [draft.outside.registered]),
    answerReady: (draft) => answerWaiting(draft),
    answerFailed: (draft) => answerWaiting(draft),
    startBackoff(draft) {
      draft.outside.isBackoff = true;
    },
    cancelBackoff(draft) {
      draft.outside.isBackoff = false;
    },
    startSteady(draft, { context }) {
      draft.outside.isSteady = (context as Context).attempts > 0;
    },
    cancelSteady(draft) {
      draft.outside.isSteady = false;
    },
    announceRemoved(draft) {
      const { outside } = draft;
      answerWaiting(draft);
      answer(draft, outside.next);
      outside.next = [];
      outside.isRemoved = true;
    },
  },
};

const theDevice = new DeviceCharts<Outside>({
  opened: (draft) => draft.step(NAME, { type: 'device.opened' }),
  lost(draft) {
    draft.outside.held = [];
    draft.step(NAME, { type: 'device.lost', status: gone });
  },
});

function spend(draft: Here, what: keyof Outside['budget']): void {
  (draft.outside.budget as Record<typeof what, number>)[what] -= 1;
}

function prepared(draft: Here, event: MachineEvent): void {
  draft.outside.preparation = null;
  draft.step(NAME, event);
}

function preparationMoves({ outside }: ChartState<Outside>): Change[] {
  const { preparation, budget } = outside;
  if (preparation === null) return [];
  const list: Change[] = [
    ['prepared', (draft) => prepared(draft, { type: 'preparation.prepared' })],
  ];
  if (preparation.isCancelled) {
    list.push(['unprepared', (draft) => prepared(draft, { type: 'preparation.cancelled' })]);
  }
  const fails = (what: string, by: 'faults' | 'deaths', status: object): void => {
    if (budget[by] === 0) return;
    list.push([
      what,
      (draft) => {
        spend(draft, by);
        prepared(draft, { type: 'preparation.failed', status });
      },
    ]);
  };
  fails('does not prepare', 'faults', bad);
  fails('its preparation thread dies', 'deaths', gone);
  return list;
}

function generationMoves({ outside }: ChartState<Outside>, name: string): Change[] {
  const generation = Number(name);
  const { phase, isTold } = outside.living[name]!;
  const { budget } = outside;
  const tell = (type: string, status?: object) => (draft: Here) =>
    draft.step(NAME, { type, generation, ...(status && { status }) });
  if (isTold === 'loss') return [[`${name} ends with the device`, tell('generation.lost', gone)]];
  const list: Change[] = [];
  if (phase === 'loading') {
    list.push([
      `${name} loads`,
      (draft) => {
        draft.outside.living[name]!.phase = 'loaded';
        // Of one that nobody waits for any more nothing is told.
        if (generation !== draft.outside.candidate) return;
        tell('generation.loaded')(draft);
      },
    ]);
    if (budget.faults > 0) {
      list.push([
        `${name} does not load`,
        (draft) => {
          spend(draft, 'faults');
          tell('generation.failed', bad)(draft);
        },
      ]);
    }
  } else if (isTold === 'drain') list.push([`${name} retires`, tell('generation.retired')]);
  if (budget.deaths > 0) {
    list.push([
      `the thread of ${name} dies`,
      (draft) => {
        spend(draft, 'deaths');
        tell('generation.lost', gone)(draft);
      },
    ]);
  }
  return list;
}

function commands({ outside }: ChartState<Outside>): Change[] {
  const { budget, isBackoff, isSteady } = outside;
  const list: Change[] = [];
  const add = (what: string, change: (draft: Here) => void): void => void list.push([what, change]);
  if (budget.registrations > 0) {
    add('register', (draft) => {
      spend(draft, 'registrations');
      draft.outside.registered += 1;
      draft.step(NAME, { type: 'deployment.register' });
    });
  }
  if (budget.removals > 0) {
    add('unregister', (draft) => {
      spend(draft, 'removals');
      draft.outside.removals += 1;
      draft.step(NAME, { type: 'deployment.unregister' });
    });
  }
  if (isBackoff) add('recovery is due', (draft) => fire(draft, 'isBackoff', 'recovery.due'));
  if (isSteady) add('it is steady', (draft) => fire(draft, 'isSteady', 'recovery.settled'));
  return list;
}

function fire(draft: Here, timer: 'isBackoff' | 'isSteady', type: string): void {
  draft.outside[timer] = false;
  draft.step(NAME, { type });
}

/** What must hold between any two events. */
function breach({ charts, outside }: ChartState<Outside>): string | null {
  const { living, current, isRemoved, isBackoff, device: isOpen } = outside;
  const chart = charts[NAME];
  if (chart === undefined) return isRemoved ? null : 'it has ended and was not removed';
  const { living: counted, current: believed, device: isTold } = chart.context as Context;
  if (isOpen !== (charts[DEVICE]!.at === 'open')) return 'the device is not what was told of it';
  if (isTold !== isOpen) return `the deployment has ${isTold ? 'a' : 'no'} device`;
  if (counted !== Object.keys(living).length) return `${counted} generations are counted`;
  const isServing = ['serving', 'replacing', 'switching'].includes(chart.at);
  if (isServing && believed !== current) return `generation ${believed} is taken for current`;
  if (chart.at === 'recovering' && !isBackoff) return 'H: it recovers and no timer runs';
  return null;
}

export function deploymentsWorld(scope: DeploymentsScope): ChartWorld<Outside> {
  const { name, ...budget } = scope;
  return new ChartWorld<Outside>({
    name: `device × deployment × generations: ${name}`,
    threadOf: () => 'main',
    kinds: { deployment: kind, device: theDevice.kind },
    outside: {
      ...{ budget, registered: 0, answered: [], location: 0, started: 0, served: 0 },
      ...{ waiting: [], next: [], preparation: null, living: {}, candidate: 0, current: 0 },
      ...{ held: [], device: true, isBackoff: false, isSteady: false, removals: 0 },
      ...{ isRemoved: false, queue: 'none', timer: null },
    },
    start(draft) {
      theDevice.start(draft);
      draft.spawn(NAME, 'deployment', { lastGeneration: 0 });
    },
    moves(state) {
      if (state.charts[NAME] === undefined) return [];
      return [
        ...commands(state),
        ...theDevice.moves(state.outside),
        ...preparationMoves(state),
        ...Object.keys(state.outside.living).flatMap((one) => generationMoves(state, one)),
      ];
    },
    breach,
    harmed: {
      'device lost': ({ outside }) => outside.queue === 'open',
      'client cancel': ({ outside }) => outside.answered.length < outside.registered,
      deadline: ({ outside }) => outside.answered.length < outside.registered,
    },
    isEnd({ charts, outside }) {
      const { answered, registered, living, held, preparation, device, isRemoved } = outside;
      if (answered.length !== registered || preparation !== null) return false;
      if (!isRemoved && (!device || outside.isBackoff)) return false;
      const kept = outside.current === 0 ? [] : [outside.current];
      const isHeld = held.length === kept.length && held.every((one) => kept.includes(one));
      const isAlone = Object.keys(living).length === kept.length;
      const isRemovalDone = outside.removals === 0 || charts[NAME] === undefined;
      return isHeld && isAlone && isRemovalDone;
    },
  });
}
