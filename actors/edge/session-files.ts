/**
 * Where saved sessions lie: one file each, below the folder that the operator chose. Reads and
 * writes whole files; what is in them is checked by whoever takes them up.
 *
 * Holds: a name is no path; a file is there with all of its bytes or not at all, also when the
 * process dies while it is written; none has more than `fileBytesMax`, and one that does is not
 * read.
 */
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StatusError } from '../../runtime/base/errors.js';
import { HOST_BYTES_MAX } from '../../runtime/memory/invocation-plan.js';

const names = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const suffix = '.session';
/** What a session may hold on the device to be saved, and room for some million ids. */
const fileBytesMax = HOST_BYTES_MAX + 64 * 1024 * 1024;

export interface SessionFilesOptions {
  /** --session-dir; null: none are kept. */
  readonly folder: string | null;
  /** Unlike any that this process had before. */
  readonly nextId: () => string;
}

export class SessionFiles {
  readonly #folder: string | null;
  readonly #nextId: () => string;

  constructor({ folder, nextId }: SessionFilesOptions) {
    this.#folder = folder;
    this.#nextId = nextId;
  }

  /** Throws where no session can be kept under the name; `param` is the field that has it. */
  check(name: string, param: string): void {
    this.#pathOf(name, param);
  }

  /** In place of an older one. */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(name, 'name');
    checkBytes(name, 'name', bytes.length);
    // No name begins with a dot.
    const draft = join(this.#folder!, `.${name}.${process.pid}.${this.#nextId()}`);
    try {
      await mkdir(this.#folder!, { recursive: true });
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      const cause = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw new StatusError('unavailable', `session '${name}' cannot be written: ${cause}`);
    }
  }

  async read(name: string): Promise<Uint8Array> {
    const path = this.#pathOf(name, 'restore');
    try {
      const found = await stat(path);
      if (!found.isFile()) throw new StatusError('unavailable', `session '${name}' is no file`);
      checkBytes(name, 'restore', found.size);
      // A pool of Node may own what small reads give.
      return new Uint8Array(await readFile(path));
    } catch (error) {
      if (error instanceof StatusError) throw error;
      const cause = (error as NodeJS.ErrnoException).code ?? 'unknown';
      if (cause === 'ENOENT') {
        throw new StatusError('notFound', `no saved session has the name '${name}'`, {
          param: 'restore',
        });
      }
      throw new StatusError('unavailable', `session '${name}' cannot be read: ${cause}`);
    }
  }

  #pathOf(name: string, param: string): string {
    if (this.#folder === null) {
      throw new StatusError(
        'invalidArgument',
        'this server keeps no sessions: it was started without --session-dir',
        { param },
      );
    }
    if (names.test(name)) return join(this.#folder, `${name}${suffix}`);
    throw new StatusError(
      'invalidArgument',
      `${param}: expected 1 to 100 letters, digits, ".", "_" or "-", starting with a letter or a digit`,
      { param },
    );
  }
}

function checkBytes(name: string, param: string, bytes: number): void {
  if (bytes <= fileBytesMax) return;
  throw new StatusError(
    'outOfRange',
    `session '${name}' has ${bytes} bytes; files of saved sessions have at most ${fileBytesMax}`,
    { param },
  );
}
