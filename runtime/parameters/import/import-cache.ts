/**
 * Makes the files of an import once and keeps them in a cache folder, in a folder of their own that
 * is named by the digest of everything that decides their bytes: inputs, section, converter.
 *
 * Always holds: a folder with that name is complete, because it is filled under another name and
 * renamed; servers that start together both convert, one rename wins, and both use its files. The
 * source folder is only read.
 */
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { StatusError } from '../../base/errors.js';
import { writeDurably } from './checkpoint-stream.js';
import { converterVersion, convertFile, importInputs } from './converter.js';
import type { ImportSection } from './import-section.js';
import { installedPackage } from './installed-package.js';
import { SourceFolder } from './source-folder.js';

export interface ImportPlace {
  /** Absolute folder of the document; dependencies are looked for from here. */
  readonly base: string;
  /** Absolute. */
  readonly cacheDir: string;
}

/** Where imports go unless the operator says otherwise. */
export function defaultCacheDir(environment = process.env): string {
  const { XDG_CACHE_HOME: chosen } = environment;
  const root = chosen !== undefined && isAbsolute(chosen) ? chosen : join(homedir(), '.cache');
  return join(root, 'loom-serve');
}

/** Absolute path of each file by its name in the section. */
export function importFiles(
  section: ImportSection,
  place: ImportPlace,
): ReadonlyMap<string, string> {
  const source = new SourceFolder(installedPackage(section.from, place.base), section.from);
  const home = join(place.cacheDir, 'imports');
  const folder = join(home, digestOf(section, source));
  if (!isComplete(folder, section)) {
    try {
      mkdirSync(home, { recursive: true });
      make(section, source, { home, folder });
    } catch (error) {
      throw error instanceof StatusError ? error : unwritable(place.cacheDir, error);
    }
  }
  return new Map(Object.keys(section.files).map((name) => [name, join(folder, name)]));
}

/** Sizes of the files, by name: what the last write of an import puts beside them. */
const listName = 'files.list';
const LIST_BYTES_MAX = 65_536;

function make(
  section: ImportSection,
  source: SourceFolder,
  { home, folder }: { readonly home: string; readonly folder: string },
): void {
  const partial = mkdtempSync(join(home, '.partial-'));
  try {
    const sizes = Object.entries(section.files).map(([name, spec]) => {
      convertFile(source, spec, join(partial, name));
      return [name, statSync(join(partial, name)).size] as const;
    });
    const list = new TextEncoder().encode(JSON.stringify(Object.fromEntries(sizes)));
    writeDurably(join(partial, listName), (write) => write(list));
    publish(partial, folder, section);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function publish(partial: string, folder: string, section: ImportSection): void {
  try {
    renameSync(partial, folder);
  } catch (error) {
    // Another server was first, or somebody damaged the folder: it must give way.
    if (isComplete(folder, section)) return;
    const damaged = join(partial, '.damaged');
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) throw error;
    renameSync(folder, damaged);
    rmSync(damaged, { recursive: true, force: true });
    renameSync(partial, folder);
  }
}

function isComplete(folder: string, section: ImportSection): boolean {
  try {
    const list = join(folder, listName);
    const { size } = statSync(list);
    // Neither a pipe, which would hold up the thread, nor a device without an end.
    if (!lstatSync(list).isFile() || size > LIST_BYTES_MAX) return false;
    const sizes = JSON.parse(readFileSync(list, 'utf8')) as Record<string, number>;
    return Object.keys(section.files).every(
      (name) => statSync(join(folder, name)).size === sizes[name],
    );
  } catch {
    return false;
  }
}

function digestOf(section: ImportSection, source: SourceFolder): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([converterVersion, section.from, section.files]));
  const inputs = Object.values(section.files).flatMap((spec) => importInputs(source, spec));
  for (const file of new Set(inputs)) addFile(hash, source, file);
  return hash.digest('hex').slice(0, 32);
}

const chunkBytes = 2 ** 20;

function addFile(hash: Hash, source: SourceFolder, file: string): void {
  const bytes = source.size(file);
  hash.update(JSON.stringify([file, bytes]));
  for (let offset = 0; offset < bytes; offset += chunkBytes) {
    const chunk = new Uint8Array(Math.min(chunkBytes, bytes - offset));
    source.read(file, offset, chunk);
    hash.update(chunk);
  }
}

function unwritable(cacheDir: string, error: unknown): StatusError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StatusError(
    'failedPrecondition',
    `cannot keep imported files in ${cacheDir} (--cache-dir): ${reason}`,
    { where: cacheDir },
  );
}
