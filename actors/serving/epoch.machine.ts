/**
 * One packed step over some rows.
 *
 * Owns: its packets on the device from acceptance to retirement, and a hold on whatever its rows
 * give up meanwhile.
 * Holds: progress is committed after retirement only, and once for each span; what a failed epoch
 * computed counts for nobody. Its rows are in no other epoch until then.
 * Parent: the model generation. Told by: itself (results of control calls), the device queue.
 */
import { assign, setup } from 'xstate';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { effect } from '../effect.js';

export interface Context {
  readonly failure: StatusRecord | null;
}

export type Event =
  | { type: 'epoch.packed' }
  | { type: 'epoch.committed' }
  | { type: 'epoch.rejected'; status: StatusRecord }
  | { type: 'work.accepted' }
  | { type: 'work.retired' }
  | { type: 'work.failed'; status: StatusRecord };

const rejected = { target: 'failed', actions: 'noteFailure' } as const;

export const machine = setup({
  types: { context: {} as Context, events: {} as Event },
  actions: {
    noteFailure: assign({
      failure: ({ event }) => ('status' in event ? event.status : null),
    }),
    packSpans: effect,
    submitEpoch: effect,
    commitSpans: effect,
    failSpans: effect,
    announceEnd: effect,
  },
}).createMachine({
  id: 'epoch',
  description: 'One packed step over some rows.',
  context: { failure: null },
  initial: 'packing',
  states: {
    packing: {
      description: 'Control runs encode_epoch over the spans, oldest row first.',
      entry: 'packSpans',
      on: { 'epoch.packed': 'uploading', 'epoch.rejected': rejected },
    },
    uploading: {
      description: 'Control ran epoch; the device admits it and takes the listed bytes.',
      entry: 'submitEpoch',
      on: {
        'work.accepted': 'executing',
        'work.failed': rejected,
        'epoch.rejected': rejected,
      },
    },
    executing: {
      description: 'The device owns the packets until its work has retired.',
      tags: ['holdsDevice'],
      on: { 'work.retired': 'committing', 'work.failed': rejected },
    },
    committing: {
      description: 'Control runs publish_epoch; each row advances by what it says.',
      entry: 'commitSpans',
      on: { 'epoch.committed': 'retired', 'epoch.rejected': rejected },
    },
    retired: {
      type: 'final',
      description: 'Every span is committed.',
      entry: 'announceEnd',
      tags: ['succeeded'],
    },
    failed: {
      type: 'final',
      description: 'Its rows are as they were; they run once more, each alone, if it was shared.',
      entry: ['failSpans', 'announceEnd'],
      tags: ['failed'],
    },
  },
});
