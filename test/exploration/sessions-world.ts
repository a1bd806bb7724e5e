/**
 * Sessions and the epochs that run their turns, one epoch at a time, each on the device: a session
 * that is kept and a turn that keeps nothing. Callers leave, readers stall, prompts are refused, an
 * epoch fails for all or for one, somebody closes the session meanwhile.
 *
 * Laws: each turn has one answer (I12), none that says something after its cancel (I3), a row is
 * given back only when no epoch has it (I3, I1), a stalled or cancelled turn is in no new epoch.
 */
import { epoch } from '../../actors/serving/epoch.js';
import { session } from '../../actors/serving/session.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { ChartWorld, type ChartKind, type ChartState, type Draft } from './chart-world.js';

export interface SessionsScope {
  readonly name: string;
  /** Sessions with how many turns each; one that is not kept has one. */
  readonly sessions: readonly { readonly isRetained: boolean; readonly turns: number }[];
  readonly cancels: number;
  readonly stalls: number;
  readonly refusals: number;
  readonly failures: number;
  readonly closes: number;
}

interface Turn {
  isQueued: boolean;
  isInFlight: boolean;
  isStalled: boolean;
  isWithdrawn: boolean;
  hasStarted: boolean;
}

interface Outside {
  budget: Omit<SessionsScope, 'name' | 'sessions'>;
  turnsLeft: Record<string, number>;
  turns: Record<string, Turn>;
  /** Of the turn that runs. */
  answered: Record<string, boolean>;
  cancelled: Record<string, boolean>;
  prompts: string[];
  epoch: string[] | null;
  work: 'none' | 'waits' | 'runs';
  rowsBack: string[];
}

type Here = Draft<Outside>;
type Change = readonly [string, (draft: Here) => void];

const EPOCH = 'epoch';
const bad = { code: 'invalidArgument', message: 'a prompt is at fault' } as const;
const broken = { code: 'internal', message: 'the device failed' } as const;

function answer(draft: Here, name: string, isSaid: boolean): void {
  const { answered, cancelled } = draft.outside;
  if (answered[name]) draft.fault(`I12: the turn of ${name} is answered again`);
  if (isSaid && cancelled[name]) draft.fault(`I3: ${name} says something after its cancel`);
  answered[name] = true;
}

const sessions: ChartKind<Outside> = {
  table: session.table,
  effects: {
    preparePrompt(draft, { name }) {
      draft.outside.answered[name] = false;
      draft.outside.cancelled[name] = false;
      draft.outside.prompts.push(name);
    },
    queueTurn(draft, { name }) {
      draft.outside.turns[name] = {
        ...{ isQueued: true, isInFlight: false, isStalled: false, isWithdrawn: false },
        hasStarted: false,
      };
    },
    withdrawTurn(draft, { name }) {
      const turn = draft.outside.turns[name];
      if (turn?.isInFlight) turn.isWithdrawn = true;
      else {
        delete draft.outside.turns[name];
        draft.tell(name, name, { type: 'turn.settled' });
      }
    },
    deliverTurn: (draft, { name }) => answer(draft, name, true),
    replyFailure: (draft, { name }) => answer(draft, name, false),
    replyCancelled: (draft, { name }) => answer(draft, name, false),
    announceTurnEnd(draft, { name }) {
      if (!draft.outside.answered[name]) draft.fault(`I12: a turn of ${name} ends unanswered`);
      if (draft.outside.turns[name] !== undefined) draft.fault(`I3: a turn of ${name} is still in`);
    },
    closeRow(draft, { name }) {
      if (draft.outside.epoch?.includes(name)) draft.fault(`I1: the row of ${name} is in an epoch`);
      if (draft.outside.rowsBack.includes(name)) draft.fault(`I2: ${name} is given back twice`);
      draft.outside.rowsBack.push(name);
    },
  },
};

