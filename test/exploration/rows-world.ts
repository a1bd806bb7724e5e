/**
 * Text models on a device whose rows do not fit beside each other: sessions with turns, a lease
 * of its rows a model, the memory of the rows on the device. Rows that rest leave, those in use are
 * asked for; readers stall, callers leave meanwhile.
 *
 * Laws: a turn is in an epoch only while its rows are there and in use (I1), what is there fits
 * (I7), a model hears that its rows have left before it has them again, a turn has one answer (I12)
 * and nobody waits for ever (I11: not for a reader who does not read either).
 */
import { rowMemory } from '../../actors/model/row-memory.js';
import { session } from '../../actors/serving/session.js';
import { ChartWorld, type ChartKind, type ChartState, type Draft } from './chart-world.js';
import { RowBook, type RowBookState } from './row-book.js';

export interface RowsScope {
  readonly name: string;
  /** Models whose rows fit at a time. */
  readonly room: number;
  /** Turns of the one session of each model. */
  readonly turns: readonly number[];
  readonly cancels: number;
  readonly stalls: number;
  /** Turns that need more than one epoch. */
  readonly rounds: number;
}

interface Turn {
  hasStarted: boolean;
  isStalled: boolean;
  isWithdrawn: boolean;
  /** It came when the rows were wanted by others. */
  isLate: boolean;
}

interface Outside extends RowBookState {
  budget: Pick<RowsScope, 'cancels' | 'stalls' | 'rounds'>;
  turnsLeft: Record<string, number>;
  /** By model, like all that follows. */
  turns: Record<string, Turn>;
  answered: Record<string, boolean>;
  cancelled: Record<string, boolean>;
  lease: Record<string, 'resting' | 'asked' | 'held'>;
  isWithdrawn: Record<string, boolean>;
  isShut: Record<string, boolean>;
  isIdle: Record<string, boolean>;
  isInEpoch: Record<string, boolean>;
}

type Here = Draft<Outside>;
type Change = readonly [string, (draft: Here) => void];

const sessionOf = (model: string): string => `session ${model}`;
const rowsOf = (model: string): string => `rows ${model}`;
const modelOf = (chart: string): string => chart.slice(chart.indexOf(' ') + 1);
const book = new RowBook<Outside>(rowsOf);

function answer(draft: Here, model: string): void {
  const { outside } = draft;
  if (outside.answered[model]) draft.fault(`I12: the turn of ${model} is answered again`);
  outside.answered[model] = true;
}

function use(draft: Here, model: string): void {
  if (draft.outside.lease[model] !== 'resting') return;
  draft.outside.lease[model] = 'asked';
  draft.outside.onTheWay[model]!.push('rows.use');
}

function rest(draft: Here, model: string): void {
  const { lease, isWithdrawn } = draft.outside;
  if (lease[model] === 'asked' && !isWithdrawn[model]) {
    isWithdrawn[model] = true;
    draft.outside.onTheWay[model]!.push('rows.withdraw');
  }
  if (lease[model] !== 'held') return;
  lease[model] = 'resting';
  draft.outside.onTheWay[model]!.push('rows.rest');
}

function awaitRows(draft: Here, model: string): void {
  const turn = draft.outside.turns[model];
  if (turn !== undefined && !turn.isStalled) use(draft, model);
  else rest(draft, model);
}

/** The next epoch, if there can be one; else the rows are asked for, or given up. */
function form(draft: Here, model: string): void {
  const { outside } = draft;
  if (outside.isInEpoch[model]) return;
  if (outside.lease[model] !== 'held') return awaitRows(draft, model);
  const turn = outside.turns[model];
  if (turn !== undefined && !turn.isStalled && !turn.isLate) {
    outside.isInEpoch[model] = true;
    if (!turn.hasStarted) draft.tell(model, sessionOf(model), { type: 'turn.started' });
    turn.hasStarted = true;
  } else if (outside.isShut[model]) {
    rest(draft, model);
    outside.isShut[model] = false;
    if (turn !== undefined) turn.isLate = false;
    awaitRows(draft, model);
  } else outside.isIdle[model] = true;
}

const sessions: ChartKind<Outside> = {
  table: session.table,
  effects: {
    preparePrompt(draft, { name }) {
      draft.outside.answered[modelOf(name)] = false;
      draft.outside.cancelled[modelOf(name)] = false;
      draft.tell('preparer', name, { type: 'prompt.ready' });
    },
    queueTurn(draft, { name }) {
      const model = modelOf(name);
      draft.outside.turns[model] = {
        ...{ hasStarted: false, isStalled: false, isWithdrawn: false },
        isLate: draft.outside.isShut[model]!,
      };
      form(draft, model);
    },
    withdrawTurn(draft, { name }) {
      const model = modelOf(name);
      const { turns, isInEpoch } = draft.outside;
      if (isInEpoch[model]) turns[model]!.isWithdrawn = true;
      else leave(draft, model, 'turn.settled');
    },
    deliverTurn: (draft, { name }) => answer(draft, modelOf(name)),
    replyFailure: (draft, { name }) => answer(draft, modelOf(name)),
    replyCancelled: (draft, { name }) => answer(draft, modelOf(name)),
    closeRow(draft, { name }) {
      const model = modelOf(name);
      if (draft.outside.isInEpoch[model]) draft.fault(`I1: the row of ${model} is in an epoch`);
    },
  },
};

function leave(draft: Here, model: string, type: string): void {
  delete draft.outside.turns[model];
  draft.tell(model, sessionOf(model), { type });
  form(draft, model);
}

