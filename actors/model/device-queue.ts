/**
 * The actor of a device, on the device thread: hosts `device-queue.machine.ts`, owns the device,
 * its pool, ledger and budget through an `InvocationRunner`, and sends each submitter the facts.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { BankSummary } from '../../runtime/memory/bank-table.js';
import type { InvocationRunner, RunnerDetails } from '../../runtime/memory/invocation-runner.js';
import type { RowSummary } from '../../runtime/memory/row-table.js';
import type { Ledger } from '../../runtime/memory/ledger.js';
import { filesOf, SourceTable } from '../../runtime/parameters/source-table.js';
import type { Device } from '../../runtime/hal/device.js';
import type { Owner } from '../../runtime/hal/submission.js';
import type { OpenedFile } from '../../runtime/parameters/load-plan.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import {
  FILES,
  type CloseFile,
  type DropFiles,
  type LoadExecutable,
  type NameRows,
  type RegisterBanks,
  type RegisterRows,
  type SubmitWork,
  type WorkFailed,
  type WorkRetired,
} from '../protocol.js';
import { DeviceBanks } from './device-banks.js';
import { DeviceRecords } from './device-records.js';
import { DeviceRows } from './device-rows.js';
import { DeviceGathers } from './gather.js';
import { machine } from './device-queue.machine.js';

/** An opened device with what admits, places and runs invocations on it. */
export interface OpenedDevice {
  readonly device: Device;
  readonly runner: InvocationRunner;
  readonly ledger: Ledger;
  readonly bytes: () => DeviceBytes;
  /** Ends one worker of the driver as a fault would; drivers without workers have none. */
  readonly killWorker?: (worker: number) => void;
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
  readonly banks: readonly BankSummary[];
  readonly rows: readonly RowSummary[];
}

/** What it holds and for whom, for who asks why something waits. */
export interface DeviceDetails extends DeviceSummary, RunnerDetails {
  /** The largest leases, largest first. */
  readonly leases: readonly (Owner & { readonly bytes: number; readonly uses: number })[];
}

/** Whether it gets on, for who watches over it. */
export interface DevicePulse {
  readonly what: 'device';
  /** Submissions, warm-ups and storage that are not done. */
  readonly open: number;
  /** Another text whenever anything of it has got on. */
  readonly progress: string;
  /** Invocations that wait for admission or run. */
  readonly invocations: readonly string[];
}

const LEASES_TOLD = 16;

const CLOSING: StatusRecord = {
  code: 'unavailable',
  message: 'the device is opening or closing and takes no work',
  retryAfterS: 1,
};

/** Scopes remembered as released: a load of one can be late by a few messages only. */
const RELEASED_MAX = 256;

class DeviceHost {
  readonly #self: ActorSelf;
  readonly #input: DeviceQueueInput;
  #opened: OpenedDevice | null = null;
  #banks: DeviceBanks | null = null;
  #rows: DeviceRows | null = null;
  #records: DeviceRecords | null = null;
  /** Checkpoint files that its banks load from and gathers read. */
  readonly #sources: SourceTable;
  #isClosed = false;
  /** Ids of what is loaded, and scopes whose generation has ended. */
  readonly #loaded = new Set<string>();
  readonly #released: string[] = [];

  constructor(self: ActorSelf, input: DeviceQueueInput) {
    this.#self = self;
    this.#input = input;
    this.#sources = new SourceTable((file) => this.#closeFile(file));
  }

  #closeFile({ descriptor }: OpenedFile): void {
    const close: CloseFile = { device: this.#self.address, descriptor };
    this.#self.tell(FILES, 'files.close', close);
  }

