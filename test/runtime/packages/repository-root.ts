/** The folder of the repository, from wherever the build lies in it. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function find(folder: string): string {
  if (existsSync(join(folder, 'package-lock.json'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('no repository around the tests');
  return find(above);
}

export const repositoryRoot = find(import.meta.dirname);
