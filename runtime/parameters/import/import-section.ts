/**
 * What a package's document says about files that are made from an installed dependency: where they
 * come from, and per file the converter with its inputs. Plain data; the schema that checks it is
 * runtime/packages/import-schema.ts, and every converter is one file beside this one.
 */

/** A tensor by its name at the source, or with another shape of as many elements. */
export type GraphTensor = string | { readonly from: string; readonly shape: readonly number[] };

/** Weights of a tfjs graph or layers model: its model.json and the shards beside it. */
export interface TfjsImport {
  readonly format: 'tfjs';
  readonly model: string;
  /**
   * Names in the checkpoint; what is not named is left out. Absent: everything, as it is called.
   */
  readonly tensors?: Readonly<Record<string, GraphTensor>> | undefined;
}

/** A vocabulary of [piece, score] rows, which becomes a tokenizer.json. */
export interface UnigramImport {
  readonly format: 'unigram';
  readonly pieces: string;
  /** Rows at the start that stand for no text; the first of them is the unknown token. */
  readonly reserved: number;
}

/** Tensors inside a data file: nested arrays of numbers, or rows that toygrad packed. */
export interface RowsImport {
  readonly format: 'rows';
  readonly data: string;
  readonly tensors: Readonly<
    Record<string, { readonly at: readonly (string | number)[]; readonly shape: readonly number[] }>
  >;
}

/** A data file as plain JSON. */
export interface JsonImport {
  readonly format: 'json';
  readonly data: string;
}

export type FileImport = TfjsImport | UnigramImport | RowsImport | JsonImport;

export interface ImportSection {
  /** `npm:NAME@VERSION`, a version without ranges. */
  readonly from: string;
  /** By the name that the document's references use. */
  readonly files: Readonly<Record<string, FileImport>>;
}
