/**
 * A simulated device whose memory, queue and timelines are watched from outside, by bookkeeping of
 * its own: ranges that are handed out, bytes that accepted works touch, points that only grow. What
 * breaks is reported, whatever the ledger says. One shadow a device that was opened.
 */
import type { DeviceRange } from '../../runtime/hal/buffer.js';
import { accessOf } from '../../runtime/hal/command.js';
import type { Fence } from '../../runtime/hal/fence.js';
import type { LocalMemory } from '../../runtime/hal/local/local-memory.js';
import type { WorkRequest } from '../../runtime/hal/queue.js';
import { SimulatedDevice } from '../../runtime/hal/simulated/simulated-device.js';
import type { CompletionPlan } from '../../runtime/hal/simulated/completion.js';
import type { Timeline } from '../../runtime/hal/timeline.js';
import type { Budget } from '../../runtime/memory/budget.js';
import type { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import type { Ledger } from '../../runtime/memory/ledger.js';
import { SlabPool } from '../../runtime/memory/slab-pool.js';
import { BankLaws } from './bank-laws.js';
import { override } from './override.js';
import type { OpenedDevice } from '../../actors/model/device-queue.js';
import { openedDevice } from '../../actors/model/opened-device.js';
import { WatchedPool } from './watched-pool.js';
import type { Ports } from '../../runtime/base/ports.js';

export interface ShadowOptions {
  readonly ports: Ports;
  readonly memory: LocalMemory;
  readonly memoryBytes: number;
  readonly completion: CompletionPlan;
  /** The machine has no more memory, whatever the budget says. */
  readonly isExhausted: () => boolean;
  readonly report: (law: string, detail: string) => void;
}

interface Working {
  readonly label: string;
  readonly ranges: readonly DeviceRange[];
  retirements: number;
}

export class ShadowDevice {
  readonly device: SimulatedDevice;
  readonly opened: OpenedDevice;
  readonly banks: BankLaws;
  readonly #options: ShadowOptions;
  readonly #ledger: Ledger;
  readonly #budget: Budget;
  readonly #pool: SlabPool;
  readonly #runner: InvocationRunner;
  readonly #watched: WatchedPool;
  readonly #working = new Set<Working>();
  readonly #timelines = new Map<Timeline, { issued: number; reached: number }>();
  readonly #executables = new Set<string>();

  constructor(options: ShadowOptions) {
    const { ports, memory, memoryBytes, completion } = options;
    this.#options = options;
    const device = new SimulatedDevice({ ports, memory, memoryBytes, completion });
    this.device = device;
    this.#watchQueue();
    this.#watchTimelines();
    this.#watchExecutables();
    this.#pool = new SlabPool(device.memory, { poison: true });
    const { report, isExhausted } = options;
    this.#watched = new WatchedPool(this.#pool, { report, isExhausted, working: this.#working });
    const opened = openedDevice({ device, ports, pool: this.#watched });
    this.opened = opened;
    this.#ledger = opened.ledger;
    this.#budget = opened.budget;
    this.#runner = opened.runner;
    this.banks = new BankLaws(this.#runner.banks, {
      report: options.report,
      leases: (bank) => {
        const leases = this.#ledger.entries().filter(({ owner }) => owner.id === bank);
        const used = leases.filter(({ uses }) => uses > 0).length;
        return { used, idle: leases.length - used };
      },
    });
  }

  /** What holds between any two steps. */
  checkNow(): void {
    this.banks.checkNow();
    const { bytes, limitBytes } = this.#ledger;
    const sum = bytes + this.#budget.reservedBytes;
    let held = 0;
    for (const range of this.#watched.held) held += range.length;
    if (sum > limitBytes || this.#budget.reservedBytes < 0) {
      this.#options.report('I7', `${sum} bytes are held or reserved of ${limitBytes}`);
    }
    if (held !== bytes) {
      this.#options.report('I7', `the ledger says ${bytes} bytes, ${held} are handed out`);
    }
    for (const [timeline, seen] of this.#timelines) {
      const { issued, reached, label } = timeline;
      if (issued < seen.issued || reached < seen.reached || reached > issued) {
        this.#options.report('I5', `timeline ${label} is at ${reached} of ${issued}`);
      }
      if (reached === issued && issued > 0 && timeline.failure === null) {
        this.#timelines.delete(timeline);
      } else {
        seen.issued = issued;
        seen.reached = reached;
      }
    }
  }

  /** What holds when nothing is left to do and every model is gone. */
  checkRest(): void {
    const { report } = this.#options;
    const gone = this.#goneWithIt();
    const rest: readonly [string, number][] = [
      ['bytes in the ledger', this.#ledger.bytes - gone.bytes],
      ['leases', this.#ledger.leases - gone.leases],
      ['uses of leases', this.#ledger.entries().reduce((sum, lease) => sum + lease.uses, 0)],
      ['bytes reserved', this.#budget.reservedBytes],
      ['asks for memory', this.#budget.waiting],
      ['ranges handed out', this.#watched.held.size - gone.leases],
      ['bytes in use by the pool', this.#pool.usedBytes - gone.bytes],
      ['invocations in flight', this.#runner.inFlight],
      ['submissions that wait', this.#runner.waiting],
      ['works in the queue', this.device.queue.inFlight],
      ['commands started', this.device.completion.pending.length],
    ];
    for (const [what, count] of rest) if (count !== 0) report('I8', `${count} ${what} at rest`);
    for (const work of this.#working) report('I2', `${work.label} never retired`);
    if (this.device.lost === null) {
      this.banks.checkGone();
      for (const { id } of this.#runner.banks.describe()) report('I8', `${id} is registered`);
    }
    if (this.device.lost === null && this.device.executables > 0) {
      const known = [...this.#executables].join(', ');
      report('I8', `${this.device.executables} executables are loaded at rest: ${known}`);
    }
  }

  /** A device that closes takes banks and rows along that were resident. */
  #goneWithIt(): { readonly bytes: number; readonly leases: number } {
    const kinds = ['bank', 'row'];
    const taken = this.#ledger.entries().filter(({ owner }) => kinds.includes(owner.kind));
    if (this.device.lost === null) return { bytes: 0, leases: 0 };
    return { bytes: taken.reduce((sum, { bytes }) => sum + bytes, 0), leases: taken.length };
  }

  get isClosed(): boolean {
    return this.device.lost !== null;
  }

  /** Executables that no preparation placed. */
  specialized(): readonly string[] {
    return [...this.#executables].filter((id) => !/\/(\d+|load\/.*)$/.test(id));
  }

  #watchQueue(): void {
    const { queue } = this.device;
    const submit = queue.submit.bind(queue);
    override(queue, {
      submit: (request: WorkRequest): Fence => {
        const { reads, writes } = accessOf(request.commands);
        const work: Working = {
          label: request.label,
          ranges: [...reads, ...writes],
          retirements: 0,
        };
        this.#working.add(work);
        this.banks.checkWork(request);
        const onRetired: WorkRequest['onRetired'] = (outcome) => {
          work.retirements += 1;
          if (work.retirements > 1) this.#options.report('I2', `${work.label} retired twice`);
          this.#working.delete(work);
          request.onRetired(outcome);
        };
        try {
          return submit({ ...request, onRetired });
        } catch (error) {
          this.#working.delete(work);
          throw error;
        }
      },
    });
  }

  #watchTimelines(): void {
    const { device } = this;
    const create = device.createTimeline.bind(device);
    override(device, {
      createTimeline: (label: string): Timeline => {
        const timeline = create(label);
        this.#timelines.set(timeline, { issued: 0, reached: 0 });
        return timeline;
      },
    });
  }

  #watchExecutables(): void {
    const { device } = this;
    const load = device.load.bind(device);
    const unload = device.unload.bind(device);
    override(device, {
      load: (id, image) => {
        load(id, image);
        this.#executables.add(id);
      },
    });
    override(device, {
      unload: (id) => {
        this.#executables.delete(id);
        return unload(id);
      },
    });
  }
}
