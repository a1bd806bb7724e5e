/**
 * What a replay found: which requests said the same, which did not, and which cannot be compared,
 * with the reason. Every request is counted once.
 *
 * A session whose turn ended early has tokens that depend on the moment of it, in the recording or
 * now, so what follows in it, and in its forks, is not compared.
 */
import { isComplete, uncompared } from '../../http/traffic/recorded-routes.js';
import type { Payload } from '../../http/traffic/traffic-lines.js';
import { firstDifference, isDividedOtherwise } from './first-difference.js';
import type { Played } from './player.js';
import type { RecordedRequest } from './recorded-request.js';

/** Within which a package that was registered is taken to be prepared. */
const COMES_UP_MS = 30_000;
/** Of each list; all are counted. */
const LISTED_MAX = 200;

export interface Told {
  readonly id: string;
  /** Method and path. */
  readonly what: string;
  readonly says: string;
}

export class Verdicts {
  equal = 0;
  /** Of the equal: streams that came in other events. */
  dividedOtherwise = 0;
  differing = 0;
  incomplete = 0;
  /** Played for their effect, or after what was not complete, by reason. */
  readonly uncompared = new Map<string, number>();
  readonly differences: Told[] = [];
  /** Ids by reason. */
  readonly incompletes = new Map<string, { count: number; readonly ids: string[] }>();
  readonly #unsure = new Set<string>();
  /** When models were registered or removed. */
  readonly #changes: readonly RecordedRequest[];

  constructor(requests: readonly RecordedRequest[]) {
    this.#changes = requests.filter(({ path }) => /^\/admin\/models(\/[^/]+)?(\?|$)/.test(path));
  }

  /** The request's first difference; null when none was found. */
  add(played: Played, recorded: Payload | null): Told | null {
    const { recorded: request, sessions } = played;
    const reason = uncompared(request.method, request.path);
    if (reason !== null) {
      this.#leave(reason);
      return null;
    }
    const why = whyIncomplete(played, recorded);
    if (why !== null) {
      for (const session of sessions) this.#unsure.add(session);
      this.#leaveIncomplete(request, why);
      return null;
    }
    if (sessions.some((session) => this.#unsure.has(session))) {
      if (request.made !== null) this.#unsure.add(request.made);
      this.#leave('an earlier turn of its session did not complete in both');
      return null;
    }
    return this.#compare(request, recorded!, played.payload!);
  }

  get count(): number {
    const left = [...this.uncompared.values()].reduce((sum, count) => sum + count, 0);
    return this.equal + this.differing + this.incomplete + left;
  }

  #compare(request: RecordedRequest, recorded: Payload, replayed: Payload): Told | null {
    const says = firstDifference(recorded, replayed);
    if (says === null) {
      this.equal += 1;
      if (isDividedOtherwise(recorded, replayed)) this.dividedOtherwise += 1;
      return null;
    }
    if (this.#changes.some((change) => overlap(change, request))) {
      this.#leave('it says otherwise, but models were registered or removed meanwhile');
      return null;
    }
    this.differing += 1;
    const difference = told(request, says);
    list(this.differences, difference);
    return difference;
  }

  #leaveIncomplete({ id }: RecordedRequest, why: string): void {
    this.incomplete += 1;
    const alike = this.incompletes.get(why) ?? { count: 0, ids: [] };
    this.incompletes.set(why, alike);
    alike.count += 1;
    list(alike.ids, id);
  }

  #leave(reason: string): void {
    this.uncompared.set(reason, (this.uncompared.get(reason) ?? 0) + 1);
  }
}

/** A registration that was answered at once comes up later. */
function overlap(change: RecordedRequest, request: RecordedRequest): boolean {
  const untilMs = change.endedMs + (change.status === 202 ? COMES_UP_MS : 0);
  return change.arrivedMs <= request.endedMs && request.arrivedMs <= untilMs;
}

function list<One>(all: One[], one: One): void {
  if (all.length < LISTED_MAX) all.push(one);
}

const told = ({ id, method, path }: RecordedRequest, says: string): Told => ({
  id,
  what: `${method} ${path}`,
  says,
});

/** In the recording first, then now. */
function whyIncomplete({ recorded: request, payload, why }: Played, old: Payload | null) {
  if (request.left !== null) return 'recorded: its client left';
  if (old === null) return 'recorded: its end is missing';
  const was = whyUnsaid(old);
  if (was !== null) return `recorded: ${was}`;
  if (payload === null) return `now: ${why}`;
  const is = whyUnsaid(payload);
  return is === null ? null : `now: ${is}`;
}

function whyUnsaid({ status, isBroken }: Payload): string | null {
  if (!isComplete(status)) return `status ${status}`;
  return isBroken ? 'its stream ended with an error, or before its end' : null;
}
