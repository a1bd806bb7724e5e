/**
 * One registered version of a deployment on its model thread: control VM, scheduler, requests,
 * cohorts and specializations are its children and resources.
 *
 * Holds: accepted requests stay with it to their terminal; it retires only when the last has ended,
 * no cohort is in flight and every compile was joined, and releases its stages on the device then.
 * When the device is lost, nothing of it can be finished: it ends at once, and with it whatever it
 * is the parent of, so that each open request is answered by its end. Without its preparer it takes
 * no new requests. Parent: the thread's root. Told by: its deployment, its requests and cohorts.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  /** Requests that have not ended. */
  readonly requests: number;
  readonly cohorts: number;
  /** Asks for stages that are compiled or loaded now, also of cohorts that have left. */
  readonly specializing: number;
  /** Its preparer lives on a preparation thread. */
  readonly preparer: boolean;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'control.loaded' }
  | { type: 'control.refused'; status: StatusRecord }
  | { type: 'request.submit' }
  | { type: 'request.ended' }
  | { type: 'members.offered' }
  | { type: 'offers.gathered' }
  | { type: 'members.withdrawn' }
  | { type: 'cohort.formed' }
  | { type: 'cohort.ended' }
  | { type: 'specialization.request' }
  | { type: 'specialization.returned' }
  | { type: 'specialization.decided' }
  | { type: 'preparer.lost' }
  | { type: 'preparer.due' }
  | { type: 'device.lost'; status: StatusRecord }
  | { type: 'generation.drain' };

/** Threads end in every state. */
const losses = {
  'preparer.lost': { actions: ['notePreparerLost', 'startBackoff'] },
  'preparer.due': { actions: ['startPreparer', 'notePreparer'] },
  'device.lost': { target: 'lost', actions: 'noteFailure' },
} as const;

/** What goes on while requests are open, draining or not. */
const serving = {
  'members.offered': { actions: ['keepMembers', 'gatherOffers'] },
  'offers.gathered': { actions: 'formCohorts' },
  'members.withdrawn': { actions: 'dropMembers' },
  'cohort.formed': { actions: 'countCohort' },
  'specialization.request': { actions: ['countSpecializing', 'lendSpecialization'] },
  'specialization.returned': { actions: 'takeBackSpecialization' },
} as const;

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    isIdle: ({ context: { requests, cohorts, specializing } }) =>
      requests === 0 && cohorts === 0 && specializing === 0,
    hasPreparer: ({ context }) => context.preparer,
  },
  actions: {
    countRequest: assign({ requests: ({ context }) => context.requests + 1 }),
    dropRequest: assign({ requests: ({ context }) => context.requests - 1 }),
    countCohort: assign({ cohorts: ({ context }) => context.cohorts + 1 }),
    dropCohort: assign({ cohorts: ({ context }) => context.cohorts - 1 }),
    countSpecializing: assign({ specializing: ({ context }) => context.specializing + 1 }),
    dropSpecializing: assign({ specializing: ({ context }) => context.specializing - 1 }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    notePreparer: assign({ preparer: true }),
    notePreparerLost: assign({ preparer: false }),
    startPreparer: effect,
    startBackoff: effect,
    loadControl: effect,
    announceLoaded: effect,
    announceFailed: effect,
    announceRetired: effect,
    announceLost: effect,
    acceptRequest: effect,
    refuseRequest: effect,
    keepMembers: effect,
    dropMembers: effect,
    forgetRequest: effect,
    forgetCohort: effect,
    gatherOffers: effect,
    formCohorts: effect,
    lendSpecialization: effect,
    takeBackSpecialization: effect,
    releaseStages: effect,
  },
}).createMachine({
  id: 'generation',
  description: 'One version of a deployment, serving on its model thread.',
  context: { requests: 0, cohorts: 0, specializing: 0, preparer: true, failure: null },
  initial: 'loading',
  states: {
    loading: {
      description: 'The control program is instantiated over the frozen state.',
      entry: ['startPreparer', 'loadControl'],
      on: {
        ...losses,
        'generation.drain': {},
        'control.loaded': { target: 'prepared', actions: 'announceLoaded' },
        'control.refused': { target: 'failed', actions: 'noteFailure' },
      },
    },
    prepared: {
      description: 'Ready; no request is open and nothing is compiled.',
      tags: ['accepting'],
      on: {
        ...losses,
        'request.submit': [
          {
            guard: 'hasPreparer',
            target: 'active',
            actions: ['countRequest', 'acceptRequest'],
          },
          { actions: 'refuseRequest' },
        ],
        // Whoever offered has left meanwhile.
        'offers.gathered': { actions: 'formCohorts' },
        'generation.drain': 'retiring',
      },
    },
    active: {
      description: 'Requests are open; cohorts form whenever there is room.',
      tags: ['accepting'],
      on: {
        ...losses,
        'request.submit': [
          { guard: 'hasPreparer', actions: ['countRequest', 'acceptRequest'] },
          { actions: 'refuseRequest' },
        ],
        ...serving,
        'request.ended': { target: 'settling', actions: ['dropRequest', 'forgetRequest'] },
        'cohort.ended': {
          target: 'settling',
          actions: ['dropCohort', 'forgetCohort', 'formCohorts'],
        },
        'specialization.decided': { target: 'settling', actions: 'dropSpecializing' },
        'generation.drain': 'draining',
      },
    },
    settling: {
      description: 'Something ended: idle again, or still active.',
      always: [{ guard: 'isIdle', target: 'prepared' }, { target: 'active' }],
    },
    draining: {
      description: 'Replaced or unregistered: accepted requests finish, new ones are refused.',
      always: { guard: 'isIdle', target: 'retiring' },
      on: {
        ...losses,
        'request.submit': { actions: 'refuseRequest' },
        ...serving,
        'request.ended': { actions: ['dropRequest', 'forgetRequest'] },
        'cohort.ended': { actions: ['dropCohort', 'forgetCohort', 'formCohorts'] },
        'specialization.decided': { actions: 'dropSpecializing' },
        'generation.drain': {},
      },
    },
    retiring: {
      description: 'Nothing is in flight: stages and leases go back to the device.',
      entry: ['releaseStages', 'announceRetired'],
      always: 'retired',
    },
    retired: { type: 'final', description: 'Left after its last use.', tags: ['succeeded'] },
    lost: {
      type: 'final',
      description: 'The device is gone: what was open ends with it.',
      entry: 'announceLost',
      tags: ['failed'],
    },
    failed: {
      type: 'final',
      description: 'The control program could not be loaded.',
      entry: ['releaseStages', 'announceFailed'],
      tags: ['failed'],
    },
  },
});
