/**
 * The open brackets while lexing. Makes the token stream balance: a closer without an opener is
 * reported and dropped; an opener without a closer is reported at the opener and closed by an
 * inserted token. Amortised one step a bracket, whatever the input.
 */

import type { TokenWriter } from './tokens.js';

const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

export class BracketStack {
  readonly #lexer: TokenWriter;
  /** Token indices of the open brackets, innermost last. */
  readonly #open: number[] = [];
  /** How many of each closer are awaited. */
  readonly #awaited: Record<string, number> = { ')': 0, ']': 0, '}': 0 };

  constructor(lexer: TokenWriter) {
    this.#lexer = lexer;
  }

  get depth(): number {
    return this.#open.length;
  }

  /** Whether the innermost bracket is one inside which newlines mean nothing. */
  get ignoresNewlines(): boolean {
    const last = this.#open.at(-1);
    return last !== undefined && this.#lexer.tokens.text[last] !== '{';
  }

  open(bracket: string, index: number): void {
    this.#open.push(index);
    this.#awaited[closerOf[bracket]!]! += 1;
  }

  close(closer: string, start: number): void {
    if (this.#awaited[closer] === 0) {
      this.#lexer.report(start, start + 1, `'${closer}' closes nothing`);
      return;
    }
    while (this.#innermostCloser() !== closer) this.#insert(`'${closer}'`);
    this.#pair(this.#lexer.push('punct', closer, start));
  }

  closeAll(before: string): void {
    while (this.#open.length > 0) this.#insert(before);
  }

  /** Closes parentheses and square brackets up to the innermost block. */
  closeToBrace(before: string): void {
    while (this.ignoresNewlines) this.#insert(before);
  }

  #innermostCloser(): string {
    const { text } = this.#lexer.tokens;
    return closerOf[text[this.#open.at(-1)!]!]!;
  }

  #insert(before: string): void {
    const { tokens, file, sink, pos } = this.#lexer;
    const opener = this.#open.at(-1)!;
    const at = tokens.at[opener]!;
    const bracket = tokens.text[opener]!;
    sink.report({
      file,
      at,
      endColumn: tokens.endColumn[opener],
      message: `'${bracket}' is not closed before ${before}`,
    });
    const index = this.#lexer.push('punct', closerOf[bracket]!, pos);
    tokens.inserted.add(index);
    this.#pair(index);
  }

  #pair(closer: number): void {
    const { match, text } = this.#lexer.tokens;
    const opener = this.#open.pop()!;
    this.#awaited[text[closer]!]! -= 1;
    match[opener] = closer;
    match[closer] = opener;
  }
}
