/**
 * Text to tokens, one pass, no regular expressions and no slices but the tokens themselves.
 * A newline ends a statement unless the line ends in an operator (other than `>`, which may close
 * template arguments), a comma or an open bracket, or lies inside `(` or `[`. `;` always ends one.
 * `///` at the start of a line is documentation of what follows; any other `//` is dropped.
 */

import type { DiagnosticSink } from '../diagnostics.js';
import { packAt } from '../tree.js';
import { BracketStack } from './brackets.js';
import { isDigitCode, isWordCode, startsWord } from './character-class.js';
import { syntaxLimits } from './limits.js';
import { lexNumber } from './lex-number.js';
import { lexString } from './lex-string.js';
import { Tokens } from './tokens.js';
import type { TokenKind, TokenWriter } from './tokens.js';
import { declarationHeads, statementWords } from './words.js';

const newline = 10;
const slash = 47;
const dot = 46;

/** Two-character operators. `>>` is none: two `>` may close template arguments. */
const doubles = new Set(['<<', '==', '!=', '<=', '>=', '&&', '||', '+=', '-=', '*=', '..', '->']);
const singles = new Set('+-*/%&|^<>!~=()[]{},:.@'.split(''));
const openers = new Set(['(', '[', '{']);
const closers = new Set([')', ']', '}']);
/** After these a newline means nothing. */
const continues = new Set([...doubles, ...singles].filter((op) => op !== '>' && !closers.has(op)));

export class Lexer implements TokenWriter {
  readonly tokens = new Tokens();
  readonly file: string;
  readonly text: string;
  readonly sink: DiagnosticSink;
  pos = 0;
  #line = 1;
  #lineStart = 0;
  #lineHasToken = false;
  #doc: string[] = [];
  readonly #brackets: BracketStack;

  constructor(file: string, text: string, sink: DiagnosticSink) {
    this.file = file;
    this.text = text;
    this.sink = sink;
    this.#brackets = new BracketStack(this);
  }

  run(): Tokens {
    const { text } = this;
    // Past a byte order mark: editors put it there and nobody sees it.
    if (text.charCodeAt(0) === 0xfeff) {
      this.pos = 1;
      this.#lineStart = 1;
    }
    while (this.pos < text.length && !this.sink.isFull) this.#next(text.charCodeAt(this.pos));
    this.#brackets.closeAll('the end of the file');
    this.#endLine(this.pos);
    this.push('end', '', this.pos);
    return this.tokens;
  }

  /** Appends a token that spans from `start` to the current position. */
  push(kind: TokenKind, text: string, start: number): number {
    const { tokens } = this;
    const column = start - this.#lineStart + 1;
    const index = tokens.push(kind, text, {
      at: packAt(this.#line, column),
      start,
      endColumn: column + Math.max(1, this.pos - start),
    });
    if (kind !== 'newline') {
      this.#lineHasToken = true;
      if (this.#doc.length > 0) {
        tokens.docs.set(index, this.#doc.join('\n'));
        this.#doc = [];
      }
    }
    return index;
  }

  report(start: number, end: number, message: string, hint?: string): void {
    const column = start - this.#lineStart + 1;
    const endColumn = column + Math.max(1, end - start);
    const at = packAt(this.#line, column);
    this.sink.report({ file: this.file, at, endColumn, message, hint });
  }

  /** A statement end, unless there is one already. */
  pushTerminator(text: string, start: number): void {
    const { kind } = this.tokens;
    if (kind.length > 0 && kind[kind.length - 1] !== 'newline') this.push('newline', text, start);
  }

  /** One token, or one piece of what lies between tokens. */
  #next(unit: number): void {
    if (unit === 32 || unit === 9 || unit === 13) this.pos += 1;
    else if (unit === newline) this.#newline();
    else if (startsWord(unit)) this.#word();
    else if (isDigitCode(unit)) lexNumber(this);
    else if (unit === 34) lexString(this);
    else if (unit === slash && this.text.charCodeAt(this.pos + 1) === slash) this.#comment();
    else if (unit === 59) {
      this.pos += 1;
      this.pushTerminator(';', this.pos - 1);
    } else this.#punctuation();
  }

  #newline(): void {
    this.#endLine(this.pos);
    this.pos += 1;
    this.#line += 1;
    this.#lineStart = this.pos;
    this.#lineHasToken = false;
  }

  /** A newline is a token only where it means something. */
  #endLine(start: number): void {
    const { kind, text } = this.tokens;
    const last = kind.length - 1;
    if (last < 0 || this.#brackets.ignoresNewlines) return;
    if (kind[last] === 'punct' && continues.has(text[last]!)) return;
    this.pushTerminator('\n', start);
  }

  #word(): void {
    const { text } = this;
    const start = this.pos;
    let end = start + 1;
    while (isWordCode(text.charCodeAt(end))) end += 1;
    const word = text.slice(start, end);
    if (!this.#lineHasToken) this.#recoverBefore(word, start, end);
    this.pos = end;
    if (word.length > syntaxLimits.nameBytes) {
      const limit = syntaxLimits.nameBytes;
      this.report(start, end, `the name has ${word.length} bytes; the limit is ${limit}`);
    }
    this.push('name', word, start);
  }

  /** A line that plainly starts something new shows that what is before it was left open. */
  #recoverBefore(word: string, start: number, end: number): void {
    const { text } = this;
    if (statementWords.has(word)) {
      this.#brackets.closeToBrace(`'${word}'`);
      if (this.tokens.text.at(-1) !== '{') this.pushTerminator('\n', start);
    } else if (start === this.#lineStart && text.charCodeAt(end) === dot) {
      const tail = text.startsWith('.decl', end) ? '.decl' : '.def';
      const next = text.charCodeAt(end + tail.length);
      if (declarationHeads.has(word + tail) && text.startsWith(tail, end) && !isWordCode(next)) {
        this.#brackets.closeAll('the next declaration');
        this.pushTerminator('\n', start);
      }
    }
  }

  /** Dropped, unless it is documentation; that waits for the token it describes. */
  #comment(): void {
    const { text } = this;
    const start = this.pos;
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    this.pos = end;
    const isDoc = text.charCodeAt(start + 2) === slash && text.charCodeAt(start + 3) !== slash;
    if (!isDoc || this.#lineHasToken) return;
    const from = text.charCodeAt(start + 3) === 32 ? start + 4 : start + 3;
    this.#doc.push(text.slice(from, end).trimEnd());
  }

  #punctuation(): void {
    const { text } = this;
    const start = this.pos;
    const pair = text.slice(start, start + 2);
    const op = doubles.has(pair) ? pair : text[start]!;
    if (!singles.has(op) && op.length === 1) return this.#foreign(start);
    this.pos = start + op.length;
    if (closers.has(op)) this.#brackets.close(op, start);
    else {
      const index = this.push('punct', op, start);
      if (openers.has(op)) this.#brackets.open(op, index);
    }
  }

  /** A run of characters that are no part of the language: one error, then go on. */
  #foreign(start: number): void {
    const { text } = this;
    let end = start + 1;
    while (end < text.length && isForeign(text.charCodeAt(end))) end += 1;
    this.pos = end;
    const shown = JSON.stringify(text.slice(start, Math.min(end, start + 20)));
    const hint = text[start] === "'" ? 'strings are written in double quotes' : undefined;
    this.report(start, end, `${shown} is not part of the language`, hint);
  }
}

function isForeign(unit: number): boolean {
  if (unit <= 32 || unit === 34 || unit === 59 || isWordCode(unit)) return false;
  return unit >= 127 || !singles.has(String.fromCharCode(unit));
}
