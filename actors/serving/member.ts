/**
 * What a cohort and a member say to each other. A member is one place in a request, a stream or a
 * part of an invocation; whoever owns it *offers* it, and an offer advances nothing. Its owner is
 * then told, about each offer, exactly one of:
 *
 *   member.joined     a cohort took it, and later either
 *     member.collected  its round is over, with rows or with a failure, or
 *     member.returned   a call for the whole cohort failed: nothing happened, offer it again, alone
 *   members.dropped   the owner had withdrawn it, and no cohort had taken it
 *
 * After `member.collected` the owner may offer the member again (another round) or end. A finite
 * request ends after one round.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { Offer } from '../policy/scheduler.js';
import type { PreparedMember } from '../protocol.js';

/** An offer with what its round reads. */
export interface CohortMember extends Offer {
  readonly prepared: PreparedMember;
}

/** 'members.offered', to the generation. */
export interface MembersOffered {
  readonly members: readonly CohortMember[];
}

/** 'members.withdrawn', to the generation: of this owner, whatever waits. */
export interface MembersWithdrawn {
  readonly request: string;
}

/** 'members.dropped', the answer when some waited. */
export interface MembersDropped {
  readonly count: number;
}

/** 'members.left', from the generation to a cohort: of its members, so many were withdrawn. */
export interface MembersLeft {
  readonly count: number;
}

/** 'member.joined' and 'member.returned', to the owner. */
export interface MemberMoved {
  readonly member: number;
}

/** 'member.collected', to the owner. */
export interface Collected {
  readonly member: number;
  readonly failure: StatusRecord | null;
  readonly rows: Uint8Array | null;
  readonly cohortSize: number;
  readonly joinedMs: number;
  readonly executeMs: number;
}
