/**
 * One read of checkpoint bytes on demand, on the device thread.
 *
 * Owns: the files that it reads, from acceptance to retirement; a copy of its descriptors. Holds:
 * what it reads into belongs to the queue until it has retired, whether the read succeeded, failed
 * or never began; a failed fence is not permission to recycle.
 * Parent: the device queue. Told by: the device's queue of works, the reading threads.
 */
import { setup } from 'xstate';
import { effect } from '../effect.js';

export type Event =
  | { type: 'gather.started' }
  | { type: 'gather.read' }
  | { type: 'ranges.read' }
  | { type: 'gather.retired' };

export const machine = setup({
  types: { events: {} as Event },
  actions: {
    readRanges: effect,
    answerQueue: effect,
    releaseFiles: effect,
  },
}).createMachine({
  id: 'gather',
  description: 'One read of checkpoint bytes on demand.',
  initial: 'waiting',
  states: {
    waiting: {
      description: 'What it was told to wait for, or a use of its target, has not settled.',
      on: { 'gather.started': 'snapshotting', 'gather.retired': 'retired' },
    },
    snapshotting: {
      description: 'Its descriptors are copied to the host.',
      tags: ['holdsDevice'],
      on: { 'gather.read': 'reading', 'gather.retired': 'retired' },
    },
    reading: {
      description: 'A reading thread checks the descriptors and reads the ranges into the target.',
      tags: ['holdsDevice'],
      entry: 'readRanges',
      on: {
        'ranges.read': { actions: 'answerQueue' },
        'gather.retired': 'retired',
      },
    },
    retired: {
      type: 'final',
      description: 'The queue has retired it; its files and its copy are given back.',
      entry: 'releaseFiles',
      tags: ['succeeded'],
    },
  },
});
