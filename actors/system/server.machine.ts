/**
 * The whole server: opens its threads and device, serves, drains in bounded time, stops.
 *
 * Owns: the deployments. Holds: in `draining` nothing new is accepted, accepted work finishes or
 * ends with an explicit error when the drain's time is up.
 * Told by: the process (commands), its threads and deployments (facts).
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  readonly deployments: number;
  /** Why the device does not work, or null. */
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'server.await' }
  | { type: 'device.opened' }
  | { type: 'device.refused'; status: StatusRecord }
  | { type: 'device.lost'; status: StatusRecord }
  | { type: 'deployment.register' }
  | { type: 'deployment.unregister' }
  | { type: 'deployment.created' }
  | { type: 'deployment.removed' }
  | { type: 'request.submit' }
  | { type: 'server.drain' }
  | { type: 'drain.expired' };

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
  context: { deployments: 0, failure: null },
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
        'server.drain': { target: 'closing', actions: 'keepDrainer' },
      },
    },
    ready: {
      description: 'Registrations and requests are taken.',
      tags: ['accepting'],
      entry: 'answerStarters',
      on: {
        'server.await': { actions: ['keepStarter', 'answerStarters'] },
        'deployment.register': { actions: 'registerDeployment' },
        'deployment.created': { actions: 'countDeployment' },
        'deployment.unregister': { actions: 'unregisterDeployment' },
        'deployment.removed': { actions: ['dropDeployment', 'forgetDeployment'] },
        'request.submit': { actions: 'forwardRequest' },
        'device.lost': { actions: 'noteFailure' },
        'server.drain': { target: 'draining', actions: 'keepDrainer' },
      },
    },
    draining: {
      description: 'Accepted work finishes, nothing new is taken.',
      entry: 'drainDeployments',
      always: { guard: 'isEmpty', target: 'closing' },
      on: {
        'deployment.created': { actions: ['countDeployment', 'drainDeployments'] },
        'deployment.removed': { actions: ['dropDeployment', 'forgetDeployment'] },
        'deployment.register': { actions: 'refuseRegistration' },
        'deployment.unregister': { actions: 'unregisterDeployment' },
        'request.submit': { actions: 'refuseRequest' },
        'server.drain': { actions: 'keepDrainer' },
        'device.lost': { actions: 'noteFailure' },
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
