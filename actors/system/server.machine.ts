/**
 * The whole server: opens its threads and device, serves, drains in bounded time, stops.
 *
 * Owns: the deployments and the device. Holds: in `draining` nothing new is accepted, accepted work
 * finishes or ends with an explicit error when the drain's time is up. A device that is lost is
 * opened again, after a pause that grows; every deployment is told of both, in that order.
 * Told by: the process (commands), its threads and deployments (facts).
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  readonly deployments: number;
  /** Times in a row that the device was lost. */
  readonly attempts: number;
  /** Why the device does not work, or null. */
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'server.await' }
  | { type: 'device.opened' }
  | { type: 'device.refused'; status: StatusRecord }
  | { type: 'device.lost'; status: StatusRecord }
  | { type: 'reopen.due' }
  | { type: 'device.settled' }
  | { type: 'deployment.register' }
  | { type: 'deployment.unregister' }
  | { type: 'deployment.created' }
  | { type: 'deployment.removed' }
  | { type: 'request.submit' }
  | { type: 'server.drain' }
  | { type: 'drain.expired' };

/** Known ids are answered by their deployment, which says why it does not serve. */
const routing = {
  'deployment.created': { actions: 'countDeployment' },
  'deployment.removed': { actions: ['dropDeployment', 'forgetDeployment'] },
  'deployment.unregister': { actions: 'unregisterDeployment' },
  'request.submit': { actions: 'forwardRequest' },
  'server.await': { actions: ['keepStarter', 'answerStarters'] },
  'server.drain': { target: 'draining', actions: 'keepDrainer' },
} as const;

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    isEmpty: ({ context }) => context.deployments === 0,
  },
  actions: {
    countDeployment: assign({ deployments: ({ context }) => context.deployments + 1 }),
    dropDeployment: assign({ deployments: ({ context }) => context.deployments - 1 }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    clearFailure: assign({ failure: null }),
    countAttempt: assign({ attempts: ({ context }) => context.attempts + 1 }),
    clearAttempts: assign({ attempts: 0 }),
    strandDeployments: effect,
    restoreDeployments: effect,
    startBackoff: effect,
    startSteady: effect,
    cancelTimers: effect,
    keepStarter: effect,
    answerStarters: effect,
    failStarters: effect,
    openDevice: effect,
    registerDeployment: effect,
    unregisterDeployment: effect,
    forgetDeployment: effect,
    forwardRequest: effect,
    refuseRequest: effect,
    refuseRegistration: effect,
    keepDrainer: effect,
    answerDrainers: effect,
    drainDeployments: effect,
    closeDevice: effect,
  },
}).createMachine({
  id: 'server',
  description: 'The whole server.',
  context: { deployments: 0, attempts: 0, failure: null },
  initial: 'starting',
  states: {
    starting: {
      description: 'Threads run; the device opens.',
      entry: 'openDevice',
      on: {
        'server.await': { actions: 'keepStarter' },
        'device.opened': 'ready',
        'device.refused': { target: 'stopped', actions: ['noteFailure', 'failStarters'] },
        'device.lost': { target: 'stopped', actions: ['noteFailure', 'failStarters'] },
        'deployment.register': { actions: 'refuseRegistration' },
        'deployment.unregister': { actions: 'unregisterDeployment' },
        'request.submit': { actions: 'refuseRequest' },
        'server.drain': { target: 'closing', actions: ['failStarters', 'keepDrainer'] },
      },
    },
    ready: {
      description: 'Registrations and requests are taken.',
      tags: ['accepting'],
      entry: ['answerStarters', 'startSteady'],
      exit: 'cancelTimers',
      on: {
        ...routing,
        'deployment.register': { actions: 'registerDeployment' },
        'device.lost': { target: 'recovering', actions: ['noteFailure', 'strandDeployments'] },
        'device.settled': { actions: 'clearAttempts' },
      },
    },
    recovering: {
      description: 'The device was lost; it is opened again after a pause.',
      entry: ['countAttempt', 'startBackoff'],
      exit: 'cancelTimers',
      on: {
        ...routing,
        'deployment.register': { actions: 'refuseRegistration' },
        'reopen.due': 'reopening',
      },
    },
    reopening: {
      description: 'The device opens again; deployments wait to prepare their packages on it.',
      entry: 'openDevice',
      on: {
        ...routing,
        'deployment.register': { actions: 'refuseRegistration' },
        'device.opened': { target: 'ready', actions: ['clearFailure', 'restoreDeployments'] },
        // Deployments know already that there is none.
        'device.refused': { target: 'recovering', actions: 'noteFailure' },
        'device.lost': { target: 'recovering', actions: 'noteFailure' },
      },
    },
    draining: {
      description: 'Accepted work finishes, nothing new is taken.',
      entry: 'drainDeployments',
      always: { guard: 'isEmpty', target: 'closing' },
      on: {
        // Its registration came before the drain, which told it to leave.
        'deployment.created': { actions: 'countDeployment' },
        'deployment.removed': { actions: ['dropDeployment', 'forgetDeployment'] },
        'deployment.register': { actions: 'refuseRegistration' },
        'deployment.unregister': { actions: 'unregisterDeployment' },
        'request.submit': { actions: 'refuseRequest' },
        'server.drain': { actions: 'keepDrainer' },
        'device.opened': {},
        'device.refused': {},
        'device.lost': { actions: ['noteFailure', 'strandDeployments'] },
        'drain.expired': 'closing',
      },
    },
    closing: {
      description: 'The device closes.',
      entry: ['closeDevice', 'answerDrainers'],
      always: 'stopped',
    },
    stopped: { type: 'final', description: 'Nothing runs any more.', tags: ['succeeded'] },
  },
});
