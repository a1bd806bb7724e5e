/**
 * One file of an import, by the format that its section names: which inputs it reads, and how it is
 * written. Add a format here and in import-section.ts; raise the version whenever the bytes of any
 * output change, because files that are in a cache already are found by it.
 */
import { streamCheckpoint, writeDurably } from './checkpoint-stream.js';
import { readData } from './data-module.js';
import type { FileImport } from './import-section.js';
import { rowTensors } from './rows.js';
import type { SourceFolder } from './source-folder.js';
import { tfjsInputs, tfjsTensors } from './tfjs.js';
import { unigramTokenizer } from './unigram.js';

export const converterVersion = 1;

/** Files of the source folder that decide the output. */
export function importInputs(folder: SourceFolder, spec: FileImport): readonly string[] {
  switch (spec.format) {
    case 'tfjs':
      return tfjsInputs(folder, spec.model);
    case 'unigram':
      return [spec.pieces];
    case 'rows':
    case 'json':
      return [spec.data];
  }
}

/** Writes a new file at `path`. */
export function convertFile(folder: SourceFolder, spec: FileImport, path: string): void {
  const origin = { from: folder.name };
  switch (spec.format) {
    case 'tfjs':
      return streamCheckpoint(path, tfjsTensors(folder, spec), origin);
    case 'rows':
      return streamCheckpoint(path, rowTensors(folder, spec), origin);
    case 'unigram':
      return writeText(path, unigramTokenizer(folder, spec));
    case 'json':
      return writeText(path, `${JSON.stringify(readData(folder, spec.data))}\n`);
  }
}

function writeText(path: string, text: string): void {
  writeDurably(path, (write) => write(new TextEncoder().encode(text)));
}
