/**
 * What an invocation declared (one stage, or a choice with parameters or sources of its own),
 * prepared and compiled once for all cohorts that ask for it.
 *
 * Owns: its programs, banks and files on the device. Holds: leases count its users; it is evicted
 * only when unused; whatever was asked for is always joined before this actor ends, and a failure
 * leaves nothing on the device.
 * Parent: the model generation (which bounds how many there are).
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Input {
  /** It has parameters or sources of its own. */
  readonly isChoice: boolean;
}

export interface Context {
  readonly isChoice: boolean;
  readonly users: number;
  readonly evicting: boolean;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'specialization.use' }
  | { type: 'specialization.release' }
  | { type: 'specialization.evict' }
  | { type: 'choice.resolved' }
  | { type: 'stage.compiled' }
  | { type: 'stage.refused'; status: StatusRecord }
  | { type: 'stage.placed' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as Input },
  guards: {
    isChoice: ({ context }) => context.isChoice,
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
    resolveChoice: effect,
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
  description: 'What an invocation declared, made once for every cohort that asks for it.',
  context: ({ input: { isChoice } }) => ({ isChoice, users: 0, evicting: false, failure: null }),
  initial: 'keyed',
  states: {
    keyed: {
      description: 'Its key is known; the first use starts the compile.',
      on: {
        'specialization.use': [
          { guard: 'isChoice', target: 'resolving', actions: ['countUser', 'noteWaiter'] },
          { target: 'compiling', actions: ['countUser', 'noteWaiter'] },
        ],
      },
    },
    resolving: {
      description: 'The preparer opens its files, plans its banks and gives both to the device.',
      entry: 'resolveChoice',
      on: {
        'specialization.use': { actions: ['countUser', 'noteWaiter'] },
        'specialization.release': { actions: ['dropUser', 'dropWaiter'] },
        'specialization.evict': { actions: 'markEvicting' },
        'choice.resolved': 'compiling',
        'stage.refused': { target: 'failed', actions: 'noteFailure' },
      },
    },
    compiling: {
      description: 'The pool compiles its programs; every asker waits for the same result.',
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
      description: 'It is on the device.',
      always: { guard: 'isEvictable', target: 'evicted' },
      on: {
        'specialization.use': { actions: ['countUser', 'answerReady'] },
        'specialization.release': { actions: 'dropUser' },
        'specialization.evict': { actions: 'markEvicting' },
      },
    },
    evicted: {
      type: 'final',
      description: 'Unused and asked to leave: nothing of it is on the device.',
      entry: 'unloadStage',
      tags: ['succeeded'],
    },
    failed: {
      type: 'final',
      description: 'It cannot be made; every asker was told, and what there was of it is gone.',
      entry: ['announceFailed', 'unloadStage'],
      tags: ['failed'],
    },
  },
});
