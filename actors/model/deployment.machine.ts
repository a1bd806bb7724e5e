/**
 * A package served under an id, over its generations.
 *
 * Owns: the choice of the generation that gets new requests. Holds: a new generation is switched to
 * only when it is prepared and loaded; accepted requests stay with the generation that took them;
 * a failed replacement keeps the old one; of several registrations in a row the last one wins.
 * Parent: the server. Told by: the server (commands), its preparation and its generations (facts).
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  /** Number of the latest preparation, from 1: the generation's number. */
  readonly generation: number;
  /** A newer package waits until the running preparation or load has ended. */
  readonly queued: boolean;
  /** Generations that live on a model thread, retiring ones included. */
  readonly living: number;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'deployment.register' }
  | { type: 'deployment.unregister' }
  | { type: 'request.submit' }
  | { type: 'preparation.prepared' }
  | { type: 'preparation.failed'; status: StatusRecord }
  | { type: 'preparation.cancelled' }
  | { type: 'generation.loaded' }
  | { type: 'generation.failed'; status: StatusRecord }
  | { type: 'generation.retired' }
  | { type: 'generation.lost'; status: StatusRecord };

const leaving = {
  'generation.retired': { actions: ['dropLiving', 'forgetGeneration'] },
  'generation.lost': { actions: ['dropLiving', 'forgetGeneration'] },
} as const;

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    noneLiving: ({ context }) => context.living === 0,
    isQueued: ({ context }) => context.queued,
  },
  actions: {
    countGeneration: assign({
      generation: ({ context }) => context.generation + 1,
      queued: false,
    }),
    markQueued: assign({ queued: true }),
    countLiving: assign({ living: ({ context }) => context.living + 1 }),
    dropLiving: assign({ living: ({ context }) => Math.max(0, context.living - 1) }),
    clearFailure: assign({ failure: null }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    keepPackage: effect,
    startPreparation: effect,
    cancelPreparation: effect,
    startGeneration: effect,
    switchGeneration: effect,
    keepCandidate: effect,
    dropCandidate: effect,
    drainGenerations: effect,
    forgetGeneration: effect,
    forwardRequest: effect,
    refuseRequest: effect,
    refuseRegistration: effect,
    answerReady: effect,
    answerFailed: effect,
    awaitRemoval: effect,
    announceRemoved: effect,
  },
}).createMachine({
  id: 'deployment',
  description: 'A package served under an id.',
  context: { generation: 0, queued: false, living: 0, failure: null },
  initial: 'registering',
  states: {
    registering: {
      description: 'The id is taken; waits for the package.',
      on: {
        'deployment.register': { target: 'preparing', actions: 'keepPackage' },
        'deployment.unregister': { target: 'removed', actions: 'awaitRemoval' },
        'request.submit': { actions: 'refuseRequest' },
      },
    },
    preparing: {
      description: 'A generation is being prepared and none serves yet.',
      entry: ['countGeneration', 'startPreparation'],
      on: {
        ...leaving,
        'preparation.prepared': [
          {
            guard: 'isQueued',
            target: 'preparing',
            actions: ['keepCandidate', 'dropCandidate'],
            reenter: true,
          },
          { target: 'loading', actions: 'keepCandidate' },
        ],
        'preparation.failed': [
          { guard: 'isQueued', target: 'preparing', reenter: true },
          { target: 'failed', actions: 'noteFailure' },
        ],
        'preparation.cancelled': { target: 'preparing', reenter: true },
        'deployment.register': { actions: ['keepPackage', 'markQueued', 'cancelPreparation'] },
        'deployment.unregister': {
          target: 'withdrawing',
          actions: ['awaitRemoval', 'cancelPreparation'],
        },
        'request.submit': { actions: 'refuseRequest' },
      },
    },
    loading: {
      description: 'The prepared generation starts on a model thread.',
      entry: ['countLiving', 'startGeneration'],
      on: {
        'generation.loaded': [
          { guard: 'isQueued', target: 'replacing', actions: 'switchGeneration' },
          { target: 'serving', actions: 'switchGeneration' },
        ],
        'generation.failed': [
          { guard: 'isQueued', target: 'preparing', actions: 'dropLiving' },
          { target: 'failed', actions: ['dropLiving', 'noteFailure'] },
        ],
        'generation.lost': { target: 'preparing', actions: ['dropLiving', 'forgetGeneration'] },
        'generation.retired': { actions: ['dropLiving', 'forgetGeneration'] },
        'deployment.register': { actions: ['keepPackage', 'markQueued'] },
        'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
        'request.submit': { actions: 'refuseRequest' },
      },
    },
    serving: {
      description: 'New requests go to the current generation.',
      tags: ['accepting'],
      entry: 'answerReady',
      on: {
        'request.submit': { actions: 'forwardRequest' },
        'deployment.register': { target: 'replacing', actions: 'keepPackage' },
        'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
        'generation.retired': { actions: ['dropLiving', 'forgetGeneration'] },
        'generation.lost': { target: 'preparing', actions: ['dropLiving', 'forgetGeneration'] },
      },
    },
    replacing: {
      description: 'The current generation serves while the next is prepared.',
      tags: ['accepting'],
      entry: ['countGeneration', 'startPreparation'],
      on: {
        ...leaving,
        'request.submit': { actions: 'forwardRequest' },
        'preparation.prepared': [
          {
            guard: 'isQueued',
            target: 'replacing',
            actions: ['keepCandidate', 'dropCandidate'],
            reenter: true,
          },
          { target: 'switching', actions: 'keepCandidate' },
        ],
        'preparation.failed': [
          { guard: 'isQueued', target: 'replacing', reenter: true },
          { target: 'serving', actions: ['noteFailure', 'answerFailed'] },
        ],
        'preparation.cancelled': { target: 'replacing', reenter: true },
        'deployment.register': { actions: ['keepPackage', 'markQueued', 'cancelPreparation'] },
        'deployment.unregister': {
          target: 'withdrawing',
          actions: ['awaitRemoval', 'cancelPreparation'],
        },
      },
    },
    switching: {
      description: 'The next generation loads; the old one still serves.',
      tags: ['accepting'],
      entry: ['countLiving', 'startGeneration'],
      on: {
        ...leaving,
        'request.submit': { actions: 'forwardRequest' },
        'generation.loaded': [
          { guard: 'isQueued', target: 'replacing', actions: ['clearFailure', 'switchGeneration'] },
          { target: 'serving', actions: ['clearFailure', 'switchGeneration'] },
        ],
        'generation.failed': [
          { guard: 'isQueued', target: 'replacing', actions: 'dropLiving' },
          { target: 'serving', actions: ['dropLiving', 'noteFailure', 'answerFailed'] },
        ],
        'deployment.register': { actions: ['keepPackage', 'markQueued'] },
        'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
      },
    },
    withdrawing: {
      description: 'Unregistered while a preparation runs: it is joined, then all drains.',
      on: {
        ...leaving,
        'preparation.prepared': { target: 'draining', actions: ['keepCandidate', 'dropCandidate'] },
        'preparation.failed': 'draining',
        'preparation.cancelled': 'draining',
        'deployment.register': { actions: 'refuseRegistration' },
        'deployment.unregister': { actions: 'awaitRemoval' },
        'request.submit': { actions: 'refuseRequest' },
      },
    },
    draining: {
      description: 'Accepted requests finish; nothing new is taken.',
      entry: 'drainGenerations',
      always: { guard: 'noneLiving', target: 'removed' },
      on: {
        ...leaving,
        'generation.loaded': { actions: 'drainGenerations' },
        'generation.failed': { actions: 'dropLiving' },
        'deployment.register': { actions: 'refuseRegistration' },
        'deployment.unregister': { actions: 'awaitRemoval' },
        'request.submit': { actions: 'refuseRequest' },
      },
    },
    failed: {
      description: 'It cannot serve; it waits for a better package or for its removal.',
      entry: 'answerFailed',
      on: {
        ...leaving,
        'deployment.register': { target: 'preparing', actions: ['clearFailure', 'keepPackage'] },
        'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
        'request.submit': { actions: 'refuseRequest' },
      },
    },
    removed: {
      type: 'final',
      description: 'Its last generation retired; the id is free.',
      entry: 'announceRemoved',
      tags: ['succeeded'],
    },
  },
});
