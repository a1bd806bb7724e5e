/**
 * How a parent treats children that go down. Pure: decides who is stopped and who is restarted, and
 * when too much is too much; the actor cell does it.
 */

/** `restForOne`: the failed child and those started after it; the others live on. */
export type Strategy = 'oneForOne' | 'oneForAll' | 'restForOne';

/** `permanent`: always; `transient`: only after a failure; `temporary`: never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

export interface Supervision {
  readonly strategy: Strategy;
  /** More restarts than this within the period bring the parent itself down. */
  readonly intensity: { readonly restarts: number; readonly periodMs: number };
  /** Delay before a restart: doubles with each one in the period. At once without. */
  readonly backoff?: { readonly initialMs: number; readonly maxMs: number };
}

export interface ChildOptions {
  /** `temporary` without. */
  readonly restart?: Restart;
  /** Data messages that wait at most; the system's default without. */
  readonly mailboxLimit?: number;
  /** The parent gets a `down` when it goes down, as after `watch`. */
  readonly watch?: boolean;
}

/** A child as the decision sees it, in order of start. */
export interface SupervisedChild {
  readonly name: string;
  readonly restart: Restart;
}

export interface RestartPlan {
  /** Names to stop, last started first; the failed child is down already. */
  readonly stop: readonly string[];
  /** Names to start again, in their old order. */
  readonly start: readonly string[];
}

const nothing: RestartPlan = { stop: [], start: [] };

/** What to do about the child `failed`; `isFailure` is false when it finished as it should. */
export function restartPlan(
  strategy: Strategy,
  children: readonly SupervisedChild[],
  failed: string,
  isFailure: boolean,
): RestartPlan {
  const index = children.findIndex((child) => child.name === failed);
  const child = children[index];
  if (child === undefined || child.restart === 'temporary') return nothing;
  if (child.restart === 'transient' && !isFailure) return nothing;
  const affected =
    strategy === 'oneForOne'
      ? [child]
      : strategy === 'oneForAll'
        ? children
        : children.slice(index);
  return {
    stop: affected
      .filter((other) => other !== child)
      .map((other) => other.name)
      .reverse(),
    start: affected.filter((other) => other.restart !== 'temporary').map((other) => other.name),
  };
}

/** Counts restarts in a sliding period. */
export class RestartIntensity {
  readonly #supervision: Supervision;
  #times: number[] = [];

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
  }

  /** Notes a restart; the delay before it, or null when there were too many. */
  next(now: number): number | null {
    const { intensity, backoff } = this.#supervision;
    this.#times = this.#times.filter((time) => time > now - intensity.periodMs);
    this.#times.push(now);
    if (this.#times.length > intensity.restarts) return null;
    if (backoff === undefined) return 0;
    return Math.min(backoff.maxMs, backoff.initialMs * 2 ** (this.#times.length - 1));
  }
}
