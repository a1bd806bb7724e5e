/**
 * An actor that only supervises: starts its children in order and restarts them by its strategy. A
 * child that depends on others comes after them (`restForOne`: device, banks, models, sessions).
 */
import type { ActorFactory, ActorSelf, Behaviour } from './actor.js';
import type { ChildOptions, Supervision } from './supervision.js';

export interface SupervisorChild extends ChildOptions {
  readonly name: string;
  readonly kind: string | ActorFactory;
  readonly input: unknown;
}

export interface SupervisorInput {
  readonly supervision: Supervision;
  readonly children: readonly SupervisorChild[];
}

export function supervisor(self: ActorSelf, input: SupervisorInput): Behaviour {
  self.supervise(input.supervision);
  for (const { name, kind, input: childInput, ...options } of input.children) {
    self.spawn(name, kind, childInput, { restart: 'permanent', ...options });
  }
  return {
    receive: (_self, message) => {
      if (message.role === 'ask') {
        self.replyError(message, {
          code: 'unimplemented',
          message: `${self.address} only supervises; it answers no ${message.kind}`,
        });
      }
    },
  };
}
