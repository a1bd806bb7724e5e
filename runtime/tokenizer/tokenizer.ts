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

/** Bits of `flags` in `input.encode` and `input.decode`. */
export const ADD_SPECIAL_TOKENS = 4;
export const NO_SPECIAL_TOKEN_MATCHING = 8;
export const SKIP_SPECIAL_TOKENS = 1;

/** Ids or bytes that one call may ask for. */
const capacityMax = 2 ** 26;

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
}

interface TokenizerFile {
  readonly added_tokens: readonly AddedToken[];
}

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
  readonly #file: TokenizerFile;
  readonly #matching: JsonTokenizer;
  /** Reads special tokens in a text as plain text; made on first need. */
  #plain: JsonTokenizer | null = null;

  /** `name` is the asset's name in errors. */
  constructor(bytes: Uint8Array, name: string) {
    this.#file = readFile(bytes, name);
    this.#matching = build(this.#file, name);
  }

  encode(text: string, flags: number, capacity: number): Encoded {
    checkFlags('encode', flags, ADD_SPECIAL_TOKENS | NO_SPECIAL_TOKEN_MATCHING);
    checkCapacity('encode', capacity);
    const tokenizer = flags & NO_SPECIAL_TOKEN_MATCHING ? this.#plainTokenizer() : this.#matching;
    const found = tokenizer.encode(text, {
      add_special_tokens: (flags & ADD_SPECIAL_TOKENS) !== 0,
    }).ids;
    const ids = new Int32Array(capacity);
    const count = Math.min(found.length, capacity);
    for (let index = 0; index < count; index += 1) {
      const id: number | undefined = found[index];
      if (id === undefined) {
        throw new StatusError(
          'invalidArgument',
          `the tokenizer has no token for part ${index} of the text, and no unknown token`,
          { param: 'input' },
        );
      }
      ids[index] = id;
    }
    return { ids, count };
  }

  decode(ids: Int32Array, flags: number, capacity: number): Decoded {
    checkFlags('decode', flags, SKIP_SPECIAL_TOKENS);
    checkCapacity('decode', capacity);
    const known = [...ids];
    known.forEach((id, index) => {
      if (this.#matching.id_to_token(id) !== undefined) return;
      throw new StatusError(
        'invalidArgument',
        `token ${index} to decode is ${id}, which the vocabulary does not have`,
      );
    });
    const text =
      known.length === 0
        ? ''
        : this.#matching.decode(known, {
            skip_special_tokens: (flags & SKIP_SPECIAL_TOKENS) !== 0,
            clean_up_tokenization_spaces: false,
          });
    const live = new TextEncoder().encode(text);
    if (live.length > capacity) {
      throw new StatusError(
        'invalidArgument',
        `decoding ${known.length} tokens takes ${live.length} bytes, and the capacity given to 'decode' is ${capacity}`,
      );
    }
    const bytes = new Uint8Array(capacity);
    bytes.set(live);
    return { bytes, length: live.length };
  }

  /**
   * Special tokens leave the list of what is looked for in a text, but keep their ids, because the
   * template that adds them at the ends finds them by name.
   */
  #plainTokenizer(): JsonTokenizer {
    if (this.#plain !== null) return this.#plain;
    const special = this.#file.added_tokens.filter((token) => token.special === true);
    const others = this.#file.added_tokens.filter((token) => token.special !== true);
    const plain = build({ ...this.#file, added_tokens: others }, 'tokenizer');
    for (const token of special) plain.model?.tokens_to_ids.set(token.content, token.id);
    this.#plain = plain;
    return plain;
  }
}

function readFile(bytes: Uint8Array, name: string): TokenizerFile {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw refuse(name, error instanceof Error ? error.message : String(error));
  }
  if (value === null || typeof value !== 'object' || !('model' in value)) {
    throw refuse(name, "it has no 'model'");
  }
  // Files may leave out what they do not use; the library insists on the keys.
  const optional = { normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null };
  const added = 'added_tokens' in value ? value.added_tokens : [];
  if (!Array.isArray(added)) throw refuse(name, "'added_tokens' is not an array");
  return { ...optional, ...value, added_tokens: added as AddedToken[] };
}

function build(file: TokenizerFile, name: string): JsonTokenizer {
  try {
    return new JsonTokenizer(file, { clean_up_tokenization_spaces: false });
  } catch (error) {
    throw refuse(name, error instanceof Error ? error.message : String(error));
  }
}

function refuse(name: string, why: string): StatusError {
  return new StatusError('invalidArgument', `${name} is no usable tokenizer.json: ${why}`, {
    where: name,
  });
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
