/**
 * A model turns one word, as the pre-tokenizer cut it, into ids. Words are independent of each
 * other, so a caller stops between them; a model stops inside a word, too, where what follows
 * cannot change what is out already.
 */
import { StatusError } from '../base/errors.js';

export interface PieceModel {
  /** Appends to `ids`; may stop once it holds `limit`, and may then have appended some more. */
  encode(word: string, ids: number[], limit: number): void;
}

/**
 * Ids of `<0x00>` … `<0xFF>`, for models that spell out what they do not know; null: not all
 * there.
 */
export function byteIds(vocabulary: ReadonlyMap<string, number>): readonly number[] | null {
  const ids = Array.from({ length: 256 }, (_, byte) =>
    vocabulary.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
  return ids.every((id) => id !== undefined) ? ids : null;
}

export function unknownText(word: string): StatusError {
  const shown = JSON.stringify([...word].slice(0, 16).join(''));
  return new StatusError(
    'invalidArgument',
    `the tokenizer has no token for a part of ${shown}, and no unknown token`,
    { param: 'input' },
  );
}
