/** Folders on file systems with direct reads: not every one has them. */
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A new folder below the first of these that reads directly; null when none does. */
export function directFolder(parents: readonly string[]): string | null {
  const { O_DIRECT } = constants as { readonly O_DIRECT?: number };
  if (O_DIRECT === undefined) return null;
  for (const parent of parents) {
    mkdirSync(parent, { recursive: true });
    const folder = mkdtempSync(join(parent, 'loom-direct-'));
    const probe = join(folder, 'probe');
    writeFileSync(probe, 'x');
    try {
      closeSync(openSync(probe, constants.O_RDONLY | O_DIRECT));
      return folder;
    } catch {
      rmSync(folder, { recursive: true });
    }
  }
  return null;
}
