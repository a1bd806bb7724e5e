/**
 * The actor of one parameter bank: hosts `bank.machine.ts`, fills its storage through a loader
 * whose reads the reading threads carry out, and tells the device's table of banks what has become
 * of it.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { DeviceRange } from '../../runtime/hal/buffer.js';
import type { Device } from '../../runtime/hal/device.js';
import type { BankProgress } from '../../runtime/memory/bank-calls.js';
import type { BankSpec, BankTable } from '../../runtime/memory/bank-table.js';
import { BankLoader, STAGING_HEADER_BYTES } from '../../runtime/parameters/bank-loader.js';
import type { LoadPlan } from '../../runtime/parameters/load-plan.js';
import type { BlockRead, ReadBlock } from '../../runtime/parameters/read-block.task.js';
import type { SourceLease } from '../../runtime/parameters/source-table.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import { FILES } from '../protocol.js';
import { type Context, machine } from './bank.machine.js';

/**
 * As long as a timer can: the storage is the bank's until the thread has answered, or it would
 * write into bytes of others.
 */
const READ_DEADLINE_MS = 2 ** 31 - 1;
/** Between two lines of progress in the log. */
const PROGRESS_MS = 2_000;
const ENDED: StatusRecord = { code: 'unavailable', message: 'the device has ended' };
const NOT_STARTED: BankProgress = { loadedBytes: 0, totalBytes: 0, nonFinite: 0 };

export interface BankInput {
  readonly id: string;
  readonly deployment: string;
  readonly plan: LoadPlan;
  readonly sources: SourceLease;
  readonly pinned: boolean;
  readonly device: Device;
  readonly table: BankTable;
}

type ReadDone = (outcome: BlockRead | { readonly status: StatusRecord }) => void;

/** What the table of banks must know of it. */
export function bankSpec(
  input: Pick<BankInput, 'id' | 'deployment' | 'plan' | 'pinned'>,
): BankSpec {
  const { id, deployment, plan, pinned } = input;
  const { bytes, fields, stagingBytes } = plan;
  const staged = stagingBytes === 0 ? 0 : STAGING_HEADER_BYTES + stagingBytes;
  return { id, deployment, bytes, stagingBytes: staged, fields, pinned };
}

class BankHost {
  readonly #self: ActorSelf;
  readonly #input: BankInput;
  readonly #reads = new Map<string, ReadDone>();
  /** From the table's wish to its answer. */
  #isActivating = false;
  #isLoading = false;
  #place: { storage: DeviceRange; staging: readonly DeviceRange[] } | null = null;
  #loader: BankLoader | null = null;
  /** The device ends, and this actor with it: nobody hears what it tells itself. */
  #isOver = false;
  #startedMs = 0;
  #loggedMs = 0;

  constructor(self: ActorSelf, input: BankInput) {
    this.#self = self;
    this.#input = input;
    const { id, table } = input;
    table.register(bankSpec(input), {
      onActivate: (storage, staging) => {
        this.#place = { storage, staging };
        this.#isActivating = true;
        // Its scope may end before it hears itself.
        input.sources.retain();
        self.tell(self.address, 'bank.activate', {});
      },
      onEvict: () => self.tell(self.address, 'bank.evict', { users: table.users(id) }),
      onUnused: () => self.tell(self.address, 'bank.unused', {}),
      progress: () => this.progress(),
    });
  }

