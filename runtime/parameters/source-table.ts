/**
 * Checkpoint files that the device has, by generation. Preparation opened them; from their
 * registration on the table says when nobody needs them any more.
 *
 * Holds: a descriptor is closed once, when its generation has given it up and no accepted read uses
 * it any more, so accepted reads survive a removal. A scope inside of another one (a choice of a
 * generation) counts the other's sources before its own, keeps them open, and closes its own only.
 */
import { StatusError } from '../base/errors.js';
import type { OpenedFile, OpenedSource } from './load-plan.js';

export interface SourceLease {
  readonly sources: readonly OpenedSource[];
  /** A read that was accepted uses the files until `release`. */
  retain(): void;
  release(): void;
}

class Sources implements SourceLease {
  readonly sources: readonly OpenedSource[];
  readonly #own: readonly OpenedSource[];
  readonly #parent: SourceLease | null;
  readonly #close: (file: OpenedFile) => void;
  #uses = 1;

  constructor(
    own: readonly OpenedSource[],
    parent: SourceLease | null,
    close: (file: OpenedFile) => void,
  ) {
    this.sources = [...(parent?.sources ?? []), ...own];
    this.#own = own;
    this.#parent = parent;
    this.#close = close;
    parent?.retain();
  }

  retain(): void {
    this.#uses += 1;
  }

  release(): void {
    this.#uses -= 1;
    if (this.#uses > 0) return;
    closeSources(this.#own, this.#close);
    this.#parent?.release();
  }
}

/** Closes each file once, however many sources name it. */
export function closeSources(
  sources: readonly OpenedSource[],
  close: (file: OpenedFile) => void,
): void {
  for (const file of filesOf(sources)) close(file);
}

/** Each file once. */
export function filesOf(sources: readonly OpenedSource[]): readonly OpenedFile[] {
  const files = sources.flatMap((source) => source.files);
  return [...new Map(files.map((file) => [file.descriptor, file])).values()];
}

export class SourceTable {
  readonly #close: (file: OpenedFile) => void;
  readonly #scopes = new Map<string, Sources>();

  constructor(close: (file: OpenedFile) => void) {
    this.#close = close;
  }

  /** Generations whose files are open. */
  get size(): number {
    return this.#scopes.size;
  }

  /** `parent`: a scope whose sources come first; a generation without any has none. */
  register(scope: string, sources: readonly OpenedSource[], parent?: string): SourceLease {
    if (this.#scopes.has(scope)) {
      throw new StatusError('alreadyExists', `the sources of ${scope} are registered already`);
    }
    const lease = new Sources(sources, (parent && this.#scopes.get(parent)) || null, this.#close);
    this.#scopes.set(scope, lease);
    return lease;
  }

  find(scope: string): SourceLease {
    const lease = this.#scopes.get(scope);
    if (!lease) throw new StatusError('notFound', `no sources of ${scope} are open`);
    return lease;
  }

  /** False when there are none (any more). */
  release(scope: string): boolean {
    const lease = this.#scopes.get(scope);
    if (!lease) return false;
    this.#scopes.delete(scope);
    lease.release();
    return true;
  }

  releaseAll(): void {
    for (const scope of [...this.#scopes.keys()]) this.release(scope);
  }
}
