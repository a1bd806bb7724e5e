/**
 * The folders that `serve` was given, before anything is started: two packages of one id would
 * replace each other, and which of them serves would be chance.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkpointId } from '../../runtime/base/checkpoint-id.js';
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
          'give one of them another "id" in its model.json, or a checkpoint without one an --id',
      );
    }
    seen.set(id, folder);
  }
}

/** Null where it cannot be read: registering the package says why. */
function idOf(folder: string): string | null {
  if (!existsSync(join(folder, 'model.json'))) return checkpointId(resolve(folder));
  try {
    const document = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as {
      readonly id?: unknown;
    } | null;
    return typeof document?.id === 'string' ? document.id : null;
  } catch {
    return null;
  }
}

/** `--id` names the one checkpoint of a command. */
export function requireOneForId(folders: readonly string[], id: string | undefined): void {
  if (id === undefined) return;
  const own = folders.find((folder) => existsSync(join(folder, 'model.json')));
  if (folders.length === 1 && own === undefined) return;
  const why =
    own === undefined ? `${folders.length} are given` : `the package ${own} has its id in there`;
  throw new StatusError(
    'invalidArgument',
    `--id ${id} is for one checkpoint without a model.json, and ${why}`,
  );
}
