/**
 * The files of a checkpoint that a package of the server's serves: programs come from the package,
 * all else from the checkpoint's folder, and neither can stand in for the other. The tokenizer of a
 * GGUF file is made from its metadata when it is asked for; nothing is written anywhere.
 */
import type { FileReads } from '../parameters/checkpoints/disk-parameter-file.js';
import { indexGguf } from '../parameters/checkpoints/gguf-index.js';
import { metadataTokenizer, metadataTokenizerConfig } from '../tokenizer/metadata-tokenizer.js';
import { readTokenizerTable } from '../tokenizer/tokenizer-table.js';
import { ggufTokenizer, ggufTokenizerConfig } from './checkpoint-document.js';
import type { FoundCheckpoint } from './found-checkpoint.js';
import type { ModelDocument } from './model-document.js';
import { missing } from './package-files.js';
import type { OpenParameterFile, PackageFiles } from './package-files.js';

export interface CheckpointParts {
  readonly document: ModelDocument;
  readonly checkpoint: FoundCheckpoint;
  /** The package's own folder. */
  readonly programs: PackageFiles;
  /** The checkpoint's. */
  readonly rest: PackageFiles;
}

export class CheckpointFiles implements PackageFiles {
  readonly #parts: CheckpointParts;
  readonly #programs: ReadonlySet<string>;
  readonly #made = new Map<string, () => unknown>();

  constructor(parts: CheckpointParts) {
    const { programs, checkpoint, document } = parts;
    const { prepare, control, config, sources } = document.definition;
    const references = [prepare, control, ...(config === undefined ? [] : [config]), ...sources];
    this.#parts = parts;
    this.#programs = new Set(references.map((reference) => programs.name(reference)));
    const { gguf } = checkpoint;
    if (gguf === null) return;
    this.#made.set(ggufTokenizer(gguf), () =>
      metadataTokenizer(this.#metadata(gguf), this.#table(gguf)),
    );
    this.#made.set(ggufTokenizerConfig(gguf), () => metadataTokenizerConfig(this.#metadata(gguf)));
  }

  read(reference: string): Uint8Array {
    const make = this.#made.get(this.name(reference));
    if (make === undefined) return this.#owner(reference).read(reference);
    return new TextEncoder().encode(JSON.stringify(make()));
  }

  has(reference: string): boolean {
    return this.#made.has(this.name(reference)) || this.#owner(reference).has(reference);
  }

  name(reference: string): string {
    return this.#parts.programs.name(reference);
  }

  openParameters(reference: string, reads: FileReads = 'buffered'): OpenParameterFile {
    return this.#parts.rest.openParameters(reference, reads);
  }

  list(folder: string): readonly string[] {
    return this.#parts.rest.list(folder);
  }

  #owner(reference: string): PackageFiles {
    const { programs, rest } = this.#parts;
    return this.#programs.has(this.name(reference)) ? programs : rest;
  }

  #metadata(gguf: string): ReadonlyMap<string, unknown> {
    const file = this.#parts.rest.openParameters(gguf);
    try {
      return indexGguf(file, 0).metadata;
    } finally {
      file.close();
    }
  }

  #table(gguf: string) {
    const { document, programs } = this.#parts;
    const reference = document.serves?.tokenizers;
    if (reference === undefined) throw missing(ggufTokenizer(gguf));
    return readTokenizerTable(programs.read(reference), reference);
  }
}
