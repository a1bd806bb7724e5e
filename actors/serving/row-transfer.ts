/**
 * The actor of one copy of a row's contents to the host or from there: an epoch without spans, so
 * it hosts `epoch.machine.ts` and takes the place of one. It tells the session that owns the row.
 *
 * Holds: what others have listed to be moved on the device is moved first, by the same submission.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { SubmissionRetired } from '../../runtime/hal/submission.js';
import type { TextGeometry } from '../../runtime/profiles/text.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Address } from '../../runtime/system/address.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { RowImage } from '../../runtime/text/row-image.js';
import type { Hold } from '../../runtime/text/row-store.js';
import type { SubmitWork } from '../protocol.js';
import { type EpochDetails, StepHost, type StepInput, stepEffects } from './epoch-step.js';
import { machine } from './epoch.machine.js';

/** What one row wants moved. */
export interface RowOrder {
  readonly row: Row;
  /** Told 'row.read' with the bytes, 'row.written' or 'row.failed', once. */
  readonly session: Address;
  /** What the row is to hold, which the store has made room for; null: it is read. */
  readonly image: RowImage | null;
}

export interface RowTransferInput extends StepInput {
  readonly order: RowOrder;
  readonly geometry: TextGeometry;
}

class RowTransferHost extends StepHost {
  readonly #input: RowTransferInput;
  #hold: Hold | null = null;

  constructor(self: ActorSelf, input: RowTransferInput) {
    super(self);
    this.#input = input;
  }

  pack(): void {
    const { store, order } = this.#input;
    this.guard(() => {
      this.#hold = store.hold(order.image === null ? [] : [order.row]);
      this.self.tell(this.self.address, 'epoch.packed', {});
    });
  }

  submit(): void {
    const { control, keys, device } = this.#input;
    this.guard(() => {
      const { address } = this.self;
      const submission = control.transfer(this.#transfer(), address, keys, this.#hold!.moves);
      this.self.tell(device, 'work.submit', { submission, replyTo: address } satisfies SubmitWork);
    });
  }

  #transfer() {
    const { order, geometry } = this.#input;
    const { row, image: contents } = order;
    const done = contents?.done ?? row.done;
    const pages = row.pages.slice(0, Math.ceil(done / geometry.pageTokens));
    return { pages, state: row.state, contents };
  }

  commit({ snapshot }: SubmissionRetired): void {
    const { store, order } = this.#input;
    this.guard(() => {
      const { image, row, session } = order;
      if (image !== null) store.commit(row, image.done, null);
      store.settle(this.#hold!);
      this.self.tell(this.self.address, 'epoch.committed', {});
      if (image !== null) this.self.tell(session, 'row.written', {});
      else this.self.tell(session, 'row.read', { bytes: snapshot });
    });
  }

  fail(status: StatusRecord): void {
    const { store, order } = this.#input;
    if (this.#hold !== null) store.fail(this.#hold);
    this.self.tell(order.session, 'row.failed', { status });
  }
}

export const rowTransfer = machineActor(
  machine,
  (self: ActorSelf, input: RowTransferInput): MachineHost => {
    const { device, order } = input;
    const details = (): EpochDetails => ({ device, sessions: [order.session] });
    return { details, effects: stepEffects(new RowTransferHost(self, input)) };
  },
);
