/**
 * The whole server: opens its devices, serves, drains in bounded time, stops.
 *
 * Owns: the deployments and the devices. Holds: it takes nothing before all its devices are open;
 * in `draining` nothing new is accepted, accepted work finishes or ends with an explicit error when
 * the drain's time is up. A device that is lost comes back by itself (`device.machine.ts`);
 * deployments on it, and no others, are told of both, in that order.
 * Told by: the process (commands), its devices and deployments (facts).
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Input {
  /** How many it has. */
  readonly devices: number;
}

export interface Context {
  readonly deployments: number;
  /** Devices that have not opened yet. */
  readonly unopened: number;
  /** Why it did not start, or null. */
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
  types: { context: {} as Context, events: {} as Event, input: {} as Input },
  guards: {
    isEmpty: ({ context }) => context.deployments === 0,
    isLastToOpen: ({ context }) => context.unopened === 1,
  },
  actions: {
    countDeployment: assign({ deployments: ({ context }) => context.deployments + 1 }),
    dropDeployment: assign({ deployments: ({ context }) => context.deployments - 1 }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    countOpened: assign({ unopened: ({ context }) => context.unopened - 1 }),
    strandDeployments: effect,
    restoreDeployments: effect,
    keepStarter: effect,
    answerStarters: effect,
    failStarters: effect,
    openDevices: effect,
    registerDeployment: effect,
    unregisterDeployment: effect,
    forgetDeployment: effect,
    forwardRequest: effect,
    refuseRequest: effect,
    refuseRegistration: effect,
    keepDrainer: effect,
    answerDrainers: effect,
    drainDeployments: effect,
    closeDevices: effect,
  },
}).createMachine({
  id: 'server',
  description: 'The whole server.',
  context: ({ input }) => ({ deployments: 0, unopened: input.devices, failure: null }),
  initial: 'starting',
  states: {
    starting: {
      description: 'Threads run; the devices open.',
      entry: 'openDevices',
      on: {
        'server.await': { actions: 'keepStarter' },
        'device.opened': [
          { guard: 'isLastToOpen', target: 'ready', actions: 'countOpened' },
          { actions: 'countOpened' },
        ],
        'device.refused': { target: 'stopped', actions: ['noteFailure', 'failStarters'] },
        'device.lost': { target: 'stopped', actions: ['noteFailure', 'failStarters'] },
        'deployment.register': { actions: 'refuseRegistration' },
        'deployment.unregister': { actions: 'unregisterDeployment' },
        'request.submit': { actions: 'refuseRequest' },
        'server.drain': { target: 'closing', actions: ['failStarters', 'keepDrainer'] },
      },
    },
    ready: {
      description: 'Registrations and requests are taken, those of a lost device apart.',
      tags: ['accepting'],
      entry: 'answerStarters',
      on: {
        'deployment.created': { actions: 'countDeployment' },
        'deployment.removed': { actions: ['dropDeployment', 'forgetDeployment'] },
        // Known ids are answered by their deployment, which says why it does not serve.
        'deployment.unregister': { actions: 'unregisterDeployment' },
        'request.submit': { actions: 'forwardRequest' },
        'server.await': { actions: ['keepStarter', 'answerStarters'] },
        'server.drain': { target: 'draining', actions: 'keepDrainer' },
        'deployment.register': { actions: 'registerDeployment' },
        'device.lost': { actions: 'strandDeployments' },
        'device.opened': { actions: 'restoreDeployments' },
        // Deployments know already that there is none.
        'device.refused': {},
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
        'device.lost': { actions: 'strandDeployments' },
        'drain.expired': 'closing',
      },
    },
    closing: {
      description: 'The devices close.',
      entry: ['closeDevices', 'answerDrainers'],
      always: 'stopped',
    },
    stopped: { type: 'final', description: 'Nothing runs any more.', tags: ['succeeded'] },
  },
});
