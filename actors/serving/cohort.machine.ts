/**
 * One invocation for the members that share it.
 *
 * Owns: the invocation (its buffers, works and fences on the device) from acceptance to retirement.
 * Holds: every original ordinal is collected exactly once or returned exactly once (I4); storage is
 * freed by the device's ledger at retirement, never here; cancelled members stay to the end. Only
 * while nothing is on the device, and all of them have left, it ends early.
 * Parent: the model generation. Told by: itself (results of control calls), the generation (who
 * left), specializations, the device queue.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';
import { mayBeOneMembersFault } from '../policy/isolation.js';

export interface Input {
  readonly members: number;
}

export interface Context {
  readonly members: number;
  /** Declared stages that are still being compiled. */
  readonly pending: number;
  /** Members that were withdrawn by their owners. */
  readonly left: number;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'batch.prepared' }
  | { type: 'batch.undeclared'; missing: number }
  | { type: 'batch.rejected'; status: StatusRecord }
  | { type: 'members.left'; count: number }
  | { type: 'specialization.ready' }
  | { type: 'specialization.failed'; status: StatusRecord }
  | { type: 'work.accepted' }
  | { type: 'work.retired' }
  | { type: 'work.failed'; status: StatusRecord };

const ABANDONED: StatusRecord = { code: 'cancelled', message: 'every member has left' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as Input },
  guards: {
    /** Whether the failure that is told now may be one member's, and there are others. */
    isSharedFault: ({ context, event }) =>
      context.members > 1 && 'status' in event && mayBeOneMembersFault(event.status),
    hasSharedFault: ({ context }) =>
      context.members > 1 && context.failure !== null && mayBeOneMembersFault(context.failure),
    isAbandoned: ({ context }) => context.left === context.members,
    isLastPending: ({ context }) => context.pending === 1,
    hasFailed: ({ context }) => context.failure !== null,
  },
  actions: {
    notePending: assign({
      pending: ({ event }) => (event.type === 'batch.undeclared' ? event.missing : 0),
    }),
    countLeft: assign({
      left: ({ context, event }) =>
        context.left + (event.type === 'members.left' ? event.count : 0),
    }),
    noteAbandoned: assign({ failure: ({ context }) => context.failure ?? ABANDONED }),
    countPending: assign({ pending: ({ context }) => context.pending - 1 }),
    noteFailure: assign({
      failure: ({ context, event }) => context.failure ?? ('status' in event ? event.status : null),
    }),
    prepareBatch: effect,
    requestSpecializations: effect,
    submitInvocation: effect,
    collectMembers: effect,
    failMembers: effect,
    returnMembers: effect,
    forgetSpecialization: effect,
    releaseSpecializations: effect,
    announceEnd: effect,
  },
}).createMachine({
  id: 'cohort',
  description: 'One invocation for the members that share it.',
  context: ({ input }) => ({ members: input.members, pending: 0, left: 0, failure: null }),
  initial: 'preparing',
  states: {
    preparing: {
      description: 'Control runs prepare_batch over the members in arrival order.',
      entry: 'prepareBatch',
      on: {
        'batch.prepared': 'admitting',
        'batch.undeclared': { target: 'specializing', actions: 'notePending' },
        'members.left': { actions: 'countLeft' },
        'batch.rejected': [
          { guard: 'isSharedFault', target: 'dissolving', actions: 'noteFailure' },
          { target: 'failing', actions: 'noteFailure' },
        ],
      },
    },
    specializing: {
      description: 'Stages declared for this invocation are compiled; other cohorts go on.',
      entry: 'requestSpecializations',
      always: { guard: 'isAbandoned', target: 'failing', actions: 'noteAbandoned' },
      on: {
        'members.left': { actions: 'countLeft' },
        'specialization.ready': [
          { guard: 'isLastPending', target: 'resuming', actions: 'countPending' },
          { actions: 'countPending' },
        ],
        'specialization.failed': [
          {
            guard: 'isLastPending',
            target: 'resuming',
            actions: ['noteFailure', 'countPending', 'forgetSpecialization'],
          },
          { actions: ['noteFailure', 'countPending', 'forgetSpecialization'] },
        ],
      },
    },
    resuming: {
      description: 'Every declared stage was decided: goes on, unless one did not compile.',
      always: [
        { guard: 'hasSharedFault', target: 'dissolving' },
        { guard: 'hasFailed', target: 'failing' },
        { target: 'admitting' },
      ],
    },
    admitting: {
      description: 'Control ran; the device decides when the storage fits the budget.',
      entry: 'submitInvocation',
      on: {
        'members.left': {},
        'work.accepted': 'executing',
        'work.failed': [
          { guard: 'isSharedFault', target: 'dissolving', actions: 'noteFailure' },
          { target: 'failing', actions: 'noteFailure' },
        ],
        'batch.rejected': [
          { guard: 'isSharedFault', target: 'dissolving', actions: 'noteFailure' },
          { target: 'failing', actions: 'noteFailure' },
        ],
      },
    },
    executing: {
      description: 'The device owns the invocation until its work has retired.',
      tags: ['holdsDevice'],
      on: {
        'members.left': {},
        'work.retired': 'collecting',
        'work.failed': [
          { guard: 'isSharedFault', target: 'dissolving', actions: 'noteFailure' },
          { target: 'failing', actions: 'noteFailure' },
        ],
      },
    },
    collecting: {
      description: 'Each ordinal gets its rows, cancelled ones included.',
      entry: 'collectMembers',
      always: 'retired',
    },
    failing: {
      description: 'Each ordinal is told the failure.',
      entry: 'failMembers',
      always: 'failed',
    },
    dissolving: {
      description: 'A call or a work for all of them failed: each is returned, to run once alone.',
      entry: 'returnMembers',
      always: 'dissolved',
    },
    retired: {
      type: 'final',
      description: 'Collected; its storage is back.',
      entry: ['releaseSpecializations', 'announceEnd'],
      tags: ['succeeded'],
    },
    failed: {
      type: 'final',
      description: 'Every member was told the failure.',
      entry: ['releaseSpecializations', 'announceEnd'],
      tags: ['failed'],
    },
    dissolved: {
      type: 'final',
      description: 'Every member was returned.',
      entry: ['releaseSpecializations', 'announceEnd'],
      tags: ['failed'],
    },
  },
});
