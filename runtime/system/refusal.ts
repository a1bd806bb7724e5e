/** What an asker is told when its ask becomes a dead letter: what happened and what to do. */
import type { StatusRecord } from '../base/errors.js';
import type { DeadLetterReason } from './dead-letters.js';
import type { Message } from './envelope.js';

export interface Refusal {
  readonly outcome: 'down' | 'error';
  readonly status: StatusRecord;
}

export function refusal(
  message: Message,
  reason: DeadLetterReason,
  detail: string,
  mailboxLimit = 0,
): Refusal {
  const { to, kind } = message;
  const down = (text: string): Refusal => ({
    outcome: 'down',
    status: { code: 'unavailable', message: text, where: to },
  });
  switch (reason) {
    case 'full':
      return {
        outcome: 'error',
        status: {
          code: 'resourceExhausted',
          message: `${to} has ${mailboxLimit} messages waiting, its limit (mailboxLimit)`,
          where: to,
          retryAfterS: 1,
        },
      };
    case 'uncloneable':
      return {
        outcome: 'error',
        status: {
          code: 'internal',
          message: `the payload of ${kind} cannot travel to another thread: ${detail}`,
          where: to,
        },
      };
    case 'expired':
      return {
        outcome: 'error',
        status: { code: 'deadlineExceeded', message: `${kind} waited too long`, where: to },
      };
    case 'noRoute':
      return down(`there is no port to the thread of ${to}`);
    case 'threadLost':
      return down(`the thread of ${to} has ended`);
    case 'stopped':
      return down(`${to} is down`);
    case 'absent':
    case 'lateReply':
      return down(`there is no actor ${to}`);
  }
}
