/**
 * The children of one cell in order of start: stops them, last started first, and after one went
 * down by itself carries out what the supervision decides. Without supervision nobody is restarted.
 */
import { ChurnMap } from '../base/churn-map.js';
import { StatusError } from '../base/errors.js';
import type { Cell } from './cell.js';
import type { CellHost } from './cell-host.js';
import type { StopReason } from './stop-reason.js';
import { RestartIntensity, restartPlan, type RestartPlan } from './supervision.js';
import type { Supervision } from './supervision.js';

export class CellChildren {
  readonly #host: CellHost;
  readonly #cells = new ChurnMap<string, Cell>();
  #supervision: Supervision | null = null;
  #intensity: RestartIntensity | null = null;

  constructor(host: CellHost) {
    this.#host = host;
  }

  get cells(): Iterable<Cell> {
    return this.#cells.values();
  }

  add(cell: Cell): void {
    this.#cells.set(cell.options.name, cell);
    this.#host.addCell(cell);
  }

  /** Removes a halted child for good. */
  discard(child: Cell): void {
    const { name } = child.options;
    if (this.#cells.get(name) === child) this.#cells.delete(name);
    this.#host.removeCell(child);
  }

  supervise(supervision: Supervision): void {
    this.#supervision = supervision;
    this.#intensity = new RestartIntensity(supervision);
  }

  haltAll(note: string): void {
    for (const child of [...this.#cells.values()].reverse()) {
      child.halt({ kind: 'stopped', note });
      this.discard(child);
    }
  }

  /** A child went down by itself. Returns why the parent must go down too, if it must. */
  left(child: Cell, reason: StopReason): StatusError | null {
    const plan = this.#planFor(child, reason);
    if (plan === null || plan.start.length === 0) {
      this.discard(child);
      return null;
    }
    const delayMs = this.#intensity!.next(this.#host.ports.clock.now());
    if (delayMs === null) return tooManyRestarts(child, this.#supervision!);
    for (const name of plan.stop) {
      const other = this.#cells.get(name)!;
      other.halt({ kind: 'stopped', note: `restarted with ${child.address}` });
      if (!plan.start.includes(name)) this.discard(other);
    }
    for (const name of plan.start) this.#cells.get(name)!.restart(delayMs);
    return null;
  }

  #planFor(child: Cell, reason: StopReason): RestartPlan | null {
    if (this.#supervision === null || reason.kind === 'stopped') return null;
    const children = [...this.#cells.values()].map(({ options }) => ({
      name: options.name,
      restart: options.restart ?? 'temporary',
    }));
    const { strategy } = this.#supervision;
    return restartPlan(strategy, children, child.options.name, reason.kind === 'failed');
  }
}

function tooManyRestarts(child: Cell, { intensity }: Supervision): StatusError {
  return new StatusError(
    'unavailable',
    `its children failed more than ${intensity.restarts} times within ${intensity.periodMs} ms, ` +
      `${child.address} last`,
    { where: child.address },
  );
}
