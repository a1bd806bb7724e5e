/**
 * The actor that runs `prepare_request` for one generation, on a preparation thread: it holds the
 * control program over its own copy of the frozen state, so a slow text stalls no model's cohorts.
 */
import { toStatus } from '../../runtime/base/errors.js';
import { FinitePreparer } from '../../runtime/packages/finite-preparer.js';
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { PreparedMember, PreparedModel, PrepareMembers } from '../protocol.js';

export const preparer = (_self: ActorSelf, input: { prepared: PreparedModel }): Behaviour => {
  const program = new FinitePreparer(input.prepared, input.prepared.tokenizer);

  const prepare = (self: ActorSelf, ask: Message): void => {
    const { body } = ask.payload as PrepareMembers;
    try {
      const members: readonly PreparedMember[] = program.prepare(body);
      const transfer = members.map((member) => member.bytes.buffer as ArrayBuffer);
      self.reply(ask, members, { transfer });
    } catch (error) {
      self.replyError(ask, toStatus(error));
    }
  };

  return {
    receive(self, message) {
      if (message.kind === 'members.prepare') prepare(self, message);
      else if (message.kind === 'preparer.retire') self.stop();
    },
  };
};
