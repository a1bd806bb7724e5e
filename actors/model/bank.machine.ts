/**
 * The resident parameters of one domain, on the device thread.
 *
 * Owns: the bank's storage, from activation until it has left. Holds: code and any state live on
 * when it leaves (only bytes that a checkpoint can give again go); it leaves when no admitted
 * invocation uses it, never before. A failed activation leaves it absent, and the next need tries
 * again.
 * Parent: the device queue. Told by: the table of banks, its loader, the device queue.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  /** Admitted invocations when it was asked to leave that have not retired. */
  readonly inUse: boolean;
  /** Its generation has ended. */
  readonly retiring: boolean;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'bank.activate' }
  | { type: 'load.progressed' }
  | { type: 'load.done' }
  | { type: 'load.failed'; status: StatusRecord }
  | { type: 'bank.evict'; users: number }
  | { type: 'bank.unused' }
  | { type: 'bank.retire' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    isUnused: ({ context }) => !context.inUse,
    isRetiring: ({ context }) => context.retiring,
  },
  actions: {
    noteUsers: assign({
      inUse: ({ event }) => event.type === 'bank.evict' && event.users > 0,
    }),
    noteUnused: assign({ inUse: false }),
    markRetiring: assign({ retiring: true }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    clearFailure: assign({ failure: null }),
    startLoading: effect,
    stopLoading: effect,
    logProgress: effect,
    announceResident: effect,
    announceFailed: effect,
    askToLeave: effect,
    releaseStorage: effect,
    unregister: effect,
  },
}).createMachine({
  id: 'bank',
  description: 'Resident parameters that stages share.',
  context: { inUse: false, retiring: false, failure: null },
  initial: 'absent',
  states: {
    absent: {
      description: 'Only the plan is there; whoever needs it has it activated.',
      always: { guard: 'isRetiring', target: 'retired' },
      on: {
        'bank.activate': { target: 'activating', actions: 'clearFailure' },
        'bank.retire': { actions: 'markRetiring', target: 'absent' },
        'bank.unused': {},
      },
    },
    activating: {
      description: 'Its storage is placed and filled from the checkpoints, block by block.',
      tags: ['holdsDevice'],
      entry: 'startLoading',
      on: {
        'load.progressed': { actions: 'logProgress' },
        'load.done': [
          // It was done when it was told to stop.
          {
            guard: 'isRetiring',
            target: 'resident',
            actions: ['announceResident', 'askToLeave'],
          },
          { target: 'resident', actions: 'announceResident' },
        ],
        'load.failed': { target: 'absent', actions: ['noteFailure', 'announceFailed'] },
        'bank.retire': { actions: ['markRetiring', 'stopLoading'] },
      },
    },
    resident: {
      description: 'Launches bind it; it leaves when it is idle and others need the room.',
      tags: ['holdsDevice'],
      on: {
        'bank.evict': { target: 'deactivating', actions: 'noteUsers' },
        'bank.retire': { actions: ['markRetiring', 'askToLeave'] },
        'bank.unused': {},
      },
    },
    deactivating: {
      description: 'Nobody new uses it; it leaves with its last use.',
      tags: ['holdsDevice'],
      always: { guard: 'isUnused', target: 'absent', actions: 'releaseStorage' },
      on: {
        'bank.unused': { actions: 'noteUnused' },
        'bank.retire': { actions: 'markRetiring' },
      },
    },
    retired: {
      type: 'final',
      description: 'Its generation has ended and its bytes are back.',
      entry: 'unregister',
      tags: ['succeeded'],
    },
  },
});
