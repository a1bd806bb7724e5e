/**
 * Laws about members and cohorts, checked while they happen: I4 (every ordinal has one end), I10
 * (the oldest is in the next cohort), and the contract of `actors/serving/member.ts` (an offer has
 * one end, and its owner does not leave before). Keeps a queue of its own for each generation.
 */
import { mayBeOneMembersFault } from '../../actors/policy/isolation.js';
import type { GenerationInput } from '../../actors/model/generation-base.js';
import type { PreparedFinite } from '../../actors/protocol.js';
import type { CohortInput } from '../../actors/serving/cohort.js';
import type { RequestInput } from '../../actors/serving/finite-request.js';
import type {
  Collected,
  CohortMember,
  MembersDropped,
  MembersOffered,
} from '../../actors/serving/member.js';
import { memberCount } from '../../runtime/profiles/finite-request.js';
import { threadOf, type Address } from '../../runtime/system/address.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { Observation } from './observed-actor.js';
import type { Report } from './report.js';

const COHORTS_MAX = 2;
/** Of virtual time: less than anything takes. */
const MOMENT_MS = 1e-5;

interface Queue {
  readonly batchUnits: number;
  readonly waitingMax: number;
  /** Oldest first. */
  waiting: CohortMember[];
  /** Withdrawn, and the owner was not told yet. */
  dropped: number;
  readonly cohorts: Set<Address>;
}

interface Ordinal {
  readonly request: Address;
  readonly member: number;
  end: 'collected' | 'returned' | null;
}

const keyOf = ({ request, member }: { request: Address; member: number }): string =>
  `${request}#${member}`;

export class CohortLaws {
  readonly #report: Report;
  readonly #now: () => number;
  /** When a request was cancelled or a member of it failed: nothing of it may join from then on. */
  readonly #over = new Map<Address, number>();
  readonly #queues = new Map<Address, Queue>();
  readonly #cohorts = new Map<Address, Ordinal[]>();
  /** Offers without an end. */
  readonly #open = new Map<Address, Set<string>>();
  cohortsFormed = 0;
  membersShared = 0;

  constructor(report: Report, now: () => number) {
    this.#report = report;
    this.#now = now;
  }

  threadLost(thread: string): void {
    for (const table of [this.#queues, this.#cohorts, this.#open, this.#over]) {
      for (const address of [...table.keys()])
        if (threadOf(address) === thread) table.delete(address);
    }
  }

  /** Whatever was told before is not older for it. */
  stoodStill(ms: number): void {
    for (const [request, atMs] of this.#over) this.#over.set(request, atMs + ms);
  }

  observe(actor: Address, seen: Observation): void {
    if (seen.type === 'started' && seen.kind === 'generation') {
      const input = seen.input as GenerationInput;
      if (input.prepared.contract !== 'text') {
        this.#startGeneration(actor, input as GenerationInput<PreparedFinite>);
      }
    } else if (seen.type === 'handled') this.#handled(actor, seen.message);
    else if (seen.type === 'spawned' && seen.kind === 'cohort') {
      this.#formed(actor, seen.child, (seen.input as CohortInput).members);
    } else if (seen.type === 'spawned' && seen.kind === 'finiteRequest') {
      const { call } = seen.input as RequestInput;
      if (this.isFull(actor, memberCount(call.body))) {
        this.#report.add('Q', `${actor} takes a call though its queue is full`);
      }
    } else if (seen.type === 'told') this.#told(actor, seen);
    else if (seen.type === 'stopped') this.#stopped(actor, seen.reason.kind);
  }

  /** Whether a call of `inputs` finds the queue full. */
  isFull(generation: Address, inputs: number): boolean {
    const queue = this.#queues.get(generation);
    return queue !== undefined && queue.waiting.length + inputs > queue.waitingMax;
  }

  /** At rest nobody waits and no cohort lives. */
  checkRest(): void {
    for (const [address, queue] of this.#queues) {
      if (queue.waiting.length > 0) {
        this.#report.add('I10', `${queue.waiting.length} members wait for ever in ${address}`);
      }
    }
    for (const [request, offers] of this.#open) {
      if (offers.size > 0) this.#report.add('I4', `${request} has offers without an end`);
    }
    for (const cohort of this.#cohorts.keys()) this.#report.add('I4', `${cohort} never ends`);
  }

  #startGeneration(
    address: Address,
    { prepared, waitingMax }: GenerationInput<PreparedFinite>,
  ): void {
    this.#queues.set(address, {
      batchUnits: prepared.capacities.batchUnits,
      waitingMax,
      waiting: [],
      dropped: 0,
      cohorts: new Set(),
    });
  }

