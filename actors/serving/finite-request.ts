/**
 * The actor of one finite call: hosts `finite-request.machine.ts`, keeps its members' prepared
 * bytes and rows, talks to the preparer (another thread) and to its generation.
 */
import type { Message, Reply } from '../../runtime/system/envelope.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import { locateMember, memberCount } from '../../runtime/profiles/finite-request.js';
import { mayBeOneMembersFault } from '../policy/isolation.js';
import type { FiniteAnswer, FiniteCall, PreparedMember, PrepareMembers } from '../protocol.js';
import type { BriefPreparer } from './brief-preparer.js';
import { type Context, machine } from './finite-request.machine.js';
import type { CohortMember, Collected, MemberMoved, MembersOffered } from './member.js';

export interface RequestInput {
  readonly call: FiniteCall;
  /** The caller's ask; answered exactly once. */
  readonly ask: Message;
  readonly generation: number;
  /** Tried first: it prepares small calls at once. */
  readonly brief: BriefPreparer;
  readonly preparer: string;
  readonly deadlineMs: number;
}

/** What it tells of itself to who asks why it waits. */
export interface RequestDetails {
  readonly requestId: string;
  readonly model: string;
  readonly preparer: string;
}

/** Smaller rows are copied in less time than their buffer changes hands. */
const MOVED_BYTES_MIN = 4096;

class RequestHost {
  readonly #self: ActorSelf;
  readonly #input: RequestInput;
  readonly #arrivedMs: number;
  readonly #rows: Uint8Array[] = [];
  #preparedMs = 0;
  #members: readonly PreparedMember[] = [];
  readonly isPrepared: boolean;
  #last: Collected | null = null;

  constructor(self: ActorSelf, input: RequestInput) {
    this.#self = self;
    this.#input = input;
    this.#arrivedMs = self.now();
    const prepared = input.brief.prepare({ body: input.call.body });
    this.isPrepared = prepared !== null;
    if (prepared !== null) this.#keep(prepared);
  }

  prepare(): void {
    if (this.isPrepared) return;
    const { call, preparer, deadlineMs } = this.#input;
    const members: PrepareMembers = { body: call.body };
    this.#self.ask(preparer, 'members.prepare', members, { deadlineMs, as: 'prepared' });
  }

  prepared(reply: Reply): MachineEvent {
    if (reply.status !== null) return { type: 'members.refused', status: reply.status };
    this.#keep(reply.value as readonly PreparedMember[]);
    return { type: 'members.prepared' };
  }

  #keep(members: readonly PreparedMember[]): void {
    this.#preparedMs = this.#self.now();
    this.#members = members;
  }

  offer(): void {
    this.#offer(this.#members.map((_, member) => this.#offerOf(member, false)));
  }

  /** A shared call failed: it may have been this member's fault, so it runs once more, alone. */
  offerAlone(member: number): void {
    this.#offer([this.#offerOf(member, true)]);
  }

  #offer(members: readonly CohortMember[]): void {
    this.#self.tell(this.#self.parent, 'members.offered', { members } satisfies MembersOffered);
  }

  #offerOf(member: number, alone: boolean): CohortMember {
    const prepared = this.#members[member]!;
    const { units, tag } = prepared;
    const request = this.#self.address;
    return { request, member, units, tag, age: this.#preparedMs, alone, prepared };
  }

  withdraw(): void {
    this.#self.tell(this.#self.parent, 'members.withdrawn', { request: this.#self.address });
  }

  /** A failure of one member of several says which, unless it is nobody's fault. */
  collected(collected: Collected): MachineEvent {
    const { failure, member } = collected;
    if (failure === null || !mayBeOneMembersFault(failure)) {
      return { type: 'member.collected', ...collected };
    }
    const located = locateMember(failure, this.#input.call.body, member);
    return { type: 'member.collected', ...collected, failure: located };
  }

  keep(collected: Collected): void {
    this.#last = collected;
    this.#rows[collected.member] = collected.rows!;
  }

  deliver(): void {
    const rows = this.#rows;
    const last = this.#last!;
    const answer: FiniteAnswer = {
      generation: this.#input.generation,
      rows,
      units: this.#members.reduce((sum, member) => sum + member.units, 0),
      cohortSize: last.cohortSize,
      queueMs: Math.max(0, last.joinedMs - this.#preparedMs),
      prepareMs: this.#preparedMs - this.#arrivedMs,
      executeMs: last.executeMs,
    };
    const transfer = rows.filter(isMovable).map((row) => row.buffer as ArrayBuffer);
    this.#self.reply(this.#input.ask, answer, { transfer });
  }

  fail(status: StatusRecord): void {
    this.#self.replyError(this.#input.ask, status);
  }

  end(): void {
    this.#self.tell(this.#self.parent, 'request.ended', { request: this.#self.address });
  }
}

/** Worth moving, and of a buffer that holds nothing else. */
const isMovable = (row: Uint8Array): boolean =>
  row.length >= MOVED_BYTES_MIN && row.length === row.buffer.byteLength;

const CANCELLED: StatusRecord = { code: 'cancelled', message: 'the request was cancelled' };

export const finiteRequest = machineActor(
  machine,
  (self: ActorSelf, input: RequestInput): MachineHost => {
    const host = new RequestHost(self, input);
    const failure = (context: unknown): StatusRecord =>
      (context as Context).failure ?? toStatus(new Error('failed without a reason'));
    return {
      input: { members: memberCount(input.call.body), isPrepared: host.isPrepared },
      replies: { prepared: (reply) => host.prepared(reply) },
      details: (): RequestDetails => {
        const { call, preparer } = input;
        return { requestId: call.requestId, model: call.deployment, preparer };
      },
      messages: {
        cancel: () => ({ type: 'request.cancel' }),
        'member.collected': (message) => host.collected(message.payload as Collected),
      },
      effects: {
        prepareMembers: () => host.prepare(),
        offerMembers: () => host.offer(),
        offerAlone: (event) => host.offerAlone((event as unknown as MemberMoved).member),
        withdrawMembers: () => host.withdraw(),
        keepRows: (event) => host.keep(event as unknown as Collected),
        deliverRows: () => host.deliver(),
        replyFailure: (_, context) => host.fail(failure(context)),
        replyCancelled: () => host.fail(CANCELLED),
        announceEnd: () => host.end(),
      },
    };
  },
);
