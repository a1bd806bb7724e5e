/** Why an actor went down: what a `down` message, a record and `stopped` say. Plain data. */
import type { StatusRecord } from '../base/errors.js';

export type StopReason =
  /** It ended by itself; a machine says in which final state and with which output. */
  | { readonly kind: 'finished'; readonly state: string; readonly output: unknown }
  /** Its parent stopped it, or went down itself, or the system shuts down. */
  | { readonly kind: 'stopped'; readonly note: string }
  /** It threw, or its children failed more often than its supervision allows. */
  | { readonly kind: 'failed'; readonly status: StatusRecord }
  /** Its thread ended. */
  | { readonly kind: 'lost'; readonly thread: string }
  /** There is no such actor (any more). */
  | { readonly kind: 'absent' };

/** A reason as an error, for those who only need to pass it on. */
export function statusOfReason(address: string, reason: StopReason): StatusRecord {
  switch (reason.kind) {
    case 'failed':
      return {
        code: 'unavailable',
        message: `${address} failed: ${reason.status.message}`,
        where: address,
        cause: reason.status,
      };
    case 'lost':
      return {
        code: 'unavailable',
        message: `thread ${reason.thread} ended before ${address} answered`,
        where: address,
      };
    case 'finished':
      return { code: 'unavailable', message: `${address} has finished`, where: address };
    case 'stopped':
      return { code: 'unavailable', message: `${address} was stopped`, where: address };
    case 'absent':
      return { code: 'unavailable', message: `there is no actor ${address}`, where: address };
  }
}
