/** What the death of whoever held a request is to its caller. */
import { StatusError } from '../../runtime/base/errors.js';

/** A reason to try again; other errors are passed on. */
export function interrupted(error: unknown, model: string): unknown {
  if (!(error instanceof StatusError) || error.code !== 'unavailable') return error;
  const { message, retryAfterS, where } = error.status;
  if (retryAfterS !== undefined) return error;
  const text = `model ${model} was interrupted at this request, try again: ${message}`;
  return new StatusError('unavailable', text, { where, retryAfterS: 1 });
}
