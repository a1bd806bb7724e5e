/**
 * The actor through which every thread reaches the task pool: one ask `task.run` a task. The pool
 * is the only thing here that knows promises; a task's end becomes the ask's one reply.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';

export interface TaskRunner {
  /** Calls back exactly once, now or later. */
  run(
    call: { task: string; input: unknown },
    done: (outcome: { value: unknown } | { status: StatusRecord }) => void,
  ): void;
}

/** Answer to 'pool.describe'. */
export interface PoolSummary {
  readonly running: number;
  /** Ever started: warm traffic starts none. */
  readonly started: number;
}

export const taskPort = (_self: ActorSelf, runner: TaskRunner): Behaviour => {
  let running = 0;
  let started = 0;
  const summary = (): PoolSummary => ({ running, started });
  return {
    receive(self, message) {
      if (message.role !== 'ask') return;
      if (message.kind === 'pool.describe') self.reply(message, summary());
      if (message.kind !== 'task.run') return;
      running += 1;
      started += 1;
      runner.run(message.payload as { task: string; input: unknown }, (outcome) => {
        running -= 1;
        if ('status' in outcome) self.replyError(message, outcome.status);
        else self.reply(message, outcome.value);
      });
    },
    describe: summary,
  };
};