  startLoading(): void {
    const { device, deployment, plan, sources } = this.#input;
    const self = this.#self;
    this.#startedMs = this.#loggedMs = self.now();
    this.#isLoading = true;
    this.#loader = new BankLoader({
      device,
      deployment,
      plan,
      sources: sources.sources,
      ...this.#place!,
      read: (block, done) => this.#read(block, done),
      onProgress: () => self.tell(self.address, 'load.progressed', {}),
      onEnd: (failure) => {
        sources.release();
        this.#isLoading = false;
        if (this.#isOver) this.#input.table.failed(this.#input.id, ENDED);
        else if (failure === null) self.tell(self.address, 'load.done', {});
        else self.tell(self.address, 'load.failed', { status: failure });
      },
    });
    self.log('info', `activating ${this.#name}: ${megabytes(this.#loader.totalBytes)}`);
    this.#loader.start();
  }

  stopLoading(): void {
    const message = `${this.#name} was removed while it was activated`;
    this.#loader!.stop({ code: 'cancelled', message });
  }

  /** Reads that nobody waits for any more end here, so that the loader and its users end, too. */
  abandon(): void {
    const { device, table, id, sources } = this.#input;
    this.#isOver = true;
    // Bytes that come back now must not admit anybody: no bank is activated any more.
    device.queue.refuse(ENDED);
    if (!this.#isLoading) {
      if (!this.#isActivating) return;
      sources.release();
      return table.failed(id, ENDED);
    }
    this.#loader!.stop(ENDED);
    const reads = [...this.#reads.values()];
    this.#reads.clear();
    for (const done of reads) done({ status: ENDED });
  }

  #read(block: ReadBlock, done: ReadDone): void {
    const call = { task: 'read-block', input: block };
    const deadlineMs = this.#self.now() + READ_DEADLINE_MS;
    this.#reads.set(this.#self.ask(FILES, 'task.run', call, { deadlineMs, as: 'read' }), done);
  }

  readDone(reply: Reply): null {
    const done = this.#reads.get(reply.correlation)!;
    this.#reads.delete(reply.correlation);
    if (reply.outcome === 'value') done(reply.value as BlockRead);
    else done({ status: reply.status ?? toStatus(new Error('a read without an answer')) });
    return null;
  }

  logProgress(): void {
    const { loadedBytes, totalBytes } = this.#loader!;
    const now = this.#self.now();
    if (now - this.#loggedMs < PROGRESS_MS || totalBytes === 0) return;
    this.#loggedMs = now;
    const share = Math.floor((100 * loadedBytes) / totalBytes);
    this.#self.log('info', `activating ${this.#name}: ${share} % of ${megabytes(totalBytes)}`);
  }

  announceResident(): void {
    const { nonFinite, totalBytes } = this.#loader!;
    const seconds = ((this.#self.now() - this.#startedMs) / 1_000).toFixed(2);
    const odd = nonFinite === 0 ? '' : `; ${nonFinite} values are not finite`;
    const text = `${this.#name} is resident: ${megabytes(totalBytes)} in ${seconds} s${odd}`;
    this.#self.log(nonFinite === 0 ? 'info' : 'warn', text);
    this.#isActivating = false;
    this.#input.table.activated(this.#input.id);
  }

  announceFailed(status: StatusRecord): void {
    const message = `${this.#name} could not be activated: ${status.message}`;
    this.#self.log(status.code === 'cancelled' ? 'info' : 'error', message);
    this.#isActivating = false;
    this.#input.table.failed(this.#input.id, { ...status, message });
  }

  askToLeave(): void {
    this.#input.table.evict(this.#input.id);
  }

  releaseStorage(): void {
    this.#self.log('info', `${this.#name} has left the device`);
    this.#input.table.left(this.#input.id);
  }

  unregister(): void {
    this.#input.table.unregister(this.#input.id);
  }

  progress(): BankProgress {
    const { loadedBytes, totalBytes, nonFinite } = this.#loader ?? NOT_STARTED;
    return { loadedBytes, totalBytes, nonFinite };
  }

  get #name(): string {
    return `bank ${this.#input.plan.label} of ${this.#input.deployment}`;
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export const bank = machineActor(machine, (self: ActorSelf, input: BankInput): MachineHost => {
  const host = new BankHost(self, input);
  return {
    replies: { read: (reply) => host.readDone(reply) },
    effects: {
      startLoading: () => host.startLoading(),
      stopLoading: () => host.stopLoading(),
      logProgress: () => host.logProgress(),
      announceResident: () => host.announceResident(),
      announceFailed: (_, context) => host.announceFailed((context as Context).failure!),
      askToLeave: () => host.askToLeave(),
      releaseStorage: () => host.releaseStorage(),
      unregister: () => host.unregister(),
    },
    stopped: ({ kind }) => {
      if (kind === 'stopped') host.abandon();
    },
  };
});
