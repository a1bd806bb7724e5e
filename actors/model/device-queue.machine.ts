/**
 * A device and its queue, on the device thread.
 *
 * Owns: the device, its pool and ledger, loaded executables, accepted submissions and warm-ups.
 * Holds: each accepted submission is answered with exactly one `work.retired` or `work.failed`;
 * storage goes back only through the ledger when the last use has retired.
 * Parent: the device thread's root. Told by: cohorts, preparations, specializations, the driver.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  /** Submissions and warm-ups taken and not answered. */
  readonly inFlight: number;
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'driver.opened' }
  | { type: 'driver.refused'; status: StatusRecord }
  | { type: 'driver.lost'; status: StatusRecord }
  | { type: 'work.submit' }
  | { type: 'work.ended' }
  | { type: 'executable.load' }
  | { type: 'executable.unload' }
  | { type: 'executables.release' }
  | { type: 'banks.register' }
  | { type: 'banks.unregister' }
  | { type: 'banks.warm' }
  | { type: 'banks.deactivate' }
  | { type: 'rows.register' }
  | { type: 'rows.unregister' }
  | { type: 'rows.use' }
  | { type: 'rows.withdraw' }
  | { type: 'rows.rest' }
  | { type: 'device.close' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    isIdle: ({ context }) => context.inFlight === 0,
  },
  actions: {
    countSubmission: assign({ inFlight: ({ context }) => context.inFlight + 1 }),
    dropSubmission: assign({ inFlight: ({ context }) => context.inFlight - 1 }),
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    openDriver: effect,
    acceptSubmission: effect,
    refuseSubmission: effect,
    loadExecutable: effect,
    refuseExecutable: effect,
    unloadExecutable: effect,
    releaseExecutables: effect,
    registerBanks: effect,
    unregisterBanks: effect,
    warmBanks: effect,
    deactivateBanks: effect,
    refuseBanks: effect,
    registerRows: effect,
    unregisterRows: effect,
    useRows: effect,
    passToRows: effect,
    refuseRows: effect,
    refuseWaiting: effect,
    announceOpened: effect,
    announceRefused: effect,
    announceLost: effect,
    closeDriver: effect,
  },
}).createMachine({
  id: 'deviceQueue',
  description: 'A device and its queue.',
  context: { inFlight: 0, failure: null },
  initial: 'opening',
  states: {
    opening: {
      description: 'The driver starts its workers and its memory.',
      entry: 'openDriver',
      on: {
        'driver.opened': { target: 'ready', actions: 'announceOpened' },
        'driver.refused': { target: 'closed', actions: ['noteFailure', 'announceRefused'] },
        'work.submit': { actions: 'refuseSubmission' },
        'executable.load': { actions: 'refuseExecutable' },
        'executable.unload': {},
        'executables.release': {},
        'banks.register': { actions: 'refuseBanks' },
        'banks.unregister': {},
        'banks.warm': { actions: 'refuseBanks' },
        'banks.deactivate': { actions: 'refuseBanks' },
        'rows.register': { actions: 'refuseRows' },
        'rows.unregister': {},
        'rows.use': { actions: 'refuseRows' },
        'rows.withdraw': {},
        'rows.rest': {},
        'device.close': 'closing',
      },
    },
    ready: {
      description: 'Submissions are admitted in order of arrival and run.',
      tags: ['accepting'],
      on: {
        'work.submit': { actions: ['countSubmission', 'acceptSubmission'] },
        'work.ended': { actions: 'dropSubmission' },
        'executable.load': { actions: 'loadExecutable' },
        'executable.unload': { actions: 'unloadExecutable' },
        'executables.release': { actions: 'releaseExecutables' },
        'banks.register': { actions: 'registerBanks' },
        'banks.unregister': { actions: 'unregisterBanks' },
        'banks.warm': { actions: ['countSubmission', 'warmBanks'] },
        'banks.deactivate': { actions: 'deactivateBanks' },
        'rows.register': { actions: 'registerRows' },
        'rows.unregister': { actions: 'unregisterRows' },
        'rows.use': { actions: ['countSubmission', 'useRows'] },
        'rows.withdraw': { actions: 'passToRows' },
        'rows.rest': { actions: 'passToRows' },
        'driver.lost': { target: 'lost', actions: 'noteFailure' },
        'device.close': 'closing',
      },
    },
    lost: {
      description: 'The driver is gone: what was accepted ends with an error.',
      tags: ['holdsDevice'],
      entry: ['announceLost', 'refuseWaiting'],
      always: { guard: 'isIdle', target: 'closed' },
      on: {
        'work.submit': { actions: 'refuseSubmission' },
        'work.ended': { actions: 'dropSubmission' },
        'executable.load': { actions: 'refuseExecutable' },
        'executable.unload': { actions: 'unloadExecutable' },
        'executables.release': { actions: 'releaseExecutables' },
        'banks.register': { actions: 'refuseBanks' },
        'banks.unregister': { actions: 'unregisterBanks' },
        'banks.warm': { actions: 'refuseBanks' },
        'banks.deactivate': { actions: 'refuseBanks' },
        'rows.register': { actions: 'refuseRows' },
        'rows.unregister': { actions: 'unregisterRows' },
        'rows.use': { actions: 'refuseRows' },
        'rows.withdraw': { actions: 'passToRows' },
        'rows.rest': { actions: 'passToRows' },
        'device.close': {},
      },
    },
    closing: {
      description: 'No more submissions; those that wait for memory fail, accepted ones finish.',
      entry: 'refuseWaiting',
      always: { guard: 'isIdle', target: 'closed' },
      on: {
        'work.submit': { actions: 'refuseSubmission' },
        'work.ended': { actions: 'dropSubmission' },
        'executable.load': { actions: 'refuseExecutable' },
        'executable.unload': { actions: 'unloadExecutable' },
        'executables.release': { actions: 'releaseExecutables' },
        'banks.register': { actions: 'refuseBanks' },
        'banks.unregister': { actions: 'unregisterBanks' },
        'banks.warm': { actions: 'refuseBanks' },
        'banks.deactivate': { actions: 'refuseBanks' },
        'rows.register': { actions: 'refuseRows' },
        'rows.unregister': { actions: 'unregisterRows' },
        'rows.use': { actions: 'refuseRows' },
        'rows.withdraw': { actions: 'passToRows' },
        'rows.rest': { actions: 'passToRows' },
        'driver.lost': { target: 'lost', actions: 'noteFailure' },
        'device.close': {},
      },
    },
    closed: {
      type: 'final',
      description: 'Workers and memory are gone.',
      entry: 'closeDriver',
      tags: ['succeeded'],
    },
  },
});