function spend(draft: Here, what: keyof Outside['budget']): void {
  (draft.outside.budget as Record<typeof what, number>)[what] -= 1;
}

/** What the device has told its generation, in order. */
function hear(draft: Here, model: string): void {
  const { outside } = draft;
  const news = book.hear(draft, model);
  if (news === 'evicted') return;
  if (news === 'wanted') {
    if (outside.lease[model] !== 'held') return;
    outside.isShut[model] = true;
  } else {
    outside.lease[model] = news === 'granted' ? 'held' : 'resting';
    outside.isWithdrawn[model] = false;
  }
  form(draft, model);
}

function epochMoves(model: string, { budget, turns }: Outside): Change[] {
  const end = (what: string, how: (draft: Here, turn: Turn) => void): Change => [
    `${what} of ${model}`,
    (draft) => {
      const turn = draft.outside.turns[model]!;
      draft.outside.isInEpoch[model] = false;
      if (turn.isWithdrawn) leave(draft, model, 'turn.settled');
      else how(draft, turn);
    },
  ];
  const list: Change[] = [end('the turn ends', (draft) => leave(draft, model, 'turn.ended'))];
  if (turns[model]!.isWithdrawn) return list;
  if (budget.rounds > 0) {
    const goOn = (draft: Here): void => {
      spend(draft, 'rounds');
      form(draft, model);
    };
    list.push(end('the turn goes on', goOn));
  }
  if (budget.stalls > 0) {
    const stall = (draft: Here, turn: Turn): void => {
      spend(draft, 'stalls');
      turn.isStalled = true;
      draft.tell(model, sessionOf(model), { type: 'turn.stalled' });
      form(draft, model);
    };
    list.push(end('the turn stalls', stall));
  }
  return list;
}

function modelMoves({ charts, outside }: ChartState<Outside>, model: string): Change[] {
  const { turnsLeft, turns, answered, cancelled, budget, isIdle, isInEpoch, news } = outside;
  const list: Change[] = [];
  const add = (what: string, how: (draft: Here) => void): void =>
    void list.push([`${model} ${what}`, how]);
  if (turnsLeft[model]! > 0 && charts[sessionOf(model)]?.at === 'idle') {
    add('begins a turn', (draft) => {
      draft.outside.turnsLeft[model]! -= 1;
      draft.step(sessionOf(model), { type: 'turn.begin' });
    });
  }
  if (budget.cancels > 0 && answered[model] === false && !cancelled[model]) {
    add('has a caller who leaves', (draft) => {
      spend(draft, 'cancels');
      draft.outside.cancelled[model] = true;
      draft.step(sessionOf(model), { type: 'turn.cancel' });
    });
  }
  if (turns[model]?.isStalled) {
    add('is read', (draft) => {
      draft.outside.turns[model]!.isStalled = false;
      draft.tell(model, sessionOf(model), { type: 'turn.resumed' });
      form(draft, model);
    });
  }
  if (isIdle[model]) {
    add('is idle', (draft) => {
      draft.outside.isIdle[model] = false;
      if (!draft.outside.isInEpoch[model]) rest(draft, model);
    });
  }
  if (news[model]!.length > 0) add(`hears ${news[model]![0]}`, (draft) => hear(draft, model));
  if (isInEpoch[model]) list.push(...epochMoves(model, outside));
  return list;
}

export function rowsWorld(scope: RowsScope): ChartWorld<Outside> {
  const { name, room, turns, ...budget } = scope;
  const models = turns.map((_, i) => String.fromCharCode(97 + i));
  const each = <Value>(value: Value): Record<string, Value> =>
    Object.fromEntries(models.map((model) => [model, structuredClone(value)]));
  return new ChartWorld<Outside>({
    name: `session × rows: ${name}`,
    threadOf: (chart) => (chart === 'preparer' ? chart : 'model'),
    kinds: { session: sessions, rows: book.kind(rowMemory.table, modelOf) },
    outside: {
      ...{ budget, turns: {}, answered: {}, cancelled: {}, line: [], room },
      turnsLeft: Object.fromEntries(models.map((model, i) => [model, turns[i]!])),
      ...{ lease: each('resting' as const), isWithdrawn: each(false), isShut: each(false) },
      ...{ isIdle: each(false), isInEpoch: each(false) },
      ...{ rows: each('absent' as const), isWanted: each(false) },
      ...{ news: each([]), isStale: each(false), onTheWay: each([]), mailbox: each([]) },
    },
    start(draft) {
      for (const model of models) {
        draft.spawn(sessionOf(model), 'session', { isRetained: true });
        draft.spawn(rowsOf(model), 'rows', {});
      }
    },
    moves: (state) =>
      models.flatMap((one) => [...modelMoves(state, one), ...book.moves(state.outside, one)]),
    breach({ outside }) {
      const early = models.find((one) => outside.isInEpoch[one] && outside.rows[one] !== 'inUse');
      if (early !== undefined)
        return `I1: an epoch of ${early} runs, its rows are ${outside.rows[early]}`;
      return book.breach(outside);
    },
    isEnd({ outside }) {
      const { turnsLeft, turns: open, lease, line, isIdle } = outside;
      const isStill = (one: string): boolean =>
        [outside.news, outside.onTheWay, outside.mailbox].every((all) => all[one]!.length === 0);
      const isDone = models.every(
        (one) => turnsLeft[one] === 0 && lease[one] === 'resting' && !isIdle[one] && isStill(one),
      );
      return isDone && Object.keys(open).length === 0 && line.length === 0;
    },
  });
}
