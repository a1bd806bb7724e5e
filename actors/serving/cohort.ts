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
import type { SubmitWork } from '../protocol.js';
import type { SpecializationDecided } from '../model/specialization.js';
import { type Context, machine } from './cohort.machine.js';
import type { CohortMember, Collected, MemberMoved } from './member.js';

export interface CohortInput {
  readonly members: readonly CohortMember[];
  readonly control: FiniteControl;
  readonly device: string;
}

/** What it tells of itself to who asks why it waits. */
export interface CohortDetails {
  readonly device: string;
  readonly members: readonly { readonly request: string; readonly member: number }[];
  /** Keys of what it declared and still holds. */
  readonly specializations: readonly string[];
}

class CohortHost {
  readonly #self: ActorSelf;
  readonly #input: CohortInput;
  readonly #formedMs: number;
  #plan: BatchPlan | null = null;
  #retired: SubmissionRetired | null = null;
  /** Specializations that were asked for and have not failed: each is given back once. */
  #leases: readonly StageUse[] = [];

  constructor(self: ActorSelf, input: CohortInput) {
    this.#self = self;
    this.#input = input;
    this.#formedMs = self.now();
  }

  details(): CohortDetails {
    const { device, members } = this.#input;
    return {
      device,
      members: members.map(({ request, member }) => ({ request, member })),
      specializations: this.#leases.map(({ key }) => key),
    };
  }

  prepare(): void {
    const { control, members } = this.#input;
    this.#guard(() => {
      this.#plan = control.prepareBatch(members.map((member) => member.prepared));
      const missing = this.#plan.declared.length;
      if (missing === 0) this.#self.tell(this.#self.address, 'batch.prepared', {});
      else this.#self.tell(this.#self.address, 'batch.undeclared', { missing });
    });
  }

  specialize(): void {
    this.#leases = this.#plan!.declared;
    for (const use of this.#leases) {
      const request = { use, cohort: this.#self.address };
      this.#self.tell(this.#self.parent, 'specialization.request', request);
    }
  }

  /** What failed to compile is gone already. */
  forgetSpecialization(key: string): void {
    this.#leases = this.#leases.filter((use) => use.key !== key);
  }

  submit(): void {
    this.#guard(() => {
      const submission = this.#input.control.run(this.#plan!, this.#self.address);
      const transfer = submission.uploads.map((upload) => upload.bytes.buffer as ArrayBuffer);
      const work: SubmitWork = { submission, replyTo: this.#self.address };
      this.#self.tell(this.#input.device, 'work.submit', work, { transfer });
    });
  }

  collect(retired: SubmissionRetired): void {
    this.#retired = retired;
    const rows = this.#input.control.collect(this.#plan!, retired.snapshot);
    rows.forEach((row, ordinal) => {
      if ('status' in row) this.#tellMember(ordinal, row.status, null);
      else this.#tellMember(ordinal, null, row.rows);
    });
  }

  fail(status: StatusRecord): void {
    this.#input.members.forEach((_, ordinal) => this.#tellMember(ordinal, status, null));
  }

  /** Back to their owners, who offer them again if they are still wanted. */
  returnMembers(): void {
    for (const { request, member } of this.#input.members) {
      this.#self.tell(request, 'member.returned', { member } satisfies MemberMoved);
    }
  }

  release(): void {
    for (const use of this.#leases) {
      this.#self.tell(this.#self.parent, 'specialization.returned', { use });
    }
  }

  end(): void {
    this.#self.tell(this.#self.parent, 'cohort.ended', {});
  }

  /** A call of the control program: what it raises is an event, never the end of this actor. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#self.tell(this.#self.address, 'batch.rejected', { status: toStatus(error) });
    }
  }

  #tellMember(ordinal: number, failure: StatusRecord | null, rows: Uint8Array | null): void {
    const { members } = this.#input;
    const { request, member } = members[ordinal]!;
    const times = this.#retired?.times;
    this.#self.tell(request, 'member.collected', {
      member,
      failure,
      rows,
      cohortSize: members.length,
      joinedMs: this.#formedMs,
      executeMs: times === undefined ? 0 : times.retired - times.accepted,
    } satisfies Collected);
  }
}

export const cohort = machineActor(machine, (self: ActorSelf, input: CohortInput): MachineHost => {
  const host = new CohortHost(self, input);
  const failure = (context: unknown): StatusRecord =>
    (context as Context).failure ?? toStatus(new Error('the cohort failed without a reason'));
  return {
    input: { members: input.members.length },
    details: () => host.details(),
    effects: {
      prepareBatch: () => host.prepare(),
      requestSpecializations: () => host.specialize(),
      submitInvocation: () => host.submit(),
      collectMembers: (event) => host.collect(event as unknown as SubmissionRetired),
      failMembers: (_, context) => host.fail(failure(context)),
      returnMembers: () => host.returnMembers(),
      forgetSpecialization: (event) =>
        host.forgetSpecialization((event as unknown as SpecializationDecided).key),
      releaseSpecializations: () => host.release(),
      announceEnd: () => host.end(),
    },
  };
});