  #handled(actor: Address, { kind, payload }: Message): void {
    if (kind === 'cancel' && this.#open.has(actor)) this.#end(actor);
    const ordinals = this.#cohorts.get(actor);
    const isAbandoned = ordinals?.every(({ request }) => this.#isOver(request)) ?? false;
    if (isAbandoned && kind.startsWith('specialization.')) {
      this.#report.add('C', `${actor} waits for stages that all its members have left`);
    }
    const queue = this.#queues.get(actor);
    if (queue === undefined) return;
    if (kind === 'members.offered') {
      for (const member of (payload as MembersOffered).members) this.#offer(queue, member);
    } else if (kind === 'members.withdrawn') {
      const { request } = payload as { request: Address };
      const before = queue.waiting.length;
      queue.waiting = queue.waiting.filter((member) => member.request !== request);
      queue.dropped = before - queue.waiting.length;
    }
  }

  #offer(queue: Queue, member: CohortMember): void {
    const open = this.#open.get(member.request) ?? new Set();
    if (open.has(keyOf(member))) this.#report.add('I4', `${keyOf(member)} is offered twice`);
    open.add(keyOf(member));
    this.#open.set(member.request, open);
    const at = queue.waiting.findIndex((other) => other.age > member.age);
    queue.waiting.splice(at < 0 ? queue.waiting.length : at, 0, member);
  }

  #formed(generation: Address, cohort: Address, members: readonly CohortMember[]): void {
    const queue = this.#queues.get(generation);
    if (queue === undefined) return;
    this.cohortsFormed += 1;
    if (members.length > 1) this.membersShared += members.length;
    const add = (detail: string): void => this.#report.add('I10', `${cohort}: ${detail}`);
    const keys = new Set(members.map(keyOf));
    const [oldest] = queue.waiting;
    if (oldest === undefined || !keys.has(keyOf(oldest))) add('the oldest member is left out');
    if (members.some((member) => member.alone) && members.length > 1) add('alone in company');
    if (new Set(members.map((member) => member.tag)).size > 1) add('tags are mixed');
    for (const { request } of members) {
      if (this.#isOver(request)) this.#report.add('C', `${cohort} takes a member of ${request}`);
    }
    const units = members.reduce((sum, member) => sum + member.units, 0);
    if (units > queue.batchUnits) add(`${units} units of ${queue.batchUnits}`);
    const known = queue.waiting.filter((member) => keys.has(keyOf(member)));
    if (known.length !== members.length) add('a member that does not wait');
    queue.waiting = queue.waiting.filter((member) => !keys.has(keyOf(member)));
    queue.cohorts.add(cohort);
    if (queue.cohorts.size > COHORTS_MAX) add(`${queue.cohorts.size} cohorts are in flight`);
    this.#cohorts.set(
      cohort,
      members.map(({ request, member }) => ({ request, member, end: null })),
    );
  }

  #told(
    actor: Address,
    { to, kind, payload }: { to: Address; kind: string; payload: unknown },
  ): void {
    if (kind === 'member.collected' || kind === 'member.returned') {
      const { member } = payload as { member: number };
      const ordinal = this.#cohorts
        .get(actor)
        ?.find((one) => one.request === to && one.member === member);
      if (ordinal === undefined || ordinal.end !== null) {
        this.#report.add('I4', `${kind} ${member} of ${to} again, or of nobody, by ${actor}`);
        return;
      }
      ordinal.end = kind === 'member.collected' ? 'collected' : 'returned';
      this.#open.get(to)?.delete(keyOf(ordinal));
      const members = this.#cohorts.get(actor)!.length;
      if (ordinal.end === 'returned' && members === 1) {
        this.#report.add('K', `${actor} returns member ${member} of ${to}, which ran alone`);
      }
      const { failure } = payload as Partial<Collected>;
      // Whoever has left is not tried again.
      const hasLeft = this.#over.has(to);
      if (failure) this.#end(to);
      if (failure && members > 1 && !hasLeft && mayBeOneMembersFault(failure)) {
        this.#report.add('K', `${actor} fails member ${member} of ${to} in company`);
      }
    } else if (kind === 'members.dropped') {
      const queue = this.#queues.get(actor);
      const { count } = payload as MembersDropped;
      if (queue?.dropped !== count) this.#report.add('I4', `${count} dropped of ${queue?.dropped}`);
      if (queue !== undefined) queue.dropped = 0;
      const open = this.#open.get(to);
      const waiting = [...(open ?? [])].filter((key) => !this.#isInCohort(key));
      for (const key of waiting) open?.delete(key);
    }
  }

  #end(request: Address): void {
    if (!this.#over.has(request)) this.#over.set(request, this.#now());
  }

  /** For longer than its generation takes to hear of it. */
  #isOver(request: Address): boolean {
    // What was told in this very moment may be in a mailbox still.
    return this.#now() - MOMENT_MS > (this.#over.get(request) ?? Infinity);
  }

  #isInCohort(key: string): boolean {
    return [...this.#cohorts.values()].some((ordinals) =>
      ordinals.some((ordinal) => keyOf(ordinal) === key && ordinal.end === null),
    );
  }

  #stopped(actor: Address, reason: string): void {
    const ordinals = this.#cohorts.get(actor);
    if (ordinals !== undefined) {
      this.#cohorts.delete(actor);
      const left = ordinals.filter(({ end }) => end === null).length;
      if (reason === 'finished' && left > 0) {
        this.#report.add('I4', `${actor} ended and ${left} ordinals have no end`);
      }
      for (const queue of this.#queues.values()) queue.cohorts.delete(actor);
    }
    this.#over.delete(actor);
    const open = this.#open.get(actor);
    this.#open.delete(actor);
    if (reason === 'finished' && open !== undefined && open.size > 0) {
      this.#report.add('I4', `${actor} ended with ${open.size} members offered or in cohorts`);
    }
    this.#queues.delete(actor);
  }
}
