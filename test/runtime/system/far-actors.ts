/** The actors of thread `far` in the transport suite. */
import { ActorKinds } from '../../../runtime/system/kinds.js';
import type { ActorSystem } from '../../../runtime/system/system.js';
import { actor } from './lab.js';

const job = (self: Parameters<ReturnType<typeof actor>>[0], input: unknown) => ({
  receive: () => self.tell(self.parent, 'report', { input }),
});

export function farKinds(): ActorKinds {
  return new ActorKinds().register('job', job);
}

export function startFarActors(system: ActorSystem): void {
  system.spawn(
    'echo',
    actor((self, ask) => {
      if (ask.kind === 'move') {
        const bytes = ask.payload as Uint8Array;
        self.reply(ask, bytes, { transfer: [bytes.buffer as ArrayBuffer] });
      } else if (ask.kind === 'answer with a function') self.reply(ask, () => 1);
      else if (ask.kind !== 'never') self.reply(ask, ask.payload);
    }),
    null,
  );
  const items: unknown[] = [];
  system.spawn(
    'keeper',
    actor((self, message) => {
      if (message.role === 'ask') self.reply(message, items.splice(0));
      else items.push(message.payload);
    }),
    null,
  );
  system.spawn(
    'talker',
    actor((self, { payload }) => {
      self.tell(payload as string, 'said', 1);
      self.tell(payload as string, 'said', 2);
      throw new Error('said enough');
    }),
    null,
  );
}
