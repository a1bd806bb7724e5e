/**
 * A package in a folder. Roots are the operator's `--package-root` folders; without any, the folder
 * that holds the package's folder is the only root, so that `../motifs/x.loom` works beside a
 * package and nothing above does. Links are followed first and judged by where they lead.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { StatusError } from '../base/errors.js';
import {
  escapes,
  fileBytesMax,
  missing,
  referenceParts,
  refused,
  tooLarge,
} from './package-files.js';
import type { PackageFiles } from './package-files.js';

export class DiskFiles implements PackageFiles {
  /** The document's folder, links resolved. */
  readonly base: string;
  readonly #roots: readonly string[];

  constructor(base: string, roots: readonly string[] = []) {
    if (!isAbsolute(base)) throw refused(base, 'the base of a package is an absolute folder');
    this.base = realFolder(base);
    this.#roots = roots.length === 0 ? [dirname(this.base)] : roots.map((root) => realFolder(root));
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
    return this.#roots.some((root) => {
      const inside = relative(root, path);
      return (
        inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
      );
    });
  }
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
