/**
 * A package in memory: files of one namespace by their path (`model/prepare.loom`,
 * `motifs/norm.loom`), with the document in one folder of it. The namespace is the only root.
 */
import { StatusError } from '../base/errors.js';
import type { FileReads } from '../parameters/checkpoints/disk-parameter-file.js';
import { MemoryParameterFile } from '../parameters/checkpoints/parameter-file.js';
import {
  escapes,
  fileBytesMax,
  missing,
  missingParameters,
  referenceParts,
  tooLarge,
} from './package-files.js';
import type { OpenParameterFile, PackageFiles } from './package-files.js';

class MemoryShard extends MemoryParameterFile implements OpenParameterFile {
  readonly fd = -1;
  readonly directFd = null;
  close(): void {
    // Memory needs no closing.
  }
}

export class MemoryFiles implements PackageFiles {
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #base: readonly string[];

  /** `base` is the document's folder in the namespace, '' for its top. */
  constructor(files: ReadonlyMap<string, Uint8Array>, base = '') {
    this.#files = files;
    this.#base = base === '' ? [] : referenceParts(base);
  }

  read(reference: string): Uint8Array {
    const bytes = this.#files.get(this.#path(reference));
    if (bytes === undefined) throw missing(reference);
    if (bytes.length > fileBytesMax) throw tooLarge(reference, bytes.length);
    return bytes;
  }

  has(reference: string): boolean {
    try {
      return this.#files.has(this.#path(reference));
    } catch {
      return false;
    }
  }

  name(reference: string): string {
    return referenceParts(reference).join('/');
  }

  openParameters(reference: string, reads: FileReads = 'buffered'): OpenParameterFile {
    const bytes = this.#files.get(this.#path(reference));
    if (bytes === undefined) throw missingParameters(reference, []);
    if (reads === 'direct') {
      throw new StatusError(
        'failedPrecondition',
        `${this.name(reference)}: a file in memory has no direct reads (deployment.parameter_files)`,
      );
    }
    return new MemoryShard(this.name(reference), bytes);
  }

  list(folder: string): readonly string[] {
    const prefix = `${this.#path(folder)}/`;
    const names = [...this.#files.keys()]
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length).split('/')[0]!);
    return [...new Set(names)].sort();
  }

  #path(reference: string): string {
    const parts = [...this.#base];
    for (const part of referenceParts(reference)) {
      if (part !== '..') parts.push(part);
      else if (parts.pop() === undefined) throw escapes(reference, 'the files that were uploaded');
    }
    return parts.join('/');
  }
}
