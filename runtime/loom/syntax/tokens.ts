/**
 * The tokens of one file as parallel arrays: cheap to make and to walk, no object a token.
 * Brackets always balance: the lexer drops stray closers and inserts missing ones (and reports
 * them), so the parser can jump from any bracket to its partner.
 */

import type { DiagnosticSink } from '../diagnostics.js';
import type { At } from '../tree.js';

export type TokenKind = 'name' | 'int' | 'float' | 'string' | 'punct' | 'newline' | 'end';

export class Tokens {
  readonly kind: TokenKind[] = [];
  /** Names, numbers and punctuation as written; a string literal is `"` and its decoded value. */
  readonly text: string[] = [];
  readonly at: At[] = [];
  /** Offset in UTF-16 units: tells whether two tokens touch. */
  readonly start: number[] = [];
  /** First column after the token. */
  readonly endColumn: number[] = [];
  /** For a bracket, the index of its partner; -1 for all other tokens. */
  readonly match: number[] = [];
  /** Documentation that stands before a token, by token index. */
  readonly docs = new Map<number, string>();
  /** Tokens that are not in the text: closers that the lexer inserted. */
  readonly inserted = new Set<number>();

  get count(): number {
    return this.kind.length;
  }

  push(kind: TokenKind, text: string, place: { at: At; start: number; endColumn: number }): number {
    this.kind.push(kind);
    this.text.push(text);
    this.at.push(place.at);
    this.start.push(place.start);
    this.endColumn.push(place.endColumn);
    this.match.push(-1);
    return this.kind.length - 1;
  }
}

/** The lexer as its parts see it: where it stands and how to emit. */
export interface TokenWriter {
  readonly file: string;
  readonly text: string;
  readonly sink: DiagnosticSink;
  readonly tokens: Tokens;
  pos: number;
  /** Appends a token that spans from `start` to `pos`. */
  push(kind: TokenKind, text: string, start: number): number;
  report(start: number, end: number, message: string, hint?: string): void;
}
