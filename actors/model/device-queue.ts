/**
 * The actor of a device, on the device thread: hosts `device-queue.machine.ts`, owns the device,
 * its pool, ledger and budget through an `InvocationRunner`, and sends each submitter the facts.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import type { Device } from '../../runtime/hal/device.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { LoadExecutable, SubmitWork, WorkFailed, WorkRetired } from '../protocol.js';
import { machine } from './device-queue.machine.js';

/** An opened device with what admits, places and runs invocations on it. */
export interface OpenedDevice {
  readonly device: Device;
  readonly runner: InvocationRunner;
  readonly bytes: () => DeviceBytes;
}

/** Bytes by owner kind, and the budget they count against. */
export interface DeviceBytes {
  readonly budget: number;
  readonly resident: number;
  readonly reserved: number;
  readonly byOwner: readonly {
    readonly kind: string;
    readonly deployment: string;
    readonly bytes: number;
  }[];
}

export interface DeviceQueueInput {
  /** Told 'device.opened' or 'device.refused' once, 'device.lost' later. */
  readonly opened: string;
  readonly open: () => PromiseLike<OpenedDevice>;
}

/** Answer to 'device.describe'. */
export interface DeviceSummary extends DeviceBytes {
  readonly driver: string;
  readonly state: string;
  readonly inFlight: number;
  readonly executables: number;
}

const CLOSING: StatusRecord = {
  code: 'unavailable',
  message: 'the device is opening or closing and takes no work',
  retryAfterS: 1,
};

class DeviceHost {
  readonly #self: ActorSelf;
  readonly #input: DeviceQueueInput;
  #opened: OpenedDevice | null = null;

  constructor(self: ActorSelf, input: DeviceQueueInput) {
    this.#self = self;
    this.#input = input;
  }

  /** The driver starts threads of its own: the one promise here ends as a message. */
  openDriver(): void {
    const self = this.#self;
    this.#input.open().then(
      (opened) => {
        this.#opened = opened;
        opened.device.onLost((status) => self.tell(self.address, 'driver.lost', { status }));
        self.tell(self.address, 'driver.opened', {});
      },
      (error: unknown) => self.tell(self.address, 'driver.refused', { status: toStatus(error) }),
    );
  }

  submit(work: SubmitWork): void {
    const self = this.#self;
    const { submission, replyTo } = work;
    const { invocation } = submission;
    this.#opened!.runner.submit(submission, {
      onAccepted: () => self.tell(replyTo, 'work.accepted', { invocation }),
      onRetired: (fact) => {
        const transfer = [fact.snapshot.buffer as ArrayBuffer];
        self.tell(replyTo, 'work.retired', fact satisfies WorkRetired, { transfer });
        self.tell(self.address, 'work.ended', {});
      },
      onFailed: (status) => {
        self.tell(replyTo, 'work.failed', { invocation, status } satisfies WorkFailed);
        self.tell(self.address, 'work.ended', {});
      },
    });
  }

  refuse(work: SubmitWork, failure: StatusRecord | null): void {
    const status = failure ?? CLOSING;
    const { invocation } = work.submission;
    this.#self.tell(work.replyTo, 'work.failed', { invocation, status } satisfies WorkFailed);
  }

  load(ask: Message): void {
    const { id, module, info } = ask.payload as LoadExecutable;
    try {
      this.#opened!.device.load(id, { info, module });
      this.#self.reply(ask, {});
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
  }

  refuseLoad(ask: Message): void {
    const error = new StatusError('unavailable', 'the device is opening, lost or closing');
    this.#self.replyError(ask, error.status);
  }

  unload(id: string): void {
    this.#opened?.device.unload(id);
  }

  release(key: string): void {
    this.#opened?.runner.release(key);
  }

  announce(kind: string, status: StatusRecord | null): void {
    this.#self.tell(this.#input.opened, kind, { status });
  }

  refuseWaiting(): void {
    this.#opened?.runner.refuseWaiting(CLOSING);
  }

  close(): void {
    void this.#opened?.device.close();
  }

  describe(state: string): DeviceSummary {
    const none = { budget: 0, resident: 0, reserved: 0, byOwner: [] };
    return {
      driver: this.#opened?.device.driver ?? 'none',
      state,
      inFlight: this.#opened?.runner.inFlight ?? 0,
      executables: this.#opened?.device.executables ?? 0,
      ...(this.#opened?.bytes() ?? none),
    };
  }
}

export const deviceQueue = machineActor(
  machine,
  (self: ActorSelf, input: DeviceQueueInput): MachineHost => {
    const host = new DeviceHost(self, input);
    const failure = (context: unknown): StatusRecord | null =>
      (context as { failure: StatusRecord | null }).failure;
    const work = (event: object): SubmitWork => event as unknown as SubmitWork;
    return {
      effects: {
        openDriver: () => host.openDriver(),
        acceptSubmission: (event) => host.submit(work(event)),
        refuseSubmission: (event, context) => host.refuse(work(event), failure(context)),
        loadExecutable: (_e, _c, message) => host.load(message),
        refuseExecutable: (_e, _c, message) => host.refuseLoad(message),
        unloadExecutable: (event) => host.unload((event as unknown as { id: string }).id),
        releaseLease: (event) => host.release((event as unknown as { key: string }).key),
        refuseWaiting: () => host.refuseWaiting(),
        announceOpened: () => host.announce('device.opened', null),
        announceLost: (_e, context) => host.announce('device.lost', failure(context)),
        closeDriver: () => host.close(),
      },
      asks: { 'device.describe': (state) => host.describe(state) },
    };
  },
);
