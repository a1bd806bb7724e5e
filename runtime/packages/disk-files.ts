/**
 * A package in a folder. Roots are the operator's `--package-root` folders; without any, the folder
 * that holds the package's folder is the only root, so that `../motifs/x.loom` works beside a
 * package and nothing above does. Links are followed first and judged by where they lead.
 *
 * Checkpoints may also lie in the operator's `--parameter-root` folders: a reference leads there
 * from the package's folder (`../../weights/a.gguf`, or a link), or from the root itself.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { StatusError } from '../base/errors.js';
import { DiskParameterFile } from '../parameters/checkpoints/disk-parameter-file.js';
import type { FileReads } from '../parameters/checkpoints/disk-parameter-file.js';
import {
  escapes,
  fileBytesMax,
  missing,
  missingParameters,
  referenceParts,
  refused,
  tooLarge,
} from './package-files.js';
import type { PackageFiles } from './package-files.js';

export class DiskFiles implements PackageFiles {
  /** The document's folder, links resolved. */
  readonly base: string;
  readonly #roots: readonly string[];
  readonly #parameterRoots: readonly string[];

  constructor(base: string, roots: readonly string[] = [], parameterRoots: readonly string[] = []) {
    if (!isAbsolute(base)) throw refused(base, 'the base of a package is an absolute folder');
    this.base = realFolder(base);
    this.#roots = roots.length === 0 ? [dirname(this.base)] : roots.map((root) => realFolder(root));
    this.#parameterRoots = parameterRoots.map((root) => realFolder(root));
    if (!this.#allows(this.base)) throw escapes(base, this.#roots.join(', '));
  }

  read(reference: string): Uint8Array {
    const path = this.#resolve(reference);
    const status = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
    if (path === null || !status?.isFile()) throw missing(reference);
    if (status.size > fileBytesMax) throw tooLarge(reference, status.size);
    return new Uint8Array(readFileSync(path));
  }

  has(reference: string): boolean {
    try {
      const path = this.#resolve(reference);
      return path !== null && statSync(path).isFile();
    } catch {
      return false;
    }
  }

  name(reference: string): string {
    return referenceParts(reference).join('/');
  }

  list(folder: string): readonly string[] {
    const path = this.#resolve(folder);
    if (path === null || !statSync(path).isDirectory()) return [];
    return readdirSync(path).sort();
  }

  openParameters(reference: string, reads: FileReads = 'buffered'): DiskParameterFile {
    const path = this.locate(reference);
    if (path === null) throw missingParameters(reference, this.#parameterRoots);
    return DiskParameterFile.open(path, this.name(reference), reads);
  }

  /** The real path of a checkpoint's file: in the package, else in a parameter root; or null. */
  locate(reference: string): string | null {
    const parts = referenceParts(reference);
    const allowed = [...this.#roots, ...this.#parameterRoots];
    for (const from of [this.base, ...this.#parameterRoots]) {
      const path = realOrNull(join(from, ...parts));
      if (path !== null && isInside(path, allowed)) return path;
    }
    // A name outside of all roots is told as such, whether there is a file or not.
    const inside = [this.base, ...this.#parameterRoots].some((from) =>
      isInside(join(from, ...parts), allowed),
    );
    if (!inside) throw escapes(reference, allowed.join(', '));
    return null;
  }

  /** The real path of a reference, inside a root; null when nothing is there. */
  #resolve(reference: string): string | null {
    const path = join(this.base, ...referenceParts(reference));
    // Judged before and after links: whether a file outside exists is nobody's business.
    if (!this.#allows(path)) throw escapes(reference, this.#roots.join(', '));
    const real = realOrNull(path);
    if (real !== null && !this.#allows(real)) throw escapes(reference, this.#roots.join(', '));
    return real;
  }

  #allows(path: string): boolean {
    return isInside(path, this.#roots);
  }
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const inside = relative(root, path);
    return (
      inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
    );
  });
}

function realFolder(path: string): string {
  const real = realOrNull(path);
  if (real !== null && statSync(real).isDirectory()) return real;
  throw new StatusError('notFound', `no folder ${JSON.stringify(path)}`, { where: path });
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
