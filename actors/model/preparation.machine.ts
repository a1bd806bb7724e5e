/**
 * The cold preparation of one package: from its files to compiled stages on the device.
 *
 * Owns: compiled artefacts until they are handed over in `prepared`. Holds: submits no device work;
 * every accepted compile or load is joined before it ends, so a cancel leaves nothing behind.
 * Parent: the preparation thread's root. Told by: its deployment, the task pool, the device queue.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  /** Compiles or loads that were started and not answered; below 0 what came before the count. */
  readonly pending: number;
  /** How many were started is known. */
  readonly isCounted: boolean;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'stages.declared' }
  | { type: 'package.refused'; status: StatusRecord }
  | { type: 'artefacts.started'; count: number }
  | { type: 'artefact.ready' }
  | { type: 'artefact.refused'; status: StatusRecord }
  | { type: 'preparation.cancel' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    isLast: ({ context }) => context.pending === 1,
    isJoined: ({ context }) => context.isCounted && context.pending === 0,
    isJoinedCancelled: ({ context }) =>
      context.isCounted && context.pending === 0 && context.failure === null,
  },
  actions: {
    expectCount: assign({ isCounted: false }),
    // What was asked earlier may be there before it is counted.
    noteCount: assign({
      isCounted: true,
      pending: ({ context, event }) =>
        context.pending + (event.type === 'artefacts.started' ? event.count : 0),
    }),
    countReady: assign({ pending: ({ context }) => context.pending - 1 }),
    noteFailure: assign({
      failure: ({ context, event }) => context.failure ?? ('status' in event ? event.status : null),
    }),
    declareStages: effect,
    compileArtefacts: effect,
    placeArtefacts: effect,
    handOver: effect,
    unloadArtefacts: effect,
    announceFailed: effect,
    announceCancelled: effect,
  },
}).createMachine({
  id: 'preparation',
  description: 'The cold preparation of one package.',
  context: { pending: 0, isCounted: false, failure: null },
  initial: 'declaring',
  states: {
    declaring: {
      description: 'Its files are linked, checkpoints indexed, its prepare entry and policies run.',
      tags: ['cancellable'],
      entry: 'declareStages',
      on: {
        'stages.declared': 'compiling',
        'artefact.ready': { actions: 'countReady' },
        'artefact.refused': { target: 'failed', actions: 'noteFailure' },
        'package.refused': { target: 'failed', actions: 'noteFailure' },
        'preparation.cancel': 'cancelled',
      },
    },
    compiling: {
      description: 'The pool compiles the control program and every declared stage.',
      tags: ['cancellable'],
      entry: ['expectCount', 'compileArtefacts'],
      on: {
        'artefacts.started': { actions: 'noteCount' },
        'artefact.ready': [
          { guard: 'isLast', target: 'placing', actions: 'countReady' },
          { actions: 'countReady' },
        ],
        'artefact.refused': { target: 'joining', actions: ['noteFailure', 'countReady'] },
        'preparation.cancel': 'joining',
      },
    },
    placing: {
      description: 'The device loads the compiled stages.',
      tags: ['cancellable'],
      entry: ['expectCount', 'placeArtefacts'],
      on: {
        'artefacts.started': { actions: 'noteCount' },
        'artefact.ready': [
          { guard: 'isLast', target: 'prepared', actions: 'countReady' },
          { actions: 'countReady' },
        ],
        'artefact.refused': { target: 'joining', actions: ['noteFailure', 'countReady'] },
        'preparation.cancel': 'joining',
      },
    },
    joining: {
      description: 'Cancelled or failed: what was accepted is joined, then it ends.',
      always: [
        { guard: 'isJoinedCancelled', target: 'cancelled' },
        { guard: 'isJoined', target: 'failed' },
      ],
      on: {
        'artefacts.started': { actions: 'noteCount' },
        'artefact.ready': { actions: 'countReady' },
        'artefact.refused': { actions: 'countReady' },
        'preparation.cancel': {},
      },
    },
    prepared: {
      type: 'final',
      description: 'Handed over to the deployment.',
      entry: 'handOver',
      tags: ['succeeded'],
    },
    cancelled: {
      type: 'final',
      description: 'Superseded or unregistered; nothing is left of it.',
      entry: ['unloadArtefacts', 'announceCancelled'],
      tags: ['cancelled'],
    },
    failed: {
      type: 'final',
      description: 'The package is at fault; the deployment was told why.',
      entry: ['unloadArtefacts', 'announceFailed'],
      tags: ['failed'],
    },
  },
});
