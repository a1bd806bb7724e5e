/**
 * The device thread's half of a submission: admission, storage, queue, facts, and giving back.
 * Owned by the device queue's actor; called and calling back on the device thread only. A call may
 * be made before the method that caused it returns.
 *
 * Holds: a submission is answered with `onAccepted`, then exactly one of `onRetired` and
 * `onFailed`; one that was never accepted with `onFailed` alone. Storage is placed in one step at
 * admission and given back when the last accepted work that may touch it has retired, failed or
 * not. Cancelling takes back only what has not been accepted.
 */
import { ChurnMap } from '../base/churn-map.js';
import { StatusError, type StatusRecord } from '../base/errors.js';
import type { Ports } from '../base/ports.js';
import { subRange } from '../hal/buffer.js';
import type { Device } from '../hal/device.js';
import type { Executable } from '../hal/executable.js';
import type { Gathers } from '../hal/gather.js';
import type { Pool } from '../hal/pool.js';
import type { QueuedWork } from '../hal/queue.js';
import type { Owner, Submission, SubmissionRetired } from '../hal/submission.js';
import { AdmissionLine, NO_BANKS, type LineDetails } from './admission-line.js';
import { BankTable } from './bank-table.js';
import type { Budget, Reservation } from './budget.js';
import { PAGE_BYTES, planInvocation } from './invocation-plan.js';
import type { InvocationPlan, StorageSource } from './invocation-plan.js';
import { InvocationRecorder } from './invocation-recorder.js';
import { PlacementRetry } from './placement-retry.js';
import { RoomMaker } from './room-maker.js';
import { RowTable } from './row-table.js';
import type { WorkspaceShare } from './workspace-limits.js';
import { StorageTable, type PlacedStorage, type StorageRequest } from './storage-table.js';

export interface InvocationCalls {
  onAccepted(): void;
  onRetired(fact: SubmissionRetired): void;
  onFailed(status: StatusRecord): void;
}

export interface StorageCalls {
  /** Placed and zeroed; `key` is the lease to release. */
  onPlaced(): void;
  onFailed(status: StatusRecord): void;
}

export interface InvocationRunnerOptions {
  readonly device: Device;
  readonly pool: Pool;
  readonly budget: Budget;
  readonly ports: Ports;
  /** Counted back-edges that one worker may take in one execution; default: the driver's bound. */
  readonly backEdges?: number;
}

interface Running {
  readonly submission: Submission;
  readonly calls: InvocationCalls;
  readonly storages: readonly PlacedStorage[];
  readonly fresh: readonly PlacedStorage[];
  readonly plan: InvocationPlan;
  readonly accepted: number;
}

type InvocationOutcome = Pick<InvocationRecorder, 'failure' | 'feedback' | 'snapshot' | 'started'>;
const NOTHING_RAN = { feedback: [], snapshot: new Uint8Array(0), started: null };

const placerOf =
  (fresh: readonly PlacedStorage[]) =>
  (source: StorageSource): PlacedStorage =>
    'existing' in source ? source.existing : fresh[source.fresh]!;

/** Everything that was submitted and has not retired, for who asks why. */
export interface RunnerDetails extends LineDetails {
  readonly running: readonly { readonly id: string; readonly banksActivating: readonly string[] }[];
  readonly works: readonly QueuedWork[];
}

export class InvocationRunner {
  readonly #options: InvocationRunnerOptions;
  readonly #device: Device;
  readonly #budget: Budget;
  readonly #table: StorageTable;
  readonly banks: BankTable;
  readonly rows: RowTable;
  /** Carries out gathers; without, submissions with gathers are refused. */
  gathers: Gathers | null = null;
  readonly #line: AdmissionLine;
  /** Banks that each binds, by invocation; those of rows that wait for theirs are among them. */
  readonly #running = new ChurnMap<string, ReadonlySet<string>>();
  /** That they give back when they end. */
  #runningBytes = 0;

