/**
 * The actor of one finite call: hosts `finite-request.machine.ts`, keeps its members' prepared bytes
 * and rows, talks to the preparer (another thread) and to its generation.
 */
import type { Message } from '../../runtime/system/envelope.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { FiniteAnswer, FiniteCall, PreparedMember, PrepareMembers } from '../protocol.js';
import { machine } from './finite-request.machine.js';

export interface RequestInput {
  readonly call: FiniteCall;
  /** The caller's ask; answered exactly once. */
  readonly ask: Message;
  readonly generation: number;
  readonly preparer: string;
  readonly deadlineMs: number;
}

/** What a cohort tells about one member. */
export interface Collected {
  readonly member: number;
  readonly failure: StatusRecord | null;
  readonly rows: Uint8Array | null;
  readonly cohortSize: number;
  readonly joinedMs: number;
  readonly executeMs: number;
}

/** 'members.offered': what the generation's scheduler needs. */
export interface MembersOffered {
  readonly request: string;
  readonly members: readonly PreparedMember[];
}

export const finiteRequest = machineActor(
  machine,
  (self: ActorSelf, input: RequestInput): MachineHost => {
    const arrivedMs = self.now();
    const rows: Uint8Array[] = new Array(input.call.inputs.length);
    let preparedMs = arrivedMs;
    let units = 0;
    let last: Collected | null = null;
    let members: readonly PreparedMember[] = [];

    const answer = (): FiniteAnswer => ({
      generation: input.generation,
      rows,
      units,
      cohortSize: last?.cohortSize ?? 0,
      queueMs: Math.max(0, (last?.joinedMs ?? preparedMs) - preparedMs),
      prepareMs: preparedMs - arrivedMs,
      executeMs: last?.executeMs ?? 0,
    });

    return {
      input: { members: input.call.inputs.length },
      replies: {
        prepared: (outcome) => {
          if (outcome.status !== null) {
            return { type: 'members.refused', status: outcome.status };
          }
          preparedMs = self.now();
          members = outcome.value as readonly PreparedMember[];
          units = members.reduce((sum, member) => sum + member.units, 0);
          return { type: 'members.prepared' };
        },
      },
      messages: { cancel: () => ({ type: 'request.cancel' }) },
      effects: {
        prepareMembers() {
          const { inputs, dimensions } = input.call;
          self.ask(input.preparer, 'members.prepare', { inputs, dimensions } satisfies PrepareMembers, {
            deadlineMs: input.deadlineMs,
            as: 'prepared',
          });
        },
        offerMembers() {
          const offered: MembersOffered = { request: self.address, members };
          self.tell(self.parent, 'members.offered', offered);
        },
        withdrawMembers() {
          self.tell(self.parent, 'members.withdrawn', { request: self.address });
        },
        keepRows(event) {
          const collected = event as unknown as Collected;
          last = collected;
          rows[collected.member] = collected.rows!;
        },
        deliverRows() {
          self.reply(input.ask, answer(), { transfer: rows.map((row) => row.buffer as ArrayBuffer) });
          self.tell(self.address, 'request.delivered', {});
        },
        replyFailure(_, context) {
          const { failure } = context as { failure: StatusRecord | null };
          self.replyError(input.ask, failure ?? toStatus(new Error('failed without a reason')));
        },
        replyCancelled() {
          self.replyError(input.ask, { code: 'cancelled', message: 'the request was cancelled' });
        },
        announceEnd() {
          self.tell(self.parent, 'request.ended', { request: self.address });
        },
      },
    };
  },
);
