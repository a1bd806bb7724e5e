/**
 * Finds an installed npm package by exact version: in the `node_modules` of a folder and of those
 * around it, as Node does, and then from the server's own place. Only its package.json is read; no
 * code of it runs, and nothing is installed.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StatusError } from '../../base/errors.js';

const form = /^npm:((?:@[a-z0-9][\w.~-]*\/)?[a-z0-9][\w.~-]*)@(\d[\w.+-]*)$/;

/** The name and version of `npm:NAME@VERSION`, or null. */
export function npmName(from: string): { readonly name: string; readonly version: string } | null {
  const match = form.exec(from);
  return match === null ? null : { name: match[1]!, version: match[2]! };
}

/** Folder of the package; `base` is the folder of the document that asks for it. */
export function installedPackage(from: string, base: string): string {
  const asked = npmName(from);
  if (asked === null) {
    throw new StatusError(
      'invalidArgument',
      `import.from is '${from}'; expected npm:NAME@VERSION with an exact version`,
      { where: 'import.from' },
    );
  }
  const found: string[] = [];
  for (const start of [base, dirname(fileURLToPath(import.meta.url))]) {
    for (const folder of upwards(start)) {
      const place = join(folder, 'node_modules', ...asked.name.split('/'));
      const version = versionOf(place);
      if (version === asked.version) return place;
      if (version !== null) found.push(version);
    }
  }
  const instead = found.length === 0 ? 'it is not' : `version ${found[0]} is`;
  throw new StatusError(
    'failedPrecondition',
    `the package is made from ${from}, which must be installed; ${instead}: ` +
      `npm install --save-exact ${asked.name}@${asked.version}`,
    { where: 'import.from' },
  );
}

function* upwards(start: string): Generator<string> {
  for (let folder = start; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

function versionOf(place: string): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    if (value === null || typeof value !== 'object' || !('version' in value)) return null;
    return typeof value.version === 'string' ? value.version : null;
  } catch {
    return null;
  }
}
