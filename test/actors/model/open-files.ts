/** Files of a folder that the process has open, where the system tells; else none. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';

const table = '/proc/self/fd';

export function openFiles(folder: string): readonly string[] {
  const names = existsSync(table) ? readdirSync(table) : [];
  return names.map(targetOf).filter((path) => path.startsWith(`${folder}/`));
}

/** One that was closed meanwhile leads nowhere; one that was removed says so behind its name. */
function targetOf(name: string): string {
  try {
    return readlinkSync(`${table}/${name}`);
  } catch {
    return '';
  }
}
