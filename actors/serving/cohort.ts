/**
 * The actor of one invocation: hosts `cohort.machine.ts`, calls the control program, and turns the
 * device's facts into one message a member. The control program and the stage table belong to the
 * generation and are only borrowed during a call.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { SubmissionRetired } from '../../runtime/hal/submission.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { BatchPlan, FiniteControl, StageUse } from '../../runtime/packages/finite-control.js';
import type { Offer } from '../policy/scheduler.js';
import type { PreparedMember, SubmitWork } from '../protocol.js';
import type { Collected } from './finite-request.js';
import { machine } from './cohort.machine.js';

export interface CohortMember {
  readonly offer: Offer;
  readonly prepared: PreparedMember;
}

export interface CohortInput {
  readonly members: readonly CohortMember[];
  readonly control: FiniteControl;
  readonly device: string;
}

export const cohort = machineActor(machine, (self: ActorSelf, input: CohortInput): MachineHost => {
  const { members, control } = input;
  const formedMs = self.now();
  let plan: BatchPlan | null = null;
  let leases: readonly StageUse[] = [];
  let retired: SubmissionRetired | null = null;

  const failure = (context: unknown): StatusRecord =>
    (context as { failure: StatusRecord | null }).failure ??
    toStatus(new Error('the cohort failed without a reason'));

  const collect = (ordinal: number, status: StatusRecord | null, rows: Uint8Array | null): void => {
    const { offer } = members[ordinal]!;
    self.tell(offer.request, 'member.collected', {
      member: offer.member,
      failure: status,
      rows,
      cohortSize: members.length,
      joinedMs: formedMs,
      executeMs: retired === null ? 0 : retired.times.retired - retired.times.accepted,
    } satisfies Collected);
  };

  return {
    input: { members: members.length },
    effects: {
      prepareBatch() {
        try {
          plan = control.prepareBatch(members.map((member) => member.prepared));
        } catch (error) {
          self.tell(self.address, 'batch.rejected', { status: toStatus(error) });
          return;
        }
        leases = plan.declared;
        const missing = leases.length;
        if (missing === 0) self.tell(self.address, 'batch.prepared', {});
        else self.tell(self.address, 'batch.undeclared', { missing });
      },
      requestSpecializations() {
        for (const use of leases) {
          self.tell(self.parent, 'specialization.request', { use, cohort: self.address });
        }
      },
      submitInvocation() {
        try {
          const submission = control.run(plan!, self.address);
          const transfer = submission.uploads.map((upload) => upload.bytes.buffer as ArrayBuffer);
          const work: SubmitWork = { submission, replyTo: self.address };
          self.tell(input.device, 'work.submit', work, { transfer });
        } catch (error) {
          self.tell(self.address, 'batch.rejected', { status: toStatus(error) });
        }
      },
      collectMembers(event) {
        retired = event as unknown as SubmissionRetired;
        const rows = control.collect(plan!, retired.snapshot);
        rows.forEach((row, ordinal) => {
          collect(ordinal, 'status' in row ? row.status : null, 'rows' in row ? row.rows : null);
        });
      },
      failMembers(_, context) {
        const status = failure(context);
        members.forEach((_member, ordinal) => collect(ordinal, status, null));
      },
      returnMembers() {
        for (const { offer } of members) {
          self.tell(offer.request, 'member.returned', { member: offer.member });
        }
        self.tell(self.parent, 'members.returned', { members });
      },
      releaseSpecializations() {
        for (const use of leases) self.tell(self.parent, 'specialization.returned', { use });
      },
      announceEnd() {
        self.tell(self.parent, 'cohort.ended', {});
      },
    },
  };
});