const epochs: ChartKind<Outside> = {
  table: epoch.table,
  effects: {
    submitEpoch(draft) {
      if (draft.outside.work !== 'none') draft.fault('two works of one epoch');
      draft.outside.work = 'waits';
    },
    failSpans(draft) {
      for (const name of draft.outside.epoch ?? []) leave(draft, name, 'turn.failed');
    },
  },
  ended(draft) {
    for (const name of draft.outside.epoch ?? []) {
      if (draft.outside.turns[name]?.isInFlight) draft.fault(`I4: ${name} is left in its epoch`);
    }
    draft.outside.epoch = null;
    if (draft.outside.work !== 'none') draft.fault('I2: an epoch ends before its work');
  },
};

/** A turn comes out of its epoch and is over, if it was not over before. */
function leave(draft: Here, name: string, type: string): void {
  const turn = draft.outside.turns[name];
  if (turn === undefined) return draft.fault(`I3: the turn of ${name} is gone under its epoch`);
  delete draft.outside.turns[name];
  const event: MachineEvent = turn.isWithdrawn
    ? { type: 'turn.settled' }
    : { type, ...(type === 'turn.failed' && { status: broken }) };
  draft.tell(EPOCH, name, event);
}

/** It stays for another epoch. */
function stay(draft: Here, name: string, isStalled: boolean): void {
  const turn = draft.outside.turns[name]!;
  if (turn.isWithdrawn) return leave(draft, name, 'turn.settled');
  turn.isInFlight = false;
  turn.isStalled = isStalled;
  if (isStalled) draft.tell(EPOCH, name, { type: 'turn.stalled' });
}

function spend(draft: Here, what: keyof Outside['budget']): void {
  (draft.outside.budget as Record<typeof what, number>)[what] -= 1;
}

function sessionMoves({ charts, outside }: ChartState<Outside>, name: string): Change[] {
  const list: Change[] = [];
  const { at } = charts[name]!;
  const { budget, turnsLeft, turns, prompts, answered, cancelled } = outside;
  if ((turnsLeft[name] ?? 0) > 0 && at === 'idle') {
    const begin = (draft: Here): void => {
      draft.outside.turnsLeft[name]! -= 1;
      draft.step(name, { type: 'turn.begin' });
    };
    list.push([`${name} begins`, begin]);
  }
  if (prompts.includes(name)) {
    const prompted = (draft: Here, event: MachineEvent): void => {
      draft.outside.prompts = draft.outside.prompts.filter((one) => one !== name);
      draft.step(name, event);
    };
    list.push([`prompt of ${name}`, (draft) => prompted(draft, { type: 'prompt.ready' })]);
    if (budget.refusals > 0) {
      list.push([
        `no prompt of ${name}`,
        (draft) => {
          spend(draft, 'refusals');
          prompted(draft, { type: 'prompt.refused', status: bad });
        },
      ]);
    }
  }
  if (budget.cancels > 0 && answered[name] === false && !cancelled[name]) {
    list.push([
      `caller of ${name} leaves`,
      (draft) => {
        spend(draft, 'cancels');
        draft.outside.cancelled[name] = true;
        draft.step(name, { type: 'turn.cancel' });
      },
    ]);
  }
  if (turns[name]?.isStalled) {
    list.push([
      `${name} is read`,
      (draft) => {
        draft.outside.turns[name]!.isStalled = false;
        draft.tell(EPOCH, name, { type: 'turn.resumed' });
      },
    ]);
  }
  if (budget.closes > 0 && at !== 'closed') {
    list.push([
      `${name} is closed`,
      (draft) => {
        spend(draft, 'closes');
        draft.outside.turnsLeft[name] = 0;
        draft.step(name, { type: 'session.close' });
      },
    ]);
  } else if (at === 'idle' && turnsLeft[name] === 0 && answered[name] !== undefined) {
    list.push([
      `${name} is idle for too long`,
      (draft) => draft.step(name, { type: 'session.expired' }),
    ]);
  }
  return list;
}

