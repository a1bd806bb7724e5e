/**
 * One accepted call of a finite contract: its inputs are members, prepared together, offered to the
 * generation's scheduler, served by one or more cohorts and delivered in input order.
 *
 * Owns: nothing on the device. Prepared bytes and collected rows are host copies of this request.
 * Holds: exactly one terminal (done, cancelled, failed), and not before every offered member was
 * collected, returned or dropped (actors/serving/member.ts); a cancel only marks. The caller is
 * answered as soon as the answer is known, also while members have still to leave their cohorts.
 * Parent: the model generation. Told by: the generation, the preparer's reply, cohorts.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Input {
  readonly members: number;
  /** Its members were prepared where it lives. */
  readonly isPrepared: boolean;
}

export interface Context {
  readonly members: number;
  readonly isPrepared: boolean;
  /** Members not collected yet. */
  readonly open: number;
  /** Of those, the ones that wait outside any cohort. */
  readonly waiting: number;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'members.prepared' }
  | { type: 'members.refused'; status: StatusRecord }
  | { type: 'member.joined' }
  | { type: 'member.returned' }
  | { type: 'member.collected'; failure: StatusRecord | null }
  | { type: 'members.dropped'; count: number }
  | { type: 'request.cancel' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as Input },
  guards: {
    isPrepared: ({ context }) => context.isPrepared,
    isLast: ({ context }) => context.open === 1,
    hasFailed: ({ context, event }) =>
      context.failure !== null || ('failure' in event && event.failure !== null),
    isSettled: ({ context }) => context.open === 0,
    isSettledCancelled: ({ context }) => context.open === 0 && context.failure === null,
    allWaiting: ({ context }) => context.open === context.waiting,
  },
  actions: {
    countJoined: assign({ waiting: ({ context }) => context.waiting - 1 }),
    countReturned: assign({ waiting: ({ context }) => context.waiting + 1 }),
    countCollected: assign({ open: ({ context }) => context.open - 1 }),
    countDropped: assign({
      open: ({ context, event }) =>
        context.open - (event.type === 'members.dropped' ? event.count : 0),
    }),
    noteRefusal: assign({
      failure: ({ event }) => (event.type === 'members.refused' ? event.status : null),
    }),
    noteFailure: assign({
      failure: ({ context, event }) =>
        context.failure ?? (event.type === 'member.collected' ? event.failure : null),
    }),
    prepareMembers: effect,
    offerMembers: effect,
    offerAlone: effect,
    withdrawMembers: effect,
    keepRows: effect,
    deliverRows: effect,
    replyFailure: effect,
    replyCancelled: effect,
    announceEnd: effect,
  },
}).createMachine({
  id: 'finiteRequest',
  description: 'One accepted call of a finite contract, from its inputs to its rows.',
  context: ({ input }) => ({
    members: input.members,
    isPrepared: input.isPrepared,
    open: input.members,
    waiting: input.members,
    failure: null,
  }),
  initial: 'preparing',
  states: {
    preparing: {
      description: 'A preparation thread runs prepare_request for every input, unless it is done.',
      tags: ['cancellable'],
      entry: 'prepareMembers',
      always: { guard: 'isPrepared', target: 'waiting', actions: 'offerMembers' },
      on: {
        'members.prepared': { target: 'waiting', actions: 'offerMembers' },
        'members.refused': { target: 'failed', actions: ['noteRefusal', 'replyFailure'] },
        'request.cancel': { target: 'abandoning', actions: 'replyCancelled' },
      },
    },
    abandoning: {
      description: 'Cancelled, and answered: its preparation still runs, and it ends with that.',
      on: {
        'members.prepared': 'cancelled',
        'members.refused': 'cancelled',
        'request.cancel': {},
      },
    },
    waiting: {
      description: 'Every open member waits for a cohort.',
      tags: ['cancellable'],
      on: {
        'member.joined': { target: 'inCohort', actions: 'countJoined' },
        'request.cancel': { target: 'settling', actions: ['withdrawMembers', 'replyCancelled'] },
      },
    },
    inCohort: {
      description: 'At least one member is in a cohort; each is collected once.',
      tags: ['cancellable'],
      on: {
        'member.joined': { actions: 'countJoined' },
        'member.returned': { target: 'regrouping', actions: ['countReturned', 'offerAlone'] },
        'member.collected': [
          {
            guard: 'hasFailed',
            target: 'settling',
            actions: ['noteFailure', 'countCollected', 'withdrawMembers', 'replyFailure'],
          },
          { guard: 'isLast', target: 'delivering', actions: ['keepRows', 'countCollected'] },
          { target: 'regrouping', actions: ['keepRows', 'countCollected'] },
        ],
        'request.cancel': { target: 'settling', actions: ['withdrawMembers', 'replyCancelled'] },
      },
    },
    regrouping: {
      description: 'Decides whether any member is still in a cohort.',
      always: [{ guard: 'allWaiting', target: 'waiting' }, { target: 'inCohort' }],
    },
    settling: {
      description:
        'Cancelled or failed, and answered: every member leaves its cohort or the queue first.',
      always: [
        { guard: 'isSettledCancelled', target: 'cancelled' },
        { guard: 'isSettled', target: 'failed' },
      ],
      on: {
        'member.joined': {},
        'member.returned': { actions: 'countCollected' },
        'member.collected': { actions: 'countCollected' },
        'members.dropped': { actions: 'countDropped' },
        'request.cancel': {},
      },
    },
    delivering: {
      description: 'Its rows are complete and go to the caller.',
      entry: 'deliverRows',
      always: 'done',
    },
    done: {
      type: 'final',
      description: 'Every row was delivered.',
      entry: 'announceEnd',
      tags: ['succeeded'],
    },
    cancelled: {
      type: 'final',
      description: 'The caller left or its time was up; nothing more is published.',
      entry: 'announceEnd',
      tags: ['cancelled'],
    },
    failed: {
      type: 'final',
      description: 'A member failed; the caller was told why.',
      entry: 'announceEnd',
      tags: ['failed'],
    },
  },
});
