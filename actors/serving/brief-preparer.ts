/**
 * Prepares small calls where their generation lives, so that they spare two ways between threads.
 * Owns an instance of `prepare_request` with little fuel. What needs more, or fails in any way, is
 * left to the preparation thread: entries are pure, so to run one again changes nothing, and an
 * error is always told by the one that had all the fuel.
 *
 * Holds: a call takes some ten microseconds here at most. A package with a tokenizer has none:
 * tokenizing is not paid in fuel, and its tables are large.
 */
import { StatusError } from '../../runtime/base/errors.js';
import { FinitePreparer } from '../../runtime/packages/finite-preparer.js';
import { memberCount, memberLength } from '../../runtime/profiles/finite-request.js';
import type { FiniteBody } from '../../runtime/profiles/finite-request.js';
import type { PreparedFinite, PreparedMember, PrepareMembers } from '../protocol.js';

/** Of one input, and at most this share of what the package gives a whole call. */
const FUEL = 10_000;
const FUEL_SHARE = 1 / 4;
const MEMBERS_MAX = 4;
/** Characters and token ids of one member. */
const LENGTH_MAX = 1024;
/** A larger state is not kept twice on this thread. */
const STATE_BYTES_MAX = 1024 * 1024;
/** Calls that are passed on untried after one that ran out of fuel: the next would, too. */
const REST_CALLS = 64;

export class BriefPreparer {
  readonly #program: FinitePreparer | null;
  #rest = 0;

  constructor(prepared: PreparedFinite) {
    const { tokenizer, state, limits } = prepared;
    const isSmall = tokenizer === null && state.image.length <= STATE_BYTES_MAX;
    const fuel = Math.min(FUEL, Math.floor((limits.fuel ?? Infinity) * FUEL_SHARE));
    this.#program = isSmall
      ? new FinitePreparer({ ...prepared, limits: { ...limits, fuel } }, null)
      : null;
  }

  /** The prepared members; null when the preparation thread has to do it. */
  prepare({ body }: PrepareMembers): readonly PreparedMember[] | null {
    const program = this.#program;
    if (program === null || !isShort(body)) return null;
    if (this.#rest > 0) {
      this.#rest -= 1;
      return null;
    }
    try {
      return program.prepare(body);
    } catch (error) {
      const isSpent = error instanceof StatusError && error.code === 'resourceExhausted';
      if (isSpent) this.#rest = REST_CALLS;
      return null;
    }
  }
}

function isShort(body: FiniteBody): boolean {
  const count = memberCount(body);
  if (count > MEMBERS_MAX) return false;
  for (let member = 0; member < count; member += 1) {
    if (memberLength(body, member) > LENGTH_MAX) return false;
  }
  return true;
}
