/**
 * A tokenizer.json as the `input` capabilities use it. Stateless between calls, so any thread may
 * keep one; ids and bytes come back as fresh arrays.
 *
 * Encoding stops at the capacity that was asked for; decoding into too small a capacity fails and
 * never gives part of a text. Text goes in as it is: what the tokenizer.json normalizes, it
 * normalizes, and nothing is cleaned up afterwards.
 */
import { Tokenizer as JsonTokenizer } from '@huggingface/tokenizers';
import { StatusError } from '../base/errors.js';
import { longestText } from './longest-text.js';
import { makeModel, tokensById } from './make-model.js';
import { hasPatterns, PATTERN_MS, PatternLimit } from './pattern-limit.js';
import type { PieceModel } from './piece-model.js';
import { TextEncoding } from './text-encoding.js';
import { TokenBytes } from './token-bytes.js';
import { readTokenizerFile, unusable } from './tokenizer-file.js';
import type { TokenizerFile } from './tokenizer-file.js';
import { emptyModel, wordCutter } from './word-cutter.js';
import type { CutWords } from './word-cutter.js';

/** Bits of `flags` in `input.encode` and `input.decode`. */
export const ADD_SPECIAL_TOKENS = 4;
export const NO_SPECIAL_TOKEN_MATCHING = 8;
export const SKIP_SPECIAL_TOKENS = 1;

/** Ids or bytes that one call may ask for. */
const capacityMax = 2 ** 26;

export interface Encoded {
  /** `capacity` ids, zero after the live ones. */
  readonly ids: Int32Array;
  readonly count: number;
}

export interface Decoded {
  /** `capacity` bytes of UTF-8, zero after the live ones. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

export class Tokenizer {
  /** Bytes of text that one id stands for at most; Infinity where the file does not tell. */
  readonly textBytesMax: number;
  readonly #file: TokenizerFile;
  readonly #library: JsonTokenizer;
  /** Null where no pattern of the file can run for ever. */
  readonly #limit: PatternLimit | null;
  readonly #words: CutWords;
  readonly #model: PieceModel;
  readonly #tokens: ReadonlyMap<number, string>;
  readonly #special: ReadonlySet<number>;
  readonly #bytes: TokenBytes;
  readonly #matching: TextEncoding;
  /** Reads special tokens in a text as plain text. */
  readonly #plain: TextEncoding;
  /** Ids around a text with special tokens; null stands for the text. */
  readonly #template: readonly (number | null)[];

