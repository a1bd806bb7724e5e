/**
 * What hosts of `epoch.machine.ts` have in common, whatever they take to the device: a call of the
 * control program that raises something is an event, never the end of the actor.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { SubmissionRetired } from '../../runtime/hal/submission.js';
import type { StorageKeys } from '../../runtime/packages/epoch-storage.js';
import type { TextControl } from '../../runtime/packages/text-control.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Effect } from '../../runtime/system/machine-actor.js';
import type { RowStore } from '../../runtime/text/row-store.js';
import type { Context } from './epoch.machine.js';

/** What its generation lends it. */
export interface StepInput {
  readonly control: TextControl;
  readonly store: RowStore;
  readonly device: string;
  readonly keys: StorageKeys;
}

/** What an epoch tells of itself to who asks why it waits. */
export interface EpochDetails {
  readonly device: string;
  /** Sessions whose turns are in it. */
  readonly sessions: readonly string[];
}

export abstract class StepHost {
  protected readonly self: ActorSelf;

  constructor(self: ActorSelf) {
    this.self = self;
  }

  abstract pack(): void;
  abstract submit(): void;
  /** Every result is checked before the first is committed. */
  abstract commit(retired: SubmissionRetired): void;
  abstract fail(status: StatusRecord): void;

  end(): void {
    this.self.tell(this.self.parent, 'cohort.ended', {});
  }

  protected guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.self.tell(this.self.address, 'epoch.rejected', { status: toStatus(error) });
    }
  }
}

export function stepEffects(host: StepHost): Readonly<Record<string, Effect>> {
  return {
    packSpans: () => host.pack(),
    submitEpoch: () => host.submit(),
    commitSpans: (event) => host.commit(event as unknown as SubmissionRetired),
    failSpans: (_event, context) => {
      const { failure } = context as Context;
      host.fail(failure ?? toStatus(new Error('the epoch failed without a reason')));
    },
    announceEnd: () => host.end(),
  };
}
