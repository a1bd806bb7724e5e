/**
 * A package served under an id, over its generations.
 *
 * Owns: the choice of the generation that gets new requests. Holds: a new generation is switched to
 * only when it is prepared and loaded; accepted requests stay with the generation that took them;
 * a failed replacement keeps the old one; of several registrations in a row the last one wins, and
 * each is answered once. What a lost thread or device took away is prepared again under a new
 * number, after a pause that grows; a registration never waits for that pause.
 * Parent: the server. Told by: the server (commands, the device), its preparation and generations.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';
import { attemptsMax, type Context, initialContext, type Input } from './deployment-context.js';
import { recovery, removal } from './deployment-endings.js';
import * as steps from './deployment-steps.js';

export type Event =
  | { type: 'deployment.register' }
  | { type: 'deployment.unregister' }
  | { type: 'request.submit' }
  | { type: 'preparation.prepared' }
  | { type: 'preparation.failed'; status: StatusRecord; withThread?: boolean }
  | { type: 'preparation.cancelled' }
  | { type: 'generation.loaded' }
  | { type: 'generation.failed'; generation: number; status: StatusRecord }
  | { type: 'generation.retired'; generation: number }
  | { type: 'generation.lost'; generation: number; status: StatusRecord; withThread?: boolean }
  | { type: 'device.lost'; status: StatusRecord }
  | { type: 'device.opened' }
  | { type: 'recovery.due' }
  | { type: 'recovery.settled' };

/** `generation`, or 0 when the event tells its end. */
const without = (generation: number, event: Event): number =>
  'generation' in event && event.generation === generation ? 0 : generation;

