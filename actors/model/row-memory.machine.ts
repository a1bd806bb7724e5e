/**
 * Pages and states of one text generation, on the device thread.
 *
 * Owns: their storage, from the first turn that needs it until it has left. Holds: it is there as a
 * whole or not at all; it leaves while it rests, never while it is in use; whoever had it hears of
 * that before it is there again. Sessions outlive it: they keep their ids.
 * Parent: the device queue. Told by: the table of rows, the device queue for the generation.
 */
import { setup } from 'xstate';
import { effect } from '../effect.js';

export type Event =
  | { type: 'rows.use' }
  | { type: 'rows.withdraw' }
  | { type: 'rows.placed' }
  | { type: 'rows.refused'; isThere: boolean }
  | { type: 'rows.want' }
  | { type: 'rows.rest' }
  | { type: 'rows.evict' }
  | { type: 'rows.retire' };

const retire = { 'rows.retire': 'retired' } as const;

export const machine = setup({
  types: { events: {} as Event },
  guards: {
    isThere: ({ event }) => event.type === 'rows.refused' && event.isThere,
  },
  actions: {
    askRoom: effect,
    withdrawAsk: effect,
    tellWanted: effect,
    restRows: effect,
    tellEvicted: effect,
    releaseStorage: effect,
    unregister: effect,
  },
}).createMachine({
  id: 'rowMemory',
  description: 'Pages and states of the rows of a text generation.',
  initial: 'absent',
  states: {
    absent: {
      description: 'No byte is there: before the first turn, or because others needed the room.',
      on: { 'rows.use': 'waiting', 'rows.withdraw': {}, 'rows.want': {}, ...retire },
    },
    waiting: {
      description: 'A turn is to run: waits for room, and for the banks that its epochs bind.',
      entry: 'askRoom',
      on: {
        'rows.placed': 'inUse',
        'rows.refused': [{ guard: 'isThere', target: 'resting' }, { target: 'absent' }],
        'rows.withdraw': { actions: 'withdrawAsk' },
        // Others were first.
        'rows.evict': { actions: ['tellEvicted', 'releaseStorage'] },
        'rows.want': {},
        ...retire,
      },
    },
    inUse: {
      description: 'Turns run, or did just now; it does not leave.',
      on: {
        'rows.rest': { target: 'resting', actions: 'restRows' },
        'rows.want': { target: 'wanted', actions: 'tellWanted' },
        'rows.withdraw': {},
        ...retire,
      },
    },
    wanted: {
      description: 'Others wait for its room: turns that were there before run to their end.',
      on: {
        'rows.rest': { target: 'resting', actions: 'restRows' },
        'rows.withdraw': {},
        ...retire,
      },
    },
    resting: {
      description: 'No turn runs: it is kept until others need the room.',
      on: {
        'rows.use': 'waiting',
        'rows.evict': { target: 'absent', actions: ['tellEvicted', 'releaseStorage'] },
        'rows.withdraw': {},
        'rows.want': {},
        ...retire,
      },
    },
    retired: {
      type: 'final',
      description: 'Its generation has ended; its bytes are back after their last use.',
      entry: 'unregister',
      tags: ['succeeded'],
    },
  },
});