  /** The driver starts threads of its own: the one promise here ends as a message. */
  openDriver(): void {
    const self = this.#self;
    this.#input.open().then(
      (opened) => {
        this.#opened = opened;
        const { device, runner, ledger, bytes } = opened;
        const records = new DeviceRecords(self, bytes);
        this.#records = records;
        ledger.onChange = records.booked;
        this.#banks = new DeviceBanks(self, { device, runner, sources: this.#sources });
        this.#rows = new DeviceRows(self, runner);
        runner.gathers = new DeviceGathers(self, this.#sources);
        // Closed while it opened.
        if (this.#isClosed) return this.close();
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
    const records = this.#records!;
    const size = records.sizeOf(submission);
    this.#opened!.runner.submit(submission, {
      onAccepted: () => {
        records.accepted(size);
        self.tell(replyTo, 'work.accepted', { invocation });
      },
      onRetired: (fact) => {
        records.retired(fact);
        const transfer = [fact.snapshot.buffer as ArrayBuffer];
        self.tell(replyTo, 'work.retired', fact satisfies WorkRetired, { transfer });
        self.tell(self.address, 'work.ended', {});
      },
      onFailed: (status) => {
        records.failed(invocation);
        self.tell(replyTo, 'work.failed', { invocation, status } satisfies WorkFailed);
        self.tell(self.address, 'work.ended', {});
      },
    });
  }

  refuseWork(work: SubmitWork, failure: StatusRecord | null): void {
    const status = failure ?? CLOSING;
    const { invocation } = work.submission;
    this.#self.tell(work.replyTo, 'work.failed', { invocation, status } satisfies WorkFailed);
  }

  load(ask: Message): void {
    const { id, module, wgsl, info, banks, workspaceLimit } = ask.payload as LoadExecutable;
    const { device } = this.#opened!;
    try {
      this.#checkLives(id);
      this.#banks!.check(info.name, info.bankFields, banks ?? []);
      device.load(id, { info, module, wgsl, banks, workspaceLimit });
      this.#loaded.add(id);
    } catch (error) {
      return this.#self.replyError(ask, toStatus(error));
    }
    if (device.ready === undefined) return this.#self.reply(ask, {});
    const refuse = (error: unknown): void => {
      if (this.#loaded.has(id)) this.unload(id);
      this.#self.replyError(ask, toStatus(error));
    };
    device.ready(id).then(() => this.#self.reply(ask, {}), refuse);
  }

  registerBanks(ask: Message): void {
    const register = ask.payload as RegisterBanks;
    try {
      this.#checkLives(`${register.scope}/`);
      this.#banks!.register(register);
      this.#tellFiles('files.take', register.scope);
      this.#self.reply(ask, {});
    } catch (error) {
      for (const file of filesOf(register.sources)) this.#closeFile(file);
      this.#self.replyError(ask, toStatus(error));
    }
  }

  #tellFiles(kind: 'files.take' | 'files.drop', scope: string): void {
    this.#self.tell(FILES, kind, { device: this.#self.address, scope } satisfies DropFiles);
  }

  #checkLives(id: string): void {
    if (!this.#released.some((scope) => id.startsWith(scope))) return;
    throw new StatusError('failedPrecondition', `${id} belongs to a generation that has ended`);
  }

  get banks(): DeviceBanks | null {
    return this.#banks;
  }

  refuse(ask: Message): void {
    const { sources } = ask.payload as Partial<RegisterBanks>;
    for (const file of filesOf(sources ?? [])) this.#closeFile(file);
    const error = new StatusError('unavailable', 'the device is opening, lost or closing');
    this.#self.replyError(ask, error.status);
  }

  unload(id: string): void {
    this.#loaded.delete(id);
    this.#opened?.device.unload(id);
  }

  /**
   * Unloads whatever a generation or preparation that has ended left here, because its thread was
   * lost; what it asked to load before its end and comes later is refused.
   */
  releaseAll(scope: string): void {
    this.#released.push(scope);
    if (this.#released.length > RELEASED_MAX) this.#released.shift();
    for (const id of this.#loaded) if (id.startsWith(scope)) this.unload(id);
    const name = scope.replace(/\/$/, '');
    // They hold banks.
    this.#rows?.unregister(scope);
    this.#banks?.unregister(name);
    this.#tellFiles('files.drop', name);
  }

  registerRows(ask: Message): void {
    const register = ask.payload as RegisterRows;
    try {
      this.#checkLives(register.id);
      this.#rows!.register(register, ask.from);
      this.#self.reply(ask, {});
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
  }

  get rows(): DeviceRows | null {
    return this.#rows;
  }

  announce(kind: string, status: StatusRecord | null): void {
    this.#self.tell(this.#input.opened, kind, { status });
  }

  refuseWaiting(failure: StatusRecord | null): void {
    this.#opened?.runner.refuseWaiting(failure ?? CLOSING);
  }

  /** When its machine ends, and when its owner ends before it heard of that. */
  close(): void {
    if (this.#isClosed && this.#opened?.device.lost) return;
    this.#isClosed = true;
    this.#banks?.close();
    void this.#opened?.device.close();
  }

  killWorker(worker: number): void {
    this.#opened?.killWorker?.(worker);
  }

  hold(label: string | null): void {
    this.#opened?.device.queue.hold(label);
  }

  details(): DeviceDetails {
    const entries = [...(this.#opened?.ledger.entries() ?? [])];
    entries.sort((left, right) => right.bytes - left.bytes);
    const none: RunnerDetails = { asking: [], parked: [], running: [], works: [] };
    return {
      ...this.describe(''),
      ...(this.#opened?.runner.describe() ?? none),
      leases: entries.slice(0, LEASES_TOLD).map(({ owner, bytes, uses }) => {
        return { ...owner, bytes, uses };
      }),
    };
  }

  pulse(): DevicePulse | null {
    if (this.#opened === null) return null;
    const { device, runner } = this.#opened;
    const { queue } = device;
    const loaded = runner.banks.describe().reduce((sum, bank) => sum + bank.loadedBytes, 0);
    return {
      what: 'device',
      open: runner.inFlight + runner.waiting,
      progress: `${queue.retired} ${device.progress ?? 0} ${loaded}`,
      invocations: runner.invocations,
    };
  }

  describe(state: string): DeviceSummary {
    const none = { budget: 0, resident: 0, reserved: 0, byOwner: [] };
    return {
      driver: this.#opened?.device.driver ?? 'none',
      state,
      inFlight: this.#opened?.runner.inFlight ?? 0,
      executables: this.#opened?.device.executables ?? 0,
      banks: this.#opened?.runner.banks.describe() ?? [],
      rows: this.#opened?.runner.rows.describe() ?? [],
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
        refuseSubmission: (event, context) => host.refuseWork(work(event), failure(context)),
        loadExecutable: (_e, _c, message) => host.load(message),
        refuseExecutable: (_e, _c, message) => host.refuse(message),
        unloadExecutable: (event) => host.unload((event as unknown as { id: string }).id),
        releaseExecutables: (event) =>
          host.releaseAll((event as unknown as { scope: string }).scope),
        registerBanks: (_e, _c, message) => host.registerBanks(message),
        unregisterBanks: (event) =>
          host.banks?.unregister((event as unknown as { scope: string }).scope),
        warmBanks: (_e, _c, message) => host.banks!.warm(message),
        deactivateBanks: (_e, _c, message) => host.banks!.deactivate(message),
        refuseBanks: (_e, _c, message) => host.refuse(message),
        registerRows: (_e, _c, message) => host.registerRows(message),
        unregisterRows: (event) => host.rows?.unregister((event as unknown as NameRows).id),
        useRows: (_e, _c, message) => host.rows!.use(message),
        passToRows: (event) =>
          host.rows?.pass(event.type as 'rows.rest', event as unknown as NameRows),
        refuseRows: (_e, _c, message) => host.refuse(message),
        refuseWaiting: (_e, context) => host.refuseWaiting(failure(context)),
        announceOpened: () => host.announce('device.opened', null),
        announceRefused: (_e, context) => host.announce('device.refused', failure(context)),
        announceLost: (_e, context) => host.announce('device.lost', failure(context)),
        closeDriver: () => host.close(),
      },
      messages: {
        // A warm-up goes on without whoever asked for it.
        cancel: () => null,
        // For fault injection: nothing that is reached from outside sends it.
        'worker.kill': (message) => {
          host.killWorker((message.payload as { worker: number }).worker);
          return null;
        },
        'work.hold': (message) => {
          host.hold((message.payload as { label: string | null }).label);
          return null;
        },
      },
      details: () => host.details(),
      pulse: () => host.pulse(),
      asks: { 'device.describe': (state) => host.describe(state) },
      stopped: () => host.close(),
    };
  },
);
