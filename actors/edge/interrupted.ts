import { StatusError } from '../../runtime/base/errors.js';

/** What the death of whoever held the request is to its caller: a reason to try again. */
export function interrupted(error: unknown, model: string): unknown {
  if (!(error instanceof StatusError) || error.code !== 'unavailable') return error;
  const { message, retryAfterS, where } = error.status;
  if (retryAfterS !== undefined) return error;
  const text = `model ${model} was interrupted at this request, try again: ${message}`;
  return new StatusError('unavailable', text, { where, retryAfterS: 1 });
}
