/**
 * Several calls of one request at once: all succeed, or the first failure stops the others and is
 * the request's.
 */
import { CancelSource } from '../runtime/base/cancel-source.js';
import type { CallOptions } from './serving.js';

export async function allOrNone<Part, Result>(
  { signal, deadlineMs }: CallOptions,
  parts: readonly Part[],
  call: (part: Part, at: number, options: CallOptions) => Promise<Result>,
): Promise<readonly Result[]> {
  const stop = new CancelSource();
  const abort = (): void => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const options = { signal: stop, deadlineMs };
    return await Promise.all(parts.map((part, at) => call(part, at, options)));
  } catch (error) {
    abort();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
