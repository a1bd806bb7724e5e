/**
 * One exact stage declaration of an invocation, compiled once for all cohorts that ask for it.
 *
 * Owns: the executable on the device while `ready`. Holds: leases count its users; it is evicted
 * only when unused; a compile that was accepted is always joined before this actor ends.
 * Parent: the model generation (which bounds how many there are).
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  readonly users: number;
  readonly evicting: boolean;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'specialization.use' }
  | { type: 'specialization.release' }
  | { type: 'specialization.evict' }
  | { type: 'stage.compiled' }
  | { type: 'stage.refused'; status: StatusRecord }
  | { type: 'stage.placed' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    isEvictable: ({ context }) => context.evicting && context.users === 0,
  },
  actions: {
    countUser: assign({ users: ({ context }) => context.users + 1 }),
    dropUser: assign({ users: ({ context }) => context.users - 1 }),
    markEvicting: assign({ evicting: true }),
    noteFailure: assign({
      failure: ({ event }) => (event.type === 'stage.refused' ? event.status : null),
    }),
    noteWaiter: effect,
    compileStage: effect,
    placeStage: effect,
    announceReady: effect,
    answerReady: effect,
    dropWaiter: effect,
    announceFailed: effect,
    unloadStage: effect,
  },
}).createMachine({
  id: 'specialization',
  description: 'One exact stage declaration, compiled once for every cohort that asks for it.',
  context: { users: 0, evicting: false, failure: null },
  initial: 'keyed',
  states: {
    keyed: {
      description: 'Its key is known; the first use starts the compile.',
      on: {
        'specialization.use': { target: 'compiling', actions: ['countUser', 'noteWaiter'] },
      },
    },
    compiling: {
      description: 'The pool compiles it; every asker waits for the same result.',
      entry: 'compileStage',
      on: {
        'specialization.use': { actions: ['countUser', 'noteWaiter'] },
        'specialization.release': { actions: ['dropUser', 'dropWaiter'] },
        'specialization.evict': { actions: 'markEvicting' },
        'stage.compiled': { target: 'placing' },
        'stage.refused': { target: 'failed', actions: 'noteFailure' },
      },
    },
    placing: {
      description: 'The device loads the code.',
      entry: 'placeStage',
      on: {
        'specialization.use': { actions: ['countUser', 'noteWaiter'] },
        'specialization.release': { actions: ['dropUser', 'dropWaiter'] },
        'specialization.evict': { actions: 'markEvicting' },
        'stage.placed': { target: 'ready', actions: 'announceReady' },
        'stage.refused': { target: 'failed', actions: 'noteFailure' },
      },
    },
    ready: {
      description: 'The executable is on the device.',
      always: { guard: 'isEvictable', target: 'evicted' },
      on: {
        'specialization.use': { actions: ['countUser', 'answerReady'] },
        'specialization.release': { actions: 'dropUser' },
        'specialization.evict': { actions: 'markEvicting' },
      },
    },
    evicted: {
      type: 'final',
      description: 'Unused and asked to leave: its code was unloaded.',
      entry: 'unloadStage',
      tags: ['succeeded'],
    },
    failed: {
      type: 'final',
      description: 'It does not compile or load; every asker was told.',
      entry: 'announceFailed',
      tags: ['failed'],
    },
  },
});
