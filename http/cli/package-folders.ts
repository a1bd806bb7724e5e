/**
 * The folders that `serve` was given, before anything is started: two packages of one id would
 * replace each other, and which of them serves would be chance.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '../../runtime/base/errors.js';

export function requireDistinctIds(folders: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const folder of folders) {
    const id = idOf(folder);
    if (id === null) continue;
    const other = seen.get(id);
    if (other !== undefined) {
      throw new StatusError(
        'invalidArgument',
        `${other} and ${folder} are both the package '${id}'; requests name a model by its id, so ` +
          'give one of them another "id" in its model.json',
      );
    }
    seen.set(id, folder);
  }
}

/** Null where it cannot be read: registering the package says why. */
function idOf(folder: string): string | null {
  try {
    const document = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as {
      readonly id?: unknown;
    } | null;
    return typeof document?.id === 'string' ? document.id : null;
  } catch {
    return null;
  }
}
