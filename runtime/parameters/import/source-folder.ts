/**
 * The folder that an import reads from, and nothing outside it: links are followed and judged by
 * where they lead. Files are read whole (documents) or by range (shards of any size).
 */
import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { StatusError } from '../../base/errors.js';

/** Most bytes of a document that is parsed as a whole. */
const documentBytesMax = 256 * 2 ** 20;

export class SourceFolder {
  readonly #root: string;
  /** What the folder is called in messages. */
  readonly name: string;

  constructor(root: string, name: string) {
    this.#root = realpathSync(root);
    this.name = name;
  }

  size(file: string): number {
    return statSync(this.#path(file)).size;
  }

  text(file: string): string {
    const bytes = this.size(file);
    if (bytes > documentBytesMax) {
      throw this.fault(file, `at most ${documentBytesMax} bytes of a document`, `${bytes}`);
    }
    return readFileSync(this.#path(file), 'utf8');
  }

  json(file: string): unknown {
    try {
      return JSON.parse(this.text(file));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw this.fault(file, 'JSON', error.message);
    }
  }

  /** Fills `target` with the bytes from `offset`; a file that ends before is an error. */
  read(file: string, offset: number, target: Uint8Array): void {
    const descriptor = openSync(this.#path(file), 'r');
    try {
      let done = 0;
      while (done < target.length) {
        const got = readSync(descriptor, target, done, target.length - done, offset + done);
        if (got === 0) {
          const wanted = `${target.length} bytes from ${offset}`;
          throw this.fault(file, wanted, `an end after ${done}`);
        }
        done += got;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  fault(file: string, expected: string, found: string): StatusError {
    const where = `${this.name}/${file}`;
    return new StatusError(
      'failedPrecondition',
      `import of ${where}: expected ${expected}, found ${found}`,
      { where },
    );
  }

  #path(file: string): string {
    const path = join(this.#root, ...file.split('/'));
    if (!this.#holds(path))
      throw this.fault(file, 'a path inside the folder', 'one that leaves it');
    const real = realOrNull(path);
    if (real === null) throw this.fault(file, 'a file', 'none');
    if (!this.#holds(real)) throw this.fault(file, 'a path inside the folder', 'a link out of it');
    if (!statSync(real).isFile()) throw this.fault(file, 'a file', 'something else');
    return real;
  }

  #holds(path: string): boolean {
    const inside = relative(this.#root, path);
    return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  }
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