export const machine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as Input },
  guards: {
    noneLiving: ({ context }) => context.living === 0,
    isQueued: ({ context }) => context.queued,
    isStranded: ({ context }) => context.stranded,
    hasDevice: ({ context }) => context.device,
    isCurrent: ({ context, event }) =>
      'generation' in event && event.generation === context.current,
    isRetiring: ({ context, event }) =>
      'generation' in event &&
      event.generation !== context.current &&
      event.generation !== context.candidate,
    /** It has served, or was lost by no fault of its own, and not too many times in a row. */
    mayRecover: ({ context, event }) =>
      context.proven ||
      ('status' in event &&
        event.status.code === 'unavailable' &&
        context.attempts < attemptsMax('withThread' in event && event.withThread)),
    hasServed: ({ context }) => context.served,
  },
  actions: {
    countGeneration: assign({
      generation: ({ context }) => context.generation + 1,
      queued: false,
      stranded: false,
    }),
    markQueued: assign({ queued: true }),
    markStranded: assign({ stranded: true }),
    noteUnproven: assign({ proven: false }),
    noteReverted: assign({ proven: true }),
    noteCandidate: assign({
      candidate: ({ context }) => context.generation,
      living: ({ context }) => context.living + 1,
    }),
    noteSwitched: assign({
      current: ({ context }) => context.candidate,
      candidate: 0,
      proven: ({ context }) => !context.queued,
      served: true,
      failure: null,
    }),
    dropServing: assign({ current: 0, candidate: 0 }),
    dropLiving: assign({
      living: ({ context }) => Math.max(0, context.living - 1),
      current: ({ context, event }) => without(context.current, event),
      candidate: ({ context, event }) => without(context.candidate, event),
    }),
    noteDevice: assign({ device: true }),
    noteDeviceLost: assign({ device: false }),
    countAttempt: assign({ attempts: ({ context }) => context.attempts + 1 }),
    clearAttempts: assign({ attempts: 0 }),
    clearFailure: assign({ failure: null }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    keepDevice: effect,
    keepPackage: effect,
    supersedeRegistrations: effect,
    revertPackage: effect,
    startPreparation: effect,
    cancelPreparation: effect,
    releasePreparation: effect,
    keepCandidate: effect,
    dropCandidate: effect,
    startGeneration: effect,
    switchGeneration: effect,
    drainGenerations: effect,
    abandonGenerations: effect,
    releaseGeneration: effect,
    forgetGeneration: effect,
    forwardRequest: effect,
    refuseRequest: effect,
    refuseRegistration: effect,
    answerReady: effect,
    answerFailed: effect,
    startBackoff: effect,
    cancelBackoff: effect,
    startSteady: effect,
    cancelSteady: effect,
    awaitRemoval: effect,
    announceRemoved: effect,
  },
}).createMachine({
  id: 'deployment',
  description: 'A package served under an id.',
  context: ({ input }) => initialContext(input),
  initial: 'registering',
  states: {
    registering: {
      description: 'The id is taken; waits for the package.',
      on: {
        ...steps.waiting,
        'deployment.register': [
          { guard: 'hasDevice', target: 'preparing', actions: ['keepPackage', ...steps.begin] },
          { target: 'stranded', actions: 'keepPackage' },
        ],
        'deployment.unregister': { target: 'removed', actions: 'awaitRemoval' },
        'device.lost': { actions: ['noteDeviceLost', 'noteFailure'] },
      },
    },
    preparing: {
      description: 'A generation is being prepared and none serves.',
      on: {
        ...steps.refusing,
        'preparation.prepared': [
          { guard: 'isStranded', target: 'recovering' },
          { guard: 'isQueued', actions: ['keepCandidate', 'dropCandidate', ...steps.begin] },
          { target: 'loading', actions: steps.load },
        ],
        'preparation.failed': steps.notPrepared,
        'preparation.cancelled': [
          { guard: 'isStranded', target: 'recovering' },
          { actions: ['releasePreparation', ...steps.begin] },
        ],
        'deployment.register': { actions: steps.supersede },
        'deployment.unregister': {
          target: 'withdrawing',
          actions: ['awaitRemoval', 'cancelPreparation'],
        },
        'device.lost': { actions: [...steps.strand, 'markStranded', 'cancelPreparation'] },
      },
    },
    loading: {
      description: 'The prepared generation starts on a model thread; none serves.',
      on: {
        ...steps.working,
        'generation.loaded': steps.loaded,
        'generation.failed': steps.notLoaded,
        'generation.lost': steps.lostLoading,
        'deployment.register': { actions: [...steps.want, 'markQueued'] },
        'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
        'device.lost': { target: 'recovering', actions: steps.strandServing },
      },
    },
    serving: {
      description: 'New requests go to the current generation.',
      tags: ['accepting'],
      entry: ['answerReady', 'startSteady'],
      exit: 'cancelSteady',
      on: {
        ...steps.forwarding,
        'generation.lost': [
          {
            guard: 'isCurrent',
            target: 'recovering',
            actions: [...steps.gone, 'noteFailure'],
          },
          { actions: steps.gone },
        ],
        'deployment.register': {
          target: 'replacing',
          actions: [...steps.want, ...steps.begin],
        },
        'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
        'device.lost': { target: 'recovering', actions: steps.strandServing },
        'recovery.settled': { actions: 'clearAttempts' },
      },
    },
    ...recovery,
    replacing: {
      description: 'The current generation serves while the next is prepared.',
      tags: ['accepting'],
      on: {
        ...steps.forwarding,
        'preparation.prepared': [
          { guard: 'isQueued', actions: ['keepCandidate', 'dropCandidate', ...steps.begin] },
          { target: 'switching', actions: steps.load },
        ],
        'preparation.failed': [
          { guard: 'isQueued', actions: ['releasePreparation', ...steps.begin] },
          { target: 'serving', actions: ['releasePreparation', ...steps.fail, ...steps.revert] },
        ],
        'preparation.cancelled': { actions: ['releasePreparation', ...steps.begin] },
        'generation.lost': [
          {
            guard: 'isCurrent',
            target: 'preparing',
            actions: [...steps.gone, 'noteFailure'],
          },
          { actions: steps.gone },
        ],
        'deployment.register': { actions: steps.supersede },
        'deployment.unregister': {
          target: 'withdrawing',
          actions: ['awaitRemoval', 'cancelPreparation'],
        },
        'device.lost': {
          target: 'preparing',
          actions: [...steps.strandServing, 'markStranded', 'cancelPreparation'],
        },
      },
    },
    switching: {
      description: 'The next generation loads; the old one still serves.',
      tags: ['accepting'],
      on: {
        ...steps.forwarding,
        'generation.loaded': steps.loaded,
        'generation.failed': steps.notSwitched,
        'generation.lost': steps.lostSwitching,
        'deployment.register': { actions: [...steps.want, 'markQueued'] },
        'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
        'device.lost': { target: 'recovering', actions: steps.strandServing },
      },
    },
    ...removal,
  },
});
