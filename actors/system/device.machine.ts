/**
 * One device of the server, over its openings.
 *
 * Owns: the queue that is open on the device's thread, and the timer between openings. Holds: a
 * device that is lost is opened again, after a pause that grows; whoever asked for it hears of each
 * opening and of each loss once; one that never opened is given up.
 * Parent: the server. Told by: the device's queue.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  /** Times in a row that it was lost. */
  readonly attempts: number;
  /** Why it does not work, or null. */
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'device.opened' }
  | { type: 'device.refused'; status: StatusRecord }
  | { type: 'device.lost'; status: StatusRecord }
  | { type: 'reopen.due' }
  | { type: 'device.settled' };

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  actions: {
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    clearFailure: assign({ failure: null }),
    countAttempt: assign({ attempts: ({ context }) => context.attempts + 1 }),
    clearAttempts: assign({ attempts: 0 }),
    openQueue: effect,
    announceOpened: effect,
    announceRefused: effect,
    announceLost: effect,
    startBackoff: effect,
    startSteady: effect,
    cancelTimers: effect,
  },
}).createMachine({
  id: 'device',
  description: 'One device of the server, over its openings.',
  context: { attempts: 0, failure: null },
  initial: 'opening',
  states: {
    opening: {
      description: 'It opens for the first time.',
      entry: 'openQueue',
      on: {
        'device.opened': { target: 'open', actions: 'announceOpened' },
        'device.refused': { target: 'refused', actions: ['noteFailure', 'announceRefused'] },
        'device.lost': { target: 'refused', actions: ['noteFailure', 'announceRefused'] },
      },
    },
    open: {
      description: 'Its queue takes work.',
      tags: ['accepting'],
      entry: 'startSteady',
      exit: 'cancelTimers',
      on: {
        'device.lost': { target: 'recovering', actions: ['noteFailure', 'announceLost'] },
        'device.settled': { actions: 'clearAttempts' },
      },
    },
    recovering: {
      description: 'It was lost; it is opened again after a pause.',
      entry: ['countAttempt', 'startBackoff'],
      exit: 'cancelTimers',
      on: { 'reopen.due': 'reopening' },
    },
    reopening: {
      description: 'It opens again; deployments wait to prepare their packages on it.',
      entry: 'openQueue',
      on: {
        'device.opened': { target: 'open', actions: ['clearFailure', 'announceOpened'] },
        // That there is none is known already; why is new.
        'device.refused': { target: 'recovering', actions: ['noteFailure', 'announceRefused'] },
        'device.lost': { target: 'recovering', actions: ['noteFailure', 'announceRefused'] },
      },
    },
    refused: { type: 'final', description: 'It did not open.', tags: ['failed'] },
  },
});
