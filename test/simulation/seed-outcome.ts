/** What is asked of a simulated seed, and what has become of it. */
import type { GuestName } from './guests.js';
import type { Intruder } from './intruder.js';
import type { Violation } from './report.js';
import type { FaultKind } from './seed-faults.js';

export interface SimulationOptions {
  readonly seed: number;
  /** Faults that the seed may use; it uses about two thirds of them. */
  readonly faults?: readonly FaultKind[];
  readonly withTrace?: boolean;
  /** Little happens, to one model of this contract: for runs of which there are thousands. */
  readonly only?: 'finite' | 'text';
  /** This package of the repository is served, and nothing else. */
  readonly guest?: GuestName;
  /** Of the first phase, instead of as long as requests come. */
  readonly lastsMs?: number;
  /** By then every call of the first phase ends, for its callers. */
  readonly deadlineMs?: number;
  readonly intruder?: Intruder;
  /** Calls of the first phase, instead of as many as the seed says. */
  readonly calls?: number;
  /** Share of seeds after whose faults every model is asked to serve again; all without. */
  readonly asked?: number;
  /** Some of the parts of an earlier outcome, which are left out. */
  readonly without?: ReadonlySet<string>;
}

export interface Outcome {
  readonly seed: number;
  readonly faults: readonly FaultKind[];
  readonly violations: readonly Violation[];
  /** Of every step of the run. */
  readonly hash: string;
  readonly trace: readonly string[];
  /** What may be left out of it one by one: steps of clients, readers, mishaps, faults. */
  readonly parts: readonly string[];
  /** To serve again; not what was drained, or gave up because its device never opened. */
  readonly wasAsked: boolean;
  readonly steps: number;
  readonly answered: number;
  readonly shared: number;
  readonly compiles: number;
  readonly cancelledIn: readonly string[];
  /** Banks that were activated; that had to leave because others needed the room. */
  readonly activations: number;
  readonly evictions: number;
  /** Turns that said all they had to say; spans that shared their epochs. */
  readonly told: number;
  readonly spansShared: number;
  /** Times that all that the rows of a model held had to leave. */
  readonly rowEvictions: number;
}
