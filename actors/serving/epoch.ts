/**
 * The actor of one epoch: hosts `epoch.machine.ts`, calls the control program, and has the turn
 * table commit what the device's facts mean. Control program, rows and turns belong to the
 * generation and are only borrowed during a call.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { SubmissionRetired } from '../../runtime/hal/submission.js';
import type { EpochPlan } from '../../runtime/packages/epoch-plan.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import { mayBeOneMembersFault } from '../policy/isolation.js';
import type { SubmitWork } from '../protocol.js';
import { type EpochDetails, StepHost, type StepInput, stepEffects } from './epoch-step.js';
import { machine } from './epoch.machine.js';
import type { EpochWork, TurnTable } from './turn-table.js';

export interface EpochInput extends StepInput {
  readonly work: EpochWork;
  readonly turns: TurnTable;
}

class EpochHost extends StepHost {
  readonly #input: EpochInput;
  #plan: EpochPlan | null = null;

  constructor(self: ActorSelf, input: EpochInput) {
    super(self);
    this.#input = input;
  }

  pack(): void {
    const { control, work } = this.#input;
    this.guard(() => {
      this.#plan = control.packEpoch(work.spans.map(({ span }) => span));
      this.self.tell(this.self.address, 'epoch.packed', {});
    });
  }

  submit(): void {
    const { control, work, keys, device } = this.#input;
    this.guard(() => {
      const { address } = this.self;
      const submission = control.epoch(this.#plan!, address, keys, work.hold.moves);
      const transfer = submission.uploads.map((upload) => upload.bytes.buffer as ArrayBuffer);
      const submit: SubmitWork = { submission, replyTo: address };
      this.self.tell(device, 'work.submit', submit, { transfer });
    });
  }

  /** Every result is checked before the first is committed. */
  commit({ feedback, snapshot }: SubmissionRetired): void {
    const { control, store, work, turns } = this.#input;
    this.guard(() => {
      const results = control.publish(this.#plan!, feedback[0]?.bytes ?? new Uint8Array(0));
      const captured = control.captured(this.#plan!, snapshot);
      work.spans.forEach((span, ordinal) => {
        turns.commit(span, results[ordinal]!, captured[ordinal] ?? null);
      });
      turns.flush();
      store.settle(work.hold);
      this.self.tell(this.self.address, 'epoch.committed', {});
    });
  }

  fail(status: StatusRecord): void {
    const { work, turns } = this.#input;
    turns.fail(work, status, mayBeOneMembersFault(status));
    turns.flush();
  }
}

export const epoch = machineActor(machine, (self: ActorSelf, input: EpochInput): MachineHost => {
  const { device, work } = input;
  const details = (): EpochDetails => ({
    device,
    sessions: work.spans.map(({ turn }) => turn.input.session),
  });
  return { details, effects: stepEffects(new EpochHost(self, input)) };
});
