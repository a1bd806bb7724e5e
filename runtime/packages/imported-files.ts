/**
 * A package's files together with those that its document imports: a reference to an imported name
 * leads to the file in the cache, every other one into the package. Making the files may take a
 * while the first time, so this is asked for on preparation threads and by tools.
 */
import { readFileSync, statSync } from 'node:fs';
import { DiskParameterFile } from '../parameters/checkpoints/disk-parameter-file.js';
import type { FileReads } from '../parameters/checkpoints/disk-parameter-file.js';
import { defaultCacheDir, importFiles } from '../parameters/import/import-cache.js';
import { CheckpointFiles } from './checkpoint-files.js';
import { DiskFiles } from './disk-files.js';
import { openCheckpointFolder } from './found-checkpoint.js';
import type { FoundCheckpoint } from './found-checkpoint.js';
import type { ModelDocument } from './model-document.js';
import { fileBytesMax, missing, tooLarge } from './package-files.js';
import type { OpenParameterFile, PackageFiles } from './package-files.js';

export interface FilesPlace {
  /** Absolute folder that references start from. */
  readonly base: string;
  readonly document: ModelDocument;
  /** Folders that references may lead into; none: the folder around the package's. */
  readonly packageRoots: readonly string[];
  /** Folders that checkpoints may lie in besides. */
  readonly parameterRoots?: readonly string[];
  /** Absolute folder that imported files are kept in; without it, the user's cache folder. */
  readonly cacheDir?: string | undefined;
  /** The checkpoint that a package of the server's own serves; `base` is that package's folder. */
  readonly checkpoint?: FoundCheckpoint | undefined;
}

/** The files of a package in a folder, with its imports made. */
export function openPackageFiles(place: FilesPlace): PackageFiles {
  const { base, document, packageRoots, parameterRoots, cacheDir = defaultCacheDir() } = place;
  const { checkpoint } = place;
  if (checkpoint !== undefined) {
    // The server's own packages lie outside of the operator's roots.
    const programs = new DiskFiles(base);
    const rest = openCheckpointFolder(checkpoint, place);
    return new CheckpointFiles({ document, checkpoint, programs, rest });
  }
  const files = new DiskFiles(base, packageRoots, parameterRoots);
  if (document.import === undefined) return files;
  return new ImportedFiles(files, importFiles(document.import, { base: files.base, cacheDir }));
}

export class ImportedFiles implements PackageFiles {
  readonly #files: PackageFiles;
  readonly #imported: ReadonlyMap<string, string>;

  constructor(files: PackageFiles, imported: ReadonlyMap<string, string>) {
    this.#files = files;
    this.#imported = imported;
  }

  read(reference: string): Uint8Array {
    const path = this.path(reference);
    if (path === null) return this.#files.read(reference);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw missing(reference);
    if (size > fileBytesMax) throw tooLarge(reference, size);
    return new Uint8Array(readFileSync(path));
  }

  has(reference: string): boolean {
    return this.path(reference) !== null || this.#files.has(reference);
  }

  name(reference: string): string {
    return this.#files.name(reference);
  }

  openParameters(reference: string, reads: FileReads = 'buffered'): OpenParameterFile {
    const path = this.path(reference);
    if (path === null) return this.#files.openParameters(reference, reads);
    return DiskParameterFile.open(path, this.name(reference), reads);
  }

  list(folder: string): readonly string[] {
    return this.#files.list(folder);
  }

  /** Where an imported file lies; null for a reference into the package. */
  path(reference: string): string | null {
    return this.#imported.get(this.#files.name(reference)) ?? null;
  }
}
