/**
 * Saved sessions for a replay, in a folder of its own: those of the recording can be read there,
 * and what the replay saves does not take their place.
 */
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface SessionCopies {
  /** Null where the recorded server kept none. */
  readonly folder: string | null;
  remove(): Promise<void>;
}

export async function copySessions(recorded: string | null): Promise<SessionCopies> {
  if (recorded === null) return { folder: null, remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'loom-replay-'));
  const names = await readdir(recorded).catch(() => []);
  // A file that is written takes the place of a link, and leaves alone what that leads to.
  for (const name of names) await symlink(resolve(recorded, name), join(folder, name));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
