/**
 * Checkpoint files that are open on the device thread, by generation. Preparation opened them; from
 * their registration on the table owns the descriptors.
 *
 * Holds: a descriptor is closed once, when its generation has given it up and no accepted read uses
 * it any more, so accepted reads survive a removal.
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
  readonly #close: (file: OpenedFile) => void;
  #uses = 1;

  constructor(sources: readonly OpenedSource[], close: (file: OpenedFile) => void) {
    this.sources = sources;
    this.#close = close;
  }

  retain(): void {
    this.#uses += 1;
  }

  release(): void {
    this.#uses -= 1;
    if (this.#uses === 0) closeSources(this.sources, this.#close);
  }
}

/** Closes each file once, however many sources name it. */
export function closeSources(
  sources: readonly OpenedSource[],
  close: (file: OpenedFile) => void,
): void {
  const files = new Map(
    sources.flatMap((source) => source.files.map((file) => [file.descriptor, file])),
  );
  for (const file of files.values()) close(file);
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

  register(scope: string, sources: readonly OpenedSource[]): SourceLease {
    if (this.#scopes.has(scope)) {
      throw new StatusError('alreadyExists', `the sources of ${scope} are registered already`);
    }
    const lease = new Sources(sources, this.#close);
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
