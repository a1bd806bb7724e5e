/**
 * The text of tokens that come one by one: what it has given, put together, is what the tokenizer
 * makes of all ids at once without special tokens. A character whose bytes are not all there is
 * held back, so each piece is whole characters.
 *
 * How a token reads may depend on the one before it (a blank in front, a run of bytes), so each is
 * decoded behind those that were published last; that keeps the cost of a token the same however
 * long the text is.
 */
import { SKIP_SPECIAL_TOKENS } from '../tokenizer/tokenizer.js';
import type { Tokenizer } from '../tokenizer/tokenizer.js';

/** What decoding puts for bytes that are no character, or not one yet. */
const REPLACEMENT = '\ufffd';

export class TokenText {
  readonly #tokenizer: Tokenizer;
  /** Published last, then those that are held back. */
  #window: number[] = [];
  /** How many of the window are published, and their text. */
  #published = 0;
  #context = '';

  /** `before`: ids that the text follows, where it is the continuation of another. */
  constructor(tokenizer: Tokenizer, before: readonly number[] = []) {
    this.#tokenizer = tokenizer;
    this.#startBehind(before.filter((id) => tokenizer.hasText(id)).slice(-8));
    // A character that begins there is finished here.
    while (this.#context.endsWith(REPLACEMENT)) this.#context = this.#context.slice(0, -1);
  }

  push(id: number): string {
    if (!this.#tokenizer.hasText(id)) return '';
    this.#window.push(id);
    const text = this.#textOf(this.#window);
    if (!text.startsWith(this.#context)) return '';
    if (text.endsWith(REPLACEMENT)) return this.#publishAllButLast(text);
    const piece = text.slice(this.#context.length);
    this.#startBehind(this.#window.slice(this.#published));
    return piece;
  }

  /** No more tokens come: bytes that are held back become what the whole text has for them. */
  end(): string {
    const text = this.#textOf(this.#window);
    let same = 0;
    while (same < this.#context.length && text[same] === this.#context[same]) same += 1;
    this.#startBehind(this.#window);
    return text.slice(same);
  }

  /**
   * The last token may be the beginning of a character. If it has a text of its own behind the one
   * before it, what stands before it is complete, characters or not.
   */
  #publishAllButLast(text: string): string {
    const held = this.#window.slice(this.#published);
    if (held.length < 2) return '';
    const head = this.#textOf(this.#window.slice(0, -1));
    const [before, last] = this.#window.slice(-2) as [number, number];
    const own = this.#textOf([before, last]).slice(this.#textOf([before]).length);
    if (own === '' || head + own !== text || !head.startsWith(this.#context)) return '';
    const piece = head.slice(this.#context.length);
    this.#startBehind([before]);
    this.#window.push(last);
    return piece;
  }

  #startBehind(ids: readonly number[]): void {
    this.#window = [...ids];
    this.#published = ids.length;
    this.#context = this.#textOf(ids);
  }

  #textOf(ids: readonly number[]): string {
    return this.#tokenizer.text(Int32Array.from(ids), SKIP_SPECIAL_TOKENS);
  }
}
