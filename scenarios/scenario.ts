/**
 * What a scenario is: plain data. Acts that start at moments, what clients do meanwhile, faults,
 * and what must hold at the end. Nothing here runs anything; `play.ts` does, over whatever ground
 * it is given: HTTP to a server with real threads, or a simulated server under a seed.
 */
import type { Outcomes } from './outcome.js';

/** When something happens. Moments that never come fail the scenario, and it says which. */
export type Moment =
  /** So many milliseconds after the beginning. */
  | { readonly kind: 'time'; readonly ms: number }
  /** An act has its end, whatever it is. */
  | { readonly kind: 'ended'; readonly act: string }
  /** The head of its answer has come; what it holds is held. */
  | { readonly kind: 'answering'; readonly act: string }
  /** Its stream has said so many events to its reader. */
  | { readonly kind: 'said'; readonly act: string; readonly events: number }
  /** So many times actors came into this state; of the machines in `transitions.ts`. */
  | {
      readonly kind: 'reached';
      readonly machine: string;
      readonly state: string;
      readonly times: number;
    }
  | { readonly kind: 'all'; readonly of: readonly Moment[] };

/** A call of HTTP. `{NAME}` in its path is the `id` in act NAME's answer, which it waits for. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Its `x-request-id`; absent: the server gives it one. */
  readonly id?: string;
}

/** What nobody wants to happen. Only on a server that the scenario has started itself. */
export type Fault =
  | { readonly kind: 'kill'; readonly thread: string }
  /** The device fails for good: it has to be opened again. */
  | { readonly kind: 'lose-device' };

/** What lasts until the scenario says so, however slow the machine; the act ends with it. */
export type Held =
  /** Work is accepted and does not start. */
  | { readonly kind: 'hold-device' }
  /** It does nothing, as in an endless loop. */
  | { readonly kind: 'block'; readonly thread: string };

export type Hold = Held & { readonly until: Moment };

export interface Act {
  readonly name: string;
  readonly does: Call | Fault | Hold;
  /** Absent: at the beginning. */
  readonly when?: Moment;
  /** Its client goes then, unless the act has ended. */
  readonly leaves?: Moment;
  /** Its client takes nothing of the answer before. */
  readonly readsFrom?: Moment;
  /** Asks again while what it asks is busy, or it is told to try again: as good clients do. */
  readonly retries?: boolean;
  /** Asks again until the answer, its status first, says so. */
  readonly awaits?: RegExp;
}

/** What must hold at the end. */
export interface Expectation {
  readonly says: string;
  /** What is wrong; null when nothing is. */
  readonly fault: (outcomes: Outcomes) => string | null;
}

/** A package that must serve at the beginning. */
export interface PackageNeed {
  readonly id: string;
  /** Folder of `models/`. */
  readonly folder: string;
  /** Instead of those of its model.json. */
  readonly options?: object;
  readonly deployment?: object;
}

/** What it needs of its server; one that needs something special has its own. */
export interface ServerSettings {
  readonly memoryBytes?: number;
  readonly queueMax?: number;
}

export interface Scenario {
  readonly name: string;
  /** The situation, in a sentence or two. */
  readonly about: string;
  readonly packages: readonly PackageNeed[];
  readonly settings?: ServerSettings;
  readonly acts: readonly Act[];
  readonly expects: readonly Expectation[];
  /** Why it cannot run in simulation; absent: it can. */
  readonly onlyReal?: string;
}

export const isCall = (does: Act['does']): does is Call => 'method' in does;

export const isHold = (does: Act['does']): does is Hold => !isCall(does) && 'until' in does;

export const isFault = (does: Act['does']): does is Fault => !isCall(does) && !isHold(does);

export const hasFaults = ({ acts }: Scenario): boolean => acts.some(({ does }) => isFault(does));

export const hasHolds = ({ acts }: Scenario): boolean => acts.some(({ does }) => isHold(does));

/** All that it speaks of. */
export function momentsOf({ does, when, leaves, readsFrom }: Act): Moment[] {
  const moments = [when, leaves, readsFrom, isHold(does) ? does.until : undefined];
  return moments.filter((moment) => moment !== undefined);
}

/** It acts at transitions, so records of them must be at hand. */
export function needsTransitions({ acts }: Scenario): boolean {
  const reaches = (moment: Moment | undefined): boolean =>
    moment?.kind === 'reached' || (moment?.kind === 'all' && moment.of.some(reaches));
  return acts.some((act) => momentsOf(act).some(reaches));
}
