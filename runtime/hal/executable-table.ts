/**
 * The executables that a device has loaded, by the ids that their owners chose. One entry an id; an
 * entry that was unloaded is gone at once for newcomers and lives on for the works that retain it.
 */
import { StatusError } from '../base/errors.js';
import { Executable, type ExecutableImage } from './executable.js';

export class ExecutableTable {
  readonly #loaded = new Map<string, Executable>();
  readonly #discard: (executable: Executable) => void;

  /** `discard` is called once for each executable, when nobody can run it any more. */
  constructor(discard: (executable: Executable) => void) {
    this.#discard = discard;
  }

  get size(): number {
    return this.#loaded.size;
  }

  load(id: string, image: ExecutableImage): Executable {
    if (this.#loaded.has(id)) {
      throw new StatusError('alreadyExists', `executable '${id}' is loaded already`);
    }
    const executable = new Executable(id, image, this.#discard);
    this.#loaded.set(id, executable);
    return executable;
  }

  find(id: string): Executable {
    const executable = this.#loaded.get(id);
    if (!executable) throw new StatusError('notFound', `no executable '${id}' is loaded`);
    return executable;
  }

  /** False when there is none: whoever cleans up need not know how far loading came. */
  unload(id: string): boolean {
    const executable = this.#loaded.get(id);
    if (!executable) return false;
    this.#loaded.delete(id);
    executable.unload();
    return true;
  }
}
