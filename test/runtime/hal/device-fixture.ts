/** A device with everything that stands on it, and ways to submit and look, for tests. */
import * as assert from 'uvu/assert';
import type { StatusRecord } from '../../../runtime/base/errors.js';
import { systemPorts, type Ports } from '../../../runtime/base/ports.js';
import type { DeviceRange } from '../../../runtime/hal/buffer.js';
import type { DeviceCommand, Launch } from '../../../runtime/hal/command.js';
import type { Device } from '../../../runtime/hal/device.js';
import type { Fence } from '../../../runtime/hal/fence.js';
import type { WorkOutcome } from '../../../runtime/hal/queue.js';
import type { Owner, Submission, SubmissionRetired } from '../../../runtime/hal/submission.js';
import type { Timeline } from '../../../runtime/hal/timeline.js';
import { Budget } from '../../../runtime/memory/budget.js';
import { InvocationRunner } from '../../../runtime/memory/invocation-runner.js';
import { Ledger } from '../../../runtime/memory/ledger.js';
import { SlabPool } from '../../../runtime/memory/slab-pool.js';
import * as programs from './programs.js';

export const ownerOf = (deployment: string, id = 'test'): Owner => ({
  kind: 'invocation',
  deployment,
  id,
});

export const u32 = (...values: number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(values).buffer);
export const toWords = (bytes: Uint8Array): number[] => [...new Uint32Array(bytes.slice().buffer)];

/** What became of a submission, in order. */
export interface Story {
  readonly events: string[];
  retired: SubmissionRetired | null;
  failed: StatusRecord | null;
}

/** The programs that conformance runs, as code of some driver. */
export type ProgramSet = Pick<
  typeof programs,
  'triple' | 'append' | 'echo' | 'parts' | 'cohort' | 'poisonous' | 'trapping'
>;

export interface FixtureOptions {
  readonly poison?: boolean;
  /** Default: WebAssembly. */
  readonly programs?: ProgramSet;
  readonly keepAlive?: boolean;
}

const placeOf = ({ slab, offset }: DeviceRange): string => `${slab}:${offset}`;

export class DeviceFixture<D extends Device = Device> {
  readonly device: D;
  readonly pool: SlabPool;
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly runner: InvocationRunner;
  /** The most bytes that were ever held or reserved. */
  mostBytes = 0;
  /** Timers of ports do not keep the process alive; a test that waits for one must. */
  readonly #alive: NodeJS.Timeout | null;
  /** Invocations in order of acceptance. */
  readonly accepted: string[] = [];
  /** What `write` wrote last, by place: the bytes of hosted roots. */
  readonly #written = new Map<string, Uint8Array>();

  constructor(device: D, ports: Ports, options: FixtureOptions = {}) {
    this.#alive = options.keepAlive ? setInterval(() => {}, 100) : null;
    this.device = device;
    this.ledger = new Ledger(device.memoryBytes);
    this.budget = new Budget(this.ledger);
    this.pool = new SlabPool(device.memory, options);
    const { pool, budget } = this;
    this.runner = new InvocationRunner({ device, pool, budget, ports });
    const set = options.programs ?? programs;
    const loads = {
      triple: set.triple(),
      producer: set.triple(),
      append: set.append(),
      hosted: set.append({ hosted: true }),
      echo: set.echo(1024),
      parts: set.parts(3),
      cohort: set.cohort(),
      poisonous: set.poisonous(),
      trapping: set.trapping(),
    };
    for (const [id, image] of Object.entries(loads)) device.load(id, image);
  }

  // --- queue level -----------------------------------------------------------------------------

  place(bytes: number, deployment = 'test'): DeviceRange {
    const range = this.pool.allocate(bytes, deployment);
    assert.ok(range);
    return { ...range, length: bytes };
  }

  launch(executable: string, roots: DeviceRange[], rest: Partial<Launch> = {}): DeviceCommand {
    return {
      op: 'execute',
      launch: {
        executable: this.device.executable(executable),
        roots,
        banks: [],
        workspace: null,
        part: 0,
        deployment: 'test',
        backEdges: null,
        hosted: () => roots.map((root) => this.#written.get(placeOf(root)) ?? null),
        ...rest,
      },
    };
  }

  /** Submits a work of one or more commands; what it says when it has retired. */
  work(
    commands: DeviceCommand[],
    options: { timeline?: Timeline; wait?: Fence | null; label?: string } = {},
  ): { fence: Fence; retired: Promise<WorkOutcome> } {
    const {
      wait = null,
      label = 'a test',
      timeline = this.device.createTimeline('test'),
    } = options;
    let onRetired: (outcome: WorkOutcome) => void = () => {};
    const retired = new Promise<WorkOutcome>((resolve) => (onRetired = resolve));
    const request = { label, wait, timeline, commands, onRetired };
    return { fence: this.device.queue.submit(request), retired };
  }

  async write(target: DeviceRange, bytes: Uint8Array): Promise<void> {
    this.#written.set(placeOf(target), bytes);
    const outcome = await this.work([{ op: 'upload', target, bytes }]).retired;
    assert.is(outcome.failure, null);
  }

  async read(source: DeviceRange): Promise<Uint8Array> {
    const into = new Uint8Array(source.length);
    const outcome = await this.work([{ op: 'readback', source, into }]).retired;
    assert.is(outcome.failure, null);
    return into;
  }

  // --- invocation level ------------------------------------------------------------------------

  /** Submits and waits for the answer. */
  invoke(submission: Submission): Promise<Story> {
    return new Promise((resolve) => this.start(submission, resolve));
  }

  start(submission: Submission, onEnd: (story: Story) => void = () => {}): Story {
    const story: Story = { events: [], retired: null, failed: null };
    const note = (event: string): void => {
      story.events.push(event);
      this.mostBytes = Math.max(this.mostBytes, this.ledger.bytes + this.budget.reservedBytes);
    };
    this.runner.submit(submission, {
      onAccepted: () => {
        note('accepted');
        this.accepted.push(submission.invocation);
      },
      onRetired: (fact) => {
        note('retired');
        story.retired = fact;
        onEnd(story);
      },
      onFailed: (status) => {
        note('failed');
        story.failed = status;
        onEnd(story);
      },
    });
    return story;
  }

  createStorage(key: string, bytes: number, kind: Owner['kind'] = 'row'): Promise<void> {
    return new Promise((resolve, reject) => {
      const owner = { kind, deployment: 'test', id: key };
      const onFailed = (status: StatusRecord): void => reject(new Error(status.message));
      this.runner.createStorage({ key, owner, bytes }, { onPlaced: resolve, onFailed });
    });
  }

  async close(): Promise<void> {
    if (this.#alive) clearInterval(this.#alive);
    await this.device.close();
  }
}

export const testPorts = (): Ports => systemPorts('test');
