/** What is said of a session that is not there: it never was, or it has gone. */
import { StatusError } from '../../runtime/base/errors.js';

export interface SessionNames {
  readonly model: string;
  readonly generation: number;
  /** Sessions that the generation has opened; they are numbered. */
  readonly opened: number;
}

export function missingSession(id: string, names: SessionNames): StatusError {
  const { model, generation, opened } = names;
  const scope = `${model}@${generation}.`;
  const number = Number(id.slice(scope.length));
  const isOurs = id.startsWith(scope) && number >= 1 && number <= opened;
  const isOlder = !id.startsWith(scope) && id.startsWith(`${model}@`);
  const param = 'session';
  if (!isOurs && !isOlder) {
    return new StatusError('notFound', `model ${model} has no session '${id}'`, { param });
  }
  const message = `session ${id} was closed, or lost with what it ran on`;
  return new StatusError('gone', message, { param });
}
