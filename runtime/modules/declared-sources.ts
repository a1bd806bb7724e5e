/**
 * Checkpoints as `prepare` declares them: ordered lists of files, each list one checkpoint with one
 * index. Cold preparation opens every file at the call that names it, so what is wrong with it is
 * told with the position of that call; an invocation's declarations are only noted, and a
 * preparation thread opens them later.
 */
import { StatusError } from '../base/errors.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';

export interface SourceFile {
  readonly directory: string;
  readonly path: string;
}

/** Plain data, structured-clone safe. */
export interface DeclaredSource {
  readonly files: readonly SourceFile[];
}

/** Opens files and reads their indexes. It owns what it opened. */
export interface OpenSources {
  /** The first file of a new source; sources count from 0 in order of opening. */
  open(file: SourceFile): void;
  append(source: number, file: SourceFile): void;
  /** Of the whole list of files; made once, and anew after another shard. */
  index(source: number): CheckpointIndex;
}

/** Sources that one generation, or one invocation, may declare, and files of one source. */
export const sourcesMax = 64;
export const shardsMax = 1024;

export class SourceDeclarations {
  /** Sources that exist already; they cannot be changed any more. */
  readonly first: number;
  readonly #opener: OpenSources | null;
  readonly #lists: SourceFile[][] = [];

  constructor(first = 0, opener: OpenSources | null = null) {
    this.first = first;
    this.#opener = opener;
  }

  get list(): readonly DeclaredSource[] {
    return this.#lists.map((files) => ({ files: [...files] }));
  }

  /** The ordinal of the new source. */
  declare(file: SourceFile): bigint {
    if (this.#lists.length >= sourcesMax) {
      throw new StatusError(
        'resourceExhausted',
        `prepare.source of ${textOf(file)}: the limit is ${sourcesMax} sources`,
      );
    }
    this.#opener?.open(file);
    this.#lists.push([file]);
    return BigInt(this.first + this.#lists.length - 1);
  }

  append(source: bigint, file: SourceFile): void {
    const ordinal = this.resolve(source, 'prepare.source_append');
    if (ordinal < this.first) {
      throw new StatusError(
        'invalidArgument',
        `prepare.source_append to source ${source}: it is prepared already and takes no more shards; declare a source of its own`,
      );
    }
    const files = this.#lists[ordinal - this.first]!;
    if (files.length >= shardsMax) {
      throw new StatusError(
        'resourceExhausted',
        `prepare.source_append to source ${source}: the limit is ${shardsMax} shards`,
      );
    }
    this.#opener?.append(ordinal - this.first, file);
    files.push(file);
  }

  /** The ordinal of a source that exists. */
  resolve(source: bigint, use: string): number {
    const count = this.first + this.#lists.length;
    if (source >= 0n && source < BigInt(count)) return Number(source);
    const known = count === 0 ? 'no source is declared' : `sources 0 to ${count - 1} are declared`;
    throw new StatusError('invalidArgument', `${use}: there is no source ${source}; ${known}`);
  }
}

const textOf = ({ directory, path }: SourceFile): string =>
  JSON.stringify(directory === '' ? path : `${directory}/${path}`);
