/**
 * The checkpoints that one preparation opened: files of the package, or of the operator's parameter
 * roots, each opened once however many sources name it. Owns the descriptors until `handOver`
 * gives them to whoever carries the plan out, or `close` ends a preparation that failed.
 */
import { StatusError } from '../base/errors.js';
import type { OpenSources, SourceFile } from '../modules/declared-sources.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import { closeFile } from '../parameters/checkpoints/disk-parameter-file.js';
import type { FileReads } from '../parameters/checkpoints/disk-parameter-file.js';
import { checkShard, indexCheckpoint } from '../parameters/checkpoints/index-checkpoint.js';
import type { OpenedSource } from '../parameters/load-plan.js';
import { closeSources as closeEach } from '../parameters/source-table.js';
import type { OpenParameterFile, PackageFiles } from './package-files.js';

export class PackageCheckpoints implements OpenSources {
  readonly #files: PackageFiles;
  readonly #reads: FileReads;
  readonly #open = new Map<string, OpenParameterFile>();
  /** Files of each source, in order. */
  readonly #sources: OpenParameterFile[][] = [];
  /** By the list of files: sources with equal lists share one. */
  readonly #indexes = new Map<string, CheckpointIndex>();

  constructor(files: PackageFiles, reads: FileReads = 'buffered') {
    this.#files = files;
    this.#reads = reads;
  }

  open(file: SourceFile): void {
    this.#sources.push([this.#openFile(file)]);
  }

  append(source: number, file: SourceFile): void {
    const files = this.#sources[source]!;
    const shard = this.#openFile(file);
    if (files.includes(shard)) {
      throw new StatusError(
        'alreadyExists',
        `${shard.name} is a shard of source ${source} already`,
      );
    }
    files.push(shard);
  }

  index(source: number): CheckpointIndex {
    const files = this.#sources[source]!;
    const list = JSON.stringify(files.map((file) => file.name));
    const index = this.#indexes.get(list) ?? indexCheckpoint(files);
    this.#indexes.set(list, index);
    return index;
  }

  /** Of all sources, in order; throws for the first that is no whole checkpoint. */
  indexes(): readonly CheckpointIndex[] {
    return this.#sources.map((_, source) => this.index(source));
  }

  /** What a plan carries: the receiver closes the descriptors from now on. */
  handOver(): readonly OpenedSource[] {
    this.#open.clear();
    return this.#sources.map((files) => ({
      files: files.map(({ name, fd, bytes, modifiedMs, directFd }) => {
        const opened = { name, descriptor: fd, bytes, ...(modifiedMs && { modifiedMs }) };
        return directFd === null ? opened : { ...opened, direct: directFd };
      }),
    }));
  }

  /** Closes what was not handed over. */
  close(): void {
    for (const file of this.#open.values()) file.close();
    this.#open.clear();
  }

  #openFile({ directory, path }: SourceFile): OpenParameterFile {
    const reference = directory === '' ? path : `${directory}/${path}`;
    const name = this.#files.name(reference);
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const file = this.#files.openParameters(reference, this.#reads);
    this.#open.set(name, file);
    // Told at the call that names the file, before all shards are there.
    checkShard(file);
    return file;
  }
}

/** Closes the files of a plan that nobody carries out. */
export const closeSources = (sources: readonly OpenedSource[]): void =>
  closeEach(sources, closeFile);