  /** `name` is the asset's name in errors. */
  constructor(bytes: Uint8Array, name: string, patternMs = PATTERN_MS) {
    this.#file = readTokenizerFile(bytes, name);
    this.textBytesMax = longestText(this.#file);
    const { normalizer, pre_tokenizer: cutter, decoder } = this.#file;
    const isLimited = hasPatterns([normalizer, cutter, decoder]);
    this.#limit = isLimited ? new PatternLimit(name, patternMs) : null;
    this.#library = usable(name, () => this.#inTime(bytes.length, () => libraryFor(this.#file)));
    this.#words = usable(name, () => wordCutter(this.#file.pre_tokenizer));
    this.#model = makeModel(this.#file);
    this.#tokens = tokensById(this.#file);
    const { added_tokens: added } = this.#file;
    this.#special = new Set(added.filter(({ special }) => special).map(({ id }) => id));
    this.#bytes = new TokenBytes(this.#file, (tokens) => this.#text(tokens, false));
    this.#matching = this.#encoding(added);
    this.#plain = this.#encoding(added.filter(({ special }) => !special));
    this.#template = this.#templateOf(name);
  }

  encode(text: string, flags: number, capacity: number): Encoded {
    checkFlags('encode', flags, ADD_SPECIAL_TOKENS | NO_SPECIAL_TOKEN_MATCHING);
    checkCapacity('encode', capacity);
    const encoding = flags & NO_SPECIAL_TOKEN_MATCHING ? this.#plain : this.#matching;
    const body = this.#inTime(text.length, () => encoding.encode(text, capacity));
    const ids = new Int32Array(capacity);
    let count = 0;
    for (const part of (flags & ADD_SPECIAL_TOKENS) === 0 ? [null] : this.#template) {
      for (const id of part === null ? body : [part]) {
        if (count === capacity) return { ids, count };
        ids[count++] = id;
      }
    }
    return { ids, count };
  }

  decode(ids: Int32Array, flags: number, capacity: number): Decoded {
    checkCapacity('decode', capacity);
    const live = new TextEncoder().encode(this.text(ids, flags));
    if (live.length > capacity) {
      throw new StatusError(
        'invalidArgument',
        `decoding ${ids.length} tokens takes ${live.length} bytes, and the capacity given to 'decode' is ${capacity}`,
      );
    }
    const bytes = new Uint8Array(capacity);
    bytes.set(live);
    return { bytes, length: live.length };
  }

  /** The text of a whole list of ids. */
  text(ids: Int32Array, flags = 0): string {
    checkFlags('decode', flags, SKIP_SPECIAL_TOKENS);
    const skip = (flags & SKIP_SPECIAL_TOKENS) !== 0;
    const tokens: string[] = [];
    ids.forEach((id, index) => {
      const token = this.#tokens.get(id);
      if (token === undefined) throw unknownId(id, index);
      if (!skip || !this.#special.has(id)) tokens.push(token);
    });
    return this.#text(tokens, skip);
  }

  /** Whether an id stands for text: special ones do not, nor what the vocabulary lacks. */
  hasText(id: number): boolean {
    return this.#tokens.has(id) && !this.#special.has(id);
  }

  /** What an id stands for by itself, special or not; nothing where the vocabulary lacks it. */
  tokenText(id: number): string {
    return this.#tokens.has(id) ? this.text(Int32Array.of(id)) : '';
  }

  /**
   * The bytes that an id adds to a text that has begun, which need not be whole characters; none
   * for ids that stand for no text.
   */
  tokenBytes(id: number): Uint8Array {
    const token = this.#tokens.get(id);
    if (token === undefined || this.#special.has(id)) return new Uint8Array(0);
    return this.#bytes.of(token);
  }

  #text(tokens: string[], skip: boolean): string {
    if (tokens.length === 0) return '';
    const { decoder } = this.#library;
    if (decoder === null) return tokens.join(' ');
    const { model } = this.#file;
    const suffix = model.type === 'BPE' ? model.end_of_word_suffix : null;
    const length = tokens.reduce((sum, token) => sum + token.length, 0);
    const text = this.#inTime(length, () => decoder.decode(tokens));
    if (suffix === null || suffix === '') return text;
    const spaced = text.replaceAll(suffix, ' ');
    return skip ? spaced.trim() : spaced;
  }

  #encoding(added: TokenizerFile['added_tokens']): TextEncoding {
    const { normalizer } = this.#library;
    const steps = {
      normalize: (text: string) => (normalizer === null ? text : normalizer.normalize(text)),
      words: this.#words,
    };
    const length = added.reduce((sum, { content }) => sum + content.length, 0);
    return this.#inTime(length, () => new TextEncoding(steps, this.#model, added));
  }

  #inTime<T>(length: number, action: () => T): T {
    return this.#limit === null ? action() : this.#limit.run(length, action);
  }

  /** Asks the post-processor once where the text stands among the special tokens. */
  #templateOf(name: string): readonly (number | null)[] {
    const { post_processor: processor } = this.#library;
    if (processor === null) return [null];
    const mark = '\0text';
    const ids = new Map([...this.#tokens].map(([id, token]) => [token, id]));
    const { tokens } = processor.post_process([mark], null, true);
    return tokens.map((token: string) => {
      if (token === mark) return null;
      const id = ids.get(token);
      if (id === undefined) throw unusable(name, `its post-processor adds unknown '${token}'`);
      return id;
    });
  }
}

/** The library's steps around words and models, which are ours: it gets none and an empty one. */
function libraryFor(file: TokenizerFile): JsonTokenizer {
  const rest = { ...file, pre_tokenizer: null, model: emptyModel };
  return new JsonTokenizer(rest, { clean_up_tokenization_spaces: false });
}

/** What the library does not know is told with the file's name. */
function usable<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw unusable(name, error instanceof Error ? error.message : String(error));
  }
}

function unknownId(id: number, index: number): StatusError {
  return new StatusError(
    'invalidArgument',
    `token ${index} to decode is ${id}, which the vocabulary does not have`,
  );
}

function checkFlags(operation: string, flags: number, known: number): void {
  if (Number.isInteger(flags) && flags >= 0 && (flags & ~known) === 0) return;
  throw new StatusError('internal', `flags ${flags} of '${operation}' have bits outside ${known}`);
}

function checkCapacity(operation: string, capacity: number): void {
  if (Number.isInteger(capacity) && capacity >= 0 && capacity <= capacityMax) return;
  throw new StatusError(
    'internal',
    `capacity ${capacity} of '${operation}'; 0 to ${capacityMax} are possible`,
  );
}