  constructor(options: InvocationRunnerOptions) {
    this.#options = options;
    const { device, budget, pool, ports } = options;
    this.#device = device;
    this.#budget = budget;
    const settle = (): void => budget.settle();
    this.#table = new StorageTable(pool, budget.ledger, new PlacementRetry(ports.timers, settle));
    const books = {
      ...{ storage: this.#table, settle },
      now: () => ports.clock.now(),
      forecast: (bytes: number, label: string) => budget.forecast(bytes, label),
    };
    this.banks = new BankTable(books);
    this.rows = new RowTable({ ...books, banks: this.banks });
    const { banks, rows } = this;
    const room = new RoomMaker({ banks, rows, runningBytes: () => this.#runningBytes });
    this.#line = new AdmissionLine(budget, { banks, rows, room }, () => device.queue.refusal);
    device.onLost((status) => this.refuseWaiting(status));
  }

  /** Invocations accepted and not retired. */
  get inFlight(): number {
    return this.#running.size;
  }

  /** Submissions and storage that wait for admission. */
  get waiting(): number {
    return this.#line.waiting;
  }

  /** Those that wait for admission or run. */
  get invocations(): readonly string[] {
    return [...this.#line.ids, ...this.#running.keys()];
  }

  describe(): RunnerDetails {
    return {
      ...this.#line.describe(),
      running: [...this.#running].map(([id, banks]) => {
        return { id, banksActivating: this.banks.activating(banks) };
      }),
      works: this.#device.queue.describe(),
    };
  }

  submit(submission: Submission, calls: InvocationCalls): void {
    const { invocation } = submission;
    this.#line.guard(calls.onFailed, () => {
      if (this.#running.has(invocation)) {
        throw new StatusError('alreadyExists', `invocation '${invocation}' is running already`);
      }
      this.#checkGathers(submission);
      const plan = planInvocation(submission, this.#device, this.#table);
      const { shares } = plan;
      if (shares.length === 0) return this.#queue(submission, calls, plan);
      const start = (): void => this.#queueShared(submission, calls, shares);
      this.#line.park({ id: invocation, shares, start, onFailed: calls.onFailed });
    });
  }

  /** Its shares are taken: they go back with its end. */
  #queueShared(
    submission: Submission,
    calls: InvocationCalls,
    shares: readonly WorkspaceShare[],
  ): void {
    const onFailed = (status: StatusRecord): void => {
      this.#line.giveBack(shares);
      calls.onFailed(status);
    };
    const onRetired = (fact: SubmissionRetired): void => {
      this.#line.giveBack(shares);
      calls.onRetired(fact);
    };
    this.#line.guard(onFailed, () => {
      const plan = planInvocation(submission, this.#device, this.#table);
      this.#queue(submission, { ...calls, onFailed, onRetired }, plan);
    });
  }

  #queue(submission: Submission, calls: InvocationCalls, planned: InvocationPlan): void {
    const { invocation } = submission;
    let plan: InvocationPlan | null = planned;
    const { bytes, banks } = planned;
    const admit = (reservation: Reservation): boolean => {
      // What was planned before the wait may name what is gone.
      const current = plan ?? planInvocation(submission, this.#device, this.#table);
      if (current.bytes !== bytes) {
        throw new StatusError('failedPrecondition', `executables changed under '${invocation}'`);
      }
      const fresh = this.#placeWith(reservation, banks, this.#freshOf(submission, current));
      if (fresh) this.#accept({ submission, calls, plan: current, fresh });
      return fresh !== null;
    };
    const label = `invocation '${invocation}'`;
    const rows = this.rows.ofStorage(submission.buffers.flatMap(({ key }) => key ?? []));
    const about = rows === null ? {} : ({ about: 'used' } as const);
    this.#line.ask(invocation, { bytes, banks, rows, ...about, label, admit }, calls.onFailed);
    plan = null;
  }

