/**
 * What a device tells whoever records: its works at acceptance and retirement, its books after each
 * change. Owned by the device's actor. While nobody records each call is a branch.
 */
import { ChurnMap } from '../../runtime/base/churn-map.js';
import type { Submission, SubmissionRetired } from '../../runtime/hal/submission.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { WorkRecord } from '../../runtime/system/recorder.js';
import type { DeviceBytes } from './device-queue.js';

/** Of a submission, what is told of it: its bytes are moved away when it is accepted. */
type WorkSize = Pick<WorkRecord, 'invocation' | 'commands' | 'uploadBytes' | 'readbackBytes'>;

interface Accepted extends WorkSize {
  readonly acceptedMs: number;
}

export class DeviceRecords {
  readonly #self: ActorSelf;
  readonly #bytes: () => DeviceBytes;
  /** Accepted while somebody recorded, by invocation. */
  readonly #accepted = new ChurnMap<string, Accepted>();

  constructor(self: ActorSelf, bytes: () => DeviceBytes) {
    this.#self = self;
    this.#bytes = bytes;
  }

  readonly booked = (): void => {
    const { probe, address: device } = this.#self;
    if (!probe.isRecording) return;
    probe.record({ type: 'memory', atMs: this.#self.now(), device, ...this.#bytes() });
  };

  /** Null while nobody records. To be called before the submission is. */
  sizeOf(submission: Submission): WorkSize | null {
    if (!this.#self.probe.isRecording) return null;
    const { invocation, commands, uploads, snapshot } = submission;
    const lengths = uploads.map(({ bytes }) => bytes.length);
    const read = snapshot.map(({ length }) => length);
    const fed = commands.map((command) => (command.op === 'feedback' ? command.source.length : 0));
    return {
      invocation,
      commands: commands.length,
      uploadBytes: sum(lengths),
      readbackBytes: sum(read) + sum(fed),
    };
  }

  accepted(size: WorkSize | null): void {
    if (size === null) return;
    const acceptedMs = this.#self.now();
    this.#accepted.set(size.invocation, { acceptedMs, ...size });
    this.#work({ acceptedMs, startedMs: null, retiredMs: null, failed: false, ...size });
  }

  retired({ invocation, times }: SubmissionRetired): void {
    const { accepted: acceptedMs, started: startedMs, retired: retiredMs } = times;
    this.#end(invocation, { acceptedMs, startedMs, retiredMs, failed: false });
  }

  /** Accepted or not: one that was refused at admission is told of by its submitter alone. */
  failed(invocation: string): void {
    const known = this.#accepted.get(invocation);
    if (known === undefined) return;
    const { acceptedMs } = known;
    const retiredMs = this.#self.now();
    this.#end(invocation, { acceptedMs, startedMs: null, retiredMs, failed: true });
  }

  #end(
    invocation: string,
    end: Pick<WorkRecord, 'acceptedMs' | 'startedMs' | 'retiredMs' | 'failed'>,
  ): void {
    if (this.#accepted.size === 0) return;
    const known = this.#accepted.get(invocation);
    // One that was accepted before anybody recorded has no size.
    if (known === undefined) return;
    this.#accepted.delete(invocation);
    this.#work({ ...known, ...end });
  }

  #work(record: Omit<WorkRecord, 'type' | 'device'>): void {
    const { probe, address: device } = this.#self;
    if (probe.isRecording) probe.record({ type: 'work', device, ...record });
  }
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
