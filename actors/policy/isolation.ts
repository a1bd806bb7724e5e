/**
 * Whether a failure of something that a whole cohort shared (a call, a compile, a submission) may
 * be the fault of one member, so that the others deserve another try without it. Programs trap,
 * loop or ask for too much because of what they were given; that the device or a thread went away
 * is nobody's fault among them, and trying again would only add to the load.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';

export function mayBeOneMembersFault({ code }: StatusRecord): boolean {
  return code !== 'unavailable' && code !== 'cancelled' && code !== 'deadlineExceeded';
}