  #checkGathers({ commands, sources, invocation }: Submission): void {
    for (const command of commands) {
      if (command.op !== 'gather') continue;
      if (this.gathers === null || sources === undefined) {
        throw new StatusError('failedPrecondition', `'${invocation}' gathers without sources`);
      }
      this.gathers.check(sources, command.entry);
    }
  }

  /** Makes banks resident that no invocation needs yet: warm-up, pins. */
  activate(id: string, banks: ReadonlySet<string>, calls: StorageCalls): void {
    this.#line.guard(calls.onFailed, () => {
      const admit = (reservation: Reservation): boolean => {
        if (!this.#placeWith(reservation, banks, [])) return false;
        this.#line.leave(id);
        const storages = this.banks.use(banks);
        for (const storage of storages) this.#table.use(storage);
        this.banks.whenReady(banks, (failure) => {
          for (const storage of storages) this.#table.retire(storage);
          this.banks.release(banks);
          if (failure) calls.onFailed(failure);
          else calls.onPlaced();
        });
        return true;
      };
      this.#line.ask(id, { bytes: 0, banks, rows: null, label: id, admit }, calls.onFailed);
    });
  }

  /**
   * Rows are used from `onPlaced` on, until they come to rest: they are there, zeroed if they were
   * away, and so are the banks that their epochs bind.
   */
  useRows(id: string, calls: StorageCalls): void {
    this.#line.guard(calls.onFailed, () => {
      const banks = new Set(this.rows.banksOf(id));
      const admit = (reservation: Reservation): boolean => {
        const missing = this.rows.missing(id);
        const placed = missing && this.#placeWith(reservation, banks, missing);
        if (!placed) return false;
        // Room for an epoch was there, and whoever has rows comes to rest before others take it.
        reservation.release();
        this.#line.leave(id);
        this.rows.begin(id, placed);
        this.#running.set(id, banks);
        this.banks.whenReady(banks, (failure) => {
          this.#running.delete(id);
          if (failure && this.rows.isInUse(id)) this.rows.rest(id);
          if (failure) calls.onFailed(failure);
          else calls.onPlaced();
        });
        return true;
      };
      const label = `the rows of ${id}`;
      const need = { bytes: 0, banks, rows: id, about: 'missing', label, admit } as const;
      this.#line.ask(id, need, calls.onFailed);
    });
  }

  /** Places missing banks and `fresh` together, or nothing; the fresh storage, or null. */
  #placeWith(
    reservation: Reservation,
    banks: ReadonlySet<string>,
    fresh: readonly StorageRequest[],
  ): readonly PlacedStorage[] | null {
    const missing = this.banks.missing(banks);
    const placed = missing && this.#table.place(reservation, [...missing, ...fresh]);
    if (!missing || !placed) return null;
    this.banks.adopt(banks, placed.slice(0, missing.length));
    return placed.slice(missing.length);
  }

  /** Places storage that outlives invocations (a row, shared conditioning), zeroed. */
  createStorage(request: StorageRequest & { readonly key: string }, calls: StorageCalls): void {
    const { key } = request;
    this.#line.guard(calls.onFailed, () => {
      const checkNew = (): void => {
        if (!this.#table.has(key)) return;
        throw new StatusError('alreadyExists', `storage '${key}' is on the device already`);
      };
      checkNew();
      const admit = (reservation: Reservation): boolean => {
        checkNew();
        const zeros: StorageRequest = { ...request, contents: 'zeros' };
        if (!this.#table.place(reservation, [zeros])) return false;
        this.#line.leave(key);
        calls.onPlaced();
        return true;
      };
      const bytes = StorageTable.bytesFor([request]);
      const label = `storage '${key}'`;
      const need = { bytes, banks: NO_BANKS, rows: null, label, admit };
      this.#line.ask(key, need, calls.onFailed);
    });
  }

  /**
   * Gives up a result, row or shared storage; its bytes stay until the last use has retired. False
   * when there is no such storage (any more).
   */
  release(key: string): boolean {
    if (this.cancel(key)) return true;
    if (!this.#table.has(key)) return false;
    this.#table.giveUp(this.#table.find(key));
    this.#budget.settle();
    return true;
  }

  /** From now on `owner` pays for the storage: a lease passes from producer to reader. */
  transfer(key: string, owner: Owner): void {
    this.#table.transfer(this.#table.find(key), owner);
  }

  /** Takes back what is not accepted yet; false when it runs, and then it retires as ever. */
  cancel(id: string): boolean {
    return this.#line.cancel(id);
  }

  /** Fails everything that waits for admission: the device closes or is lost. */
  refuseWaiting(status: StatusRecord): void {
    this.#line.refuseAll(status);
  }

  #freshOf(submission: Submission, plan: InvocationPlan): readonly StorageRequest[] {
    const { deployment, id } = submission.owner;
    const owner: Owner = { kind: 'invocation', deployment, id };
    return plan.fresh.map(({ key, bytes }) => ({ key, owner, bytes }));
  }

  /** Everything is placed: it is the device's now, and runs as soon as its banks are resident. */
  #accept(entry: Pick<Running, 'submission' | 'calls' | 'plan' | 'fresh'>): void {
    const { submission, plan, fresh, calls } = entry;
    const placed = [...plan.buffers, ...plan.workspaces.values()].map(placerOf(fresh));
    const storages = [...new Set([...fresh, ...placed, ...this.banks.use(plan.banks)])];
    const executables = [...plan.executables.values()];
    for (const storage of storages) this.#table.use(storage);
    for (const executable of executables) executable.retain();
    this.#line.leave(submission.invocation);
    this.#running.set(submission.invocation, plan.banks);
    this.#runningBytes += plan.bytes;
    const accepted = this.#options.ports.clock.now();
    const running = { storages, accepted, ...entry };
    calls.onAccepted();
    this.banks.whenReady(plan.banks, (failure) => {
      if (failure) this.#finish(running, { ...NOTHING_RAN, failure });
      else this.#record(running);
      for (const executable of executables) executable.release();
    });
  }

  #record(running: Running): void {
    const { submission, plan, fresh } = running;
    const place = placerOf(fresh);
    const workspaces = [...plan.workspaces].map(([key, at]) => {
      return [key, subRange(place(at).range, 0, key.info.workspaceBytes)] as const;
    });
    const bindings = {
      buffers: plan.buffers.map((source, index) => {
        const { range } = place(source);
        const isPaged = 'fresh' in source && plan.pages.has(source.fresh);
        const skipped = isPaged ? (PAGE_BYTES - (range.offset % PAGE_BYTES)) % PAGE_BYTES : 0;
        return subRange(range, skipped, submission.buffers[index]!.bytes);
      }),
      executables: plan.executables,
      workspaces: new Map(workspaces),
      banks: ({ banks }: Executable) => this.banks.fields(banks),
      gathers: this.gathers,
      snapshotBytes: plan.snapshotBytes,
      backEdges: this.#options.backEdges ?? null,
    };
    const onEmpty = (): void => this.#finish(running, recorder);
    const recorder = new InvocationRecorder(this.#device, submission, { bindings, onEmpty });
    recorder.record();
  }

  /** The only place that gives an invocation's storage back. */
  #finish(running: Running, outcome: InvocationOutcome): void {
    const { submission, calls, plan, fresh, storages, accepted } = running;
    const { invocation, owner } = submission;
    const { failure, feedback, snapshot, started } = outcome;
    const results: { buffer: number; lease: string; bytes: number }[] = [];
    const kept = new Set<PlacedStorage>();
    plan.buffers.forEach((source, buffer) => {
      const storage = 'fresh' in source ? fresh[source.fresh]! : null;
      const lease = storage?.key ?? null;
      // A lease that was released before the producer retired is gone already.
      if (failure || storage === null || lease === null || !this.#table.has(lease)) return;
      kept.add(storage);
      this.#table.transfer(storage, { kind: 'result', deployment: owner.deployment, id: lease });
      results.push({ buffer, lease, bytes: storage.bytes });
    });
    for (const storage of fresh) if (!kept.has(storage)) this.#table.giveUp(storage);
    for (const storage of storages) this.#table.retire(storage);
    this.banks.release(plan.banks);
    this.#running.delete(invocation);
    this.#runningBytes -= plan.bytes;
    const retired = this.#options.ports.clock.now();
    const times = { accepted, started: started ?? accepted, retired };
    if (failure) calls.onFailed(failure);
    else calls.onRetired({ invocation, snapshot, feedback, results, times });
    this.#budget.settle();
  }
}