function epochMoves({ charts, outside }: ChartState<Outside>): Change[] {
  const { turns, budget, work } = outside;
  const at = charts[EPOCH]?.at;
  if (at === undefined) {
    const ready = Object.keys(turns).filter((name) => !turns[name]!.isStalled);
    return ready.length === 0 ? [] : [['an epoch forms', (draft) => form(draft, ready)]];
  }
  const reject = (draft: Here): void => {
    spend(draft, 'failures');
    draft.outside.work = 'none';
    draft.step(EPOCH, { type: 'epoch.rejected', status: broken });
  };
  if (at === 'packing') {
    const packed: Change = ['packed', (draft) => draft.step(EPOCH, { type: 'epoch.packed' })];
    return budget.failures > 0 ? [packed, ['no packing', reject]] : [packed];
  }
  if (at === 'committing') return commits(outside);
  const list: Change[] = [];
  if (work === 'waits') {
    list.push([
      'accepted',
      (draft) => {
        draft.outside.work = 'runs';
        draft.step(EPOCH, { type: 'work.accepted' });
      },
    ]);
  }
  if (work === 'runs') list.push(['retired', (draft) => retire(draft, { type: 'work.retired' })]);
  if (budget.failures > 0) {
    list.push([
      'the work fails',
      (draft) => {
        spend(draft, 'failures');
        retire(draft, { type: 'work.failed', status: broken });
      },
    ]);
  }
  return list;
}

function retire(draft: Here, event: MachineEvent): void {
  draft.outside.work = 'none';
  draft.step(EPOCH, event);
}

function form(draft: Here, ready: readonly string[]): void {
  draft.outside.epoch = [...ready];
  for (const name of ready) {
    const turn = draft.outside.turns[name]!;
    turn.isInFlight = true;
    if (!turn.hasStarted) draft.tell(EPOCH, name, { type: 'turn.started' });
    turn.hasStarted = true;
  }
  draft.spawn(EPOCH, 'epoch', {});
}

/** All of its turns end, or go on, or one of them stalls; or what it gives breaks the contract. */
function commits({ epoch: names, budget }: Outside): Change[] {
  const commit = (what: string, how: (draft: Here, name: string) => void): Change => [
    what,
    (draft) => {
      for (const name of names!) how(draft, name);
      draft.step(EPOCH, { type: 'epoch.committed' });
    },
  ];
  const list: Change[] = [commit('all end', (draft, name) => leave(draft, name, 'turn.ended'))];
  if (budget.stalls > 0) {
    list.push(
      commit('the first stalls', (draft, name) => {
        if (name === names![0]) {
          spend(draft, 'stalls');
          stay(draft, name, true);
        } else leave(draft, name, 'turn.ended');
      }),
      commit('all go on', (draft, name) => {
        if (name === names![0]) spend(draft, 'stalls');
        stay(draft, name, false);
      }),
    );
  }
  if (budget.failures > 0) {
    list.push([
      'results are wrong',
      (draft) => {
        spend(draft, 'failures');
        draft.step(EPOCH, { type: 'epoch.rejected', status: broken });
      },
    ]);
  }
  return list;
}

export function sessionsWorld(scope: SessionsScope): ChartWorld<Outside> {
  const { name, sessions: asked, ...budget } = scope;
  return new ChartWorld<Outside>({
    name: `session × epoch: ${name}`,
    threadOf: () => 'model',
    kinds: { session: sessions, epoch: epochs },
    outside: {
      ...{ budget, turnsLeft: {}, turns: {}, answered: {}, cancelled: {}, prompts: [] },
      ...{ epoch: null, work: 'none', rowsBack: [] },
    },
    start(draft) {
      asked.forEach(({ isRetained, turns }, i) => {
        draft.outside.turnsLeft[`s${i + 1}`] = turns;
        draft.spawn(`s${i + 1}`, 'session', { isRetained });
      });
    },
    moves: (state) => [
      ...Object.keys(state.charts).flatMap((one) =>
        one === EPOCH ? [] : sessionMoves(state, one),
      ),
      ...epochMoves(state),
    ],
    breach({ outside }) {
      const { turns, epoch: names } = outside;
      const isOut = (one: string): boolean => turns[one]?.isStalled ?? false;
      const stalled = names?.find(isOut);
      return stalled === undefined ? null : `I11: ${stalled} is stalled in an epoch`;
    },
    isEnd({ charts, outside }) {
      return (
        Object.keys(charts).length === 0 &&
        outside.rowsBack.length === asked.length &&
        Object.keys(outside.turns).length === 0 &&
        outside.work === 'none'
      );
    },
  });
}
