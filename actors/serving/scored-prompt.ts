/**
 * A prompt that is said, too, each token with its likelihood. Only what is chosen has one: so its
 * first token is read, and each of the others is all that may be chosen next. Owned by its turn.
 */
import type { TextToken } from '../../http/text-serving.js';
import { TokenText } from '../../runtime/text/token-text.js';
import type { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';

export class ScoredPrompt {
  readonly #ids: readonly number[];
  readonly #words: number;
  readonly #text: TokenText | null;
  /** Of the ids, those that its row has. */
  #read = 1;
  /** Characters of text before the next token. */
  #offset = 0;

  constructor(ids: readonly number[], vocabulary: number, tokenizer: Tokenizer | null) {
    this.#ids = ids;
    this.#words = Math.ceil(vocabulary / 32);
    this.#text = tokenizer === null ? null : new TokenText(tokenizer);
  }

  /** Nothing of it is left to choose. */
  get isRead(): boolean {
    return this.#read === this.#ids.length;
  }

  /** The one id that may follow. */
  mask(): Uint32Array {
    const id = this.#ids[this.#read]!;
    const mask = new Uint32Array(this.#words);
    mask[id >>> 5] = 1 << (id & 31);
    return mask;
  }

  advance(): void {
    this.#read += 1;
  }

  /** A token with the place of its text in that of the whole; in order, each once. */
  placed(token: TextToken): TextToken {
    const offset = this.#offset;
    this.#offset += this.#text?.push(token.id).length ?? 0;
    return { ...token, offset };
  }
}
