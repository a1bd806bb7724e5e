/**
 * A retained row and whoever speaks to it: the turns of a session one after another, or the one
 * turn of a request that keeps nothing.
 *
 * Owns: its row (pages, state, ids) from its opening to its end, through the generation's turns.
 * Holds: one turn at a time; each turn is answered exactly once; a cancelled turn is answered at
 * once, and the row is touched again only after the epoch that still reads it has retired (I3).
 * A session whose contents had to go for good ends, with the turn that it has.
 * What is published waits for the client's credit, and holds up nobody but this row (I11).
 * Parent: the model generation. Told by: the generation (turns, changes), the preparer's reply, the
 * generation's turns (started, stalled, ended), timers.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Input {
  /** It outlives its turns. */
  readonly isRetained: boolean;
}

export interface Context {
  readonly isRetained: boolean;
  /** It was told to close while a turn ran. */
  readonly isClosing: boolean;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'turn.begin' }
  | { type: 'prompt.ready' }
  | { type: 'prompt.refused'; status: StatusRecord }
  | { type: 'turn.started' }
  | { type: 'turn.stalled' }
  | { type: 'turn.resumed' }
  | { type: 'turn.ended' }
  | { type: 'turn.failed'; status: StatusRecord }
  | { type: 'turn.settled' }
  | { type: 'turn.cancel' }
  | { type: 'session.change' }
  | { type: 'session.close' }
  | { type: 'session.expired' }
  | { type: 'session.evicted' };

const cancellable = {
  'turn.cancel': { target: 'settling', actions: ['replyCancelled', 'withdrawTurn'] },
} as const;

/** Somebody else wants the row while a turn has it. */
const busy = {
  'turn.begin': { actions: 'refuseTurn' },
  'session.change': { actions: 'refuseChange' },
  'session.close': { actions: ['noteClosing', 'answerClosed'] },
  'session.evicted': { actions: 'noteClosing' },
} as const;

const failing = {
  'turn.failed': { target: 'between', actions: ['noteFailure', 'replyFailure'] },
} as const;

const ending = {
  'turn.ended': { target: 'between', actions: 'deliverTurn' },
  ...failing,
} as const;

export const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as Input },
  guards: {
    isOver: ({ context }) => !context.isRetained || context.isClosing,
  },
  actions: {
    noteClosing: assign({ isClosing: true }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    preparePrompt: effect,
    queueTurn: effect,
    withdrawTurn: effect,
    deliverTurn: effect,
    replyFailure: effect,
    replyCancelled: effect,
    refuseTurn: effect,
    refuseChange: effect,
    applyChange: effect,
    answerClosed: effect,
    startIdle: effect,
    cancelIdle: effect,
    announceTurnEnd: effect,
    closeRow: effect,
  },
}).createMachine({
  id: 'session',
  description: 'A retained row: its turns one after another, or the one turn of a request.',
  context: ({ input }) => ({ isRetained: input.isRetained, isClosing: false, failure: null }),
  initial: 'idle',
  states: {
    idle: {
      description: 'No turn; the row keeps what was read and said, until it is idle for too long.',
      entry: 'startIdle',
      exit: 'cancelIdle',
      on: {
        'turn.begin': 'preparing',
        'session.change': { actions: 'applyChange' },
        'session.close': { target: 'closed', actions: 'answerClosed' },
        'session.expired': 'closed',
        'session.evicted': 'closed',
      },
    },
    preparing: {
      description: 'A preparation thread frames the prompt and cuts it into tokens.',
      tags: ['cancellable'],
      entry: 'preparePrompt',
      on: {
        'prompt.ready': { target: 'waiting', actions: 'queueTurn' },
        'prompt.refused': { target: 'between', actions: ['noteFailure', 'replyFailure'] },
        'turn.cancel': { target: 'abandoning', actions: 'replyCancelled' },
        ...busy,
      },
    },
    abandoning: {
      description: 'Cancelled, and answered: its prompt is still being cut.',
      on: {
        'prompt.ready': 'between',
        'prompt.refused': 'between',
        'turn.cancel': {},
        ...busy,
      },
    },
    waiting: {
      description: 'Waits for a row, for pages, and for room in an epoch.',
      tags: ['cancellable'],
      on: { 'turn.started': 'running', ...ending, ...cancellable, ...busy },
    },
    running: {
      description: 'In the epochs: reads its prompt, then says one token after another.',
      tags: ['cancellable'],
      on: { 'turn.stalled': 'stalled', ...ending, ...cancellable, ...busy },
    },
    stalled: {
      description: 'Its client does not read; the row is in no epoch until it does.',
      tags: ['cancellable'],
      on: { 'turn.resumed': 'running', ...failing, ...cancellable, ...busy },
    },
    settling: {
      description: 'Cancelled, and answered: an accepted epoch may still write the row.',
      on: {
        'turn.settled': 'between',
        'turn.started': {},
        'turn.stalled': {},
        'turn.resumed': {},
        'turn.ended': {},
        'turn.failed': {},
        'turn.cancel': {},
        ...busy,
      },
    },
    between: {
      description: 'The turn is over: the row is kept, or given back.',
      entry: 'announceTurnEnd',
      always: [{ guard: 'isOver', target: 'closed' }, { target: 'idle' }],
    },
    closed: {
      type: 'final',
      description: 'The row is given back.',
      entry: 'closeRow',
      tags: ['succeeded'],
    },
  },
});
