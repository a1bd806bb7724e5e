/**
 * The states of the deployment's chart in which nothing serves for good or for now: what was lost
 * is brought back, or all of it leaves. Names only, like `deployment-steps.ts`.
 */
import * as steps from './deployment-steps.js';

export const recovery = {
  recovering: {
    description: 'What served was lost: after a pause its package is prepared again.',
    entry: ['countAttempt', 'startBackoff'],
    exit: 'cancelBackoff',
    on: {
      ...steps.refusing,
      'recovery.due': [
        { guard: 'hasDevice', target: 'preparing', actions: steps.begin },
        { target: 'stranded' },
      ],
      'deployment.register': [
        {
          guard: 'hasDevice',
          target: 'preparing',
          actions: ['supersedeRegistrations', ...steps.want, ...steps.begin],
        },
        { actions: ['supersedeRegistrations', ...steps.want] },
      ],
      'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
      'device.lost': { actions: steps.strand },
    },
  },
  stranded: {
    description: 'Nothing can be prepared before the device is open again.',
    on: {
      ...steps.refusing,
      'device.opened': {
        target: 'preparing',
        actions: ['noteDevice', 'keepDevice', ...steps.begin],
      },
      'deployment.register': { actions: ['supersedeRegistrations', ...steps.want] },
      'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
    },
  },
} as const;

export const removal = {
  withdrawing: {
    description: 'Unregistered while a preparation runs: it is joined, then all drains.',
    on: {
      ...steps.ending,
      'preparation.prepared': { target: 'draining', actions: ['keepCandidate', 'dropCandidate'] },
      'preparation.failed': { target: 'draining', actions: 'releasePreparation' },
      'preparation.cancelled': { target: 'draining', actions: 'releasePreparation' },
    },
  },
  draining: {
    description: 'Accepted requests finish; nothing new is taken.',
    entry: 'drainGenerations',
    always: { guard: 'noneLiving', target: 'removed' },
    on: { ...steps.ending, 'generation.loaded': { actions: 'drainGenerations' } },
  },
  failed: {
    description: 'It never served and cannot; waits for a better package or for its removal.',
    entry: 'answerFailed',
    on: {
      ...steps.refusing,
      'deployment.register': [
        {
          guard: 'hasDevice',
          target: 'preparing',
          actions: ['clearFailure', 'clearAttempts', 'keepPackage', ...steps.begin],
        },
        { target: 'stranded', actions: ['clearFailure', 'clearAttempts', 'keepPackage'] },
      ],
      'deployment.unregister': { target: 'draining', actions: 'awaitRemoval' },
      'device.lost': { actions: ['noteDeviceLost', 'abandonGenerations'] },
    },
  },
  removed: {
    type: 'final',
    description: 'Its last generation retired; the id is free.',
    entry: 'announceRemoved',
    tags: ['succeeded'],
  },
} as const;
