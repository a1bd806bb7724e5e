/**
 * The parser's place in the tokens, its error reporting and its guards. Grammar functions take a
 * cursor and return nodes. A syntax error is reported and thrown as `ParseFailure`; whoever can
 * resynchronize (declaration, statement, field) catches it. Between statements the cursor is
 * always in the plain state: no flags set, `expressionDepth` 0.
 */

import type { DiagnosticSink } from '../diagnostics.js';
import { lineOf } from '../tree.js';
import type { At, Expr } from '../tree.js';
import { syntaxLimits } from './limits.js';
import type { Tokens } from './tokens.js';
import { reservedWords } from './words.js';

/** Thrown after its diagnostic was reported. */
export class ParseFailure extends Error {}

/** Brackets may be redundant, so recursion may go deeper than the tree; twice is plenty. */
const recursionMax = 2 * syntaxLimits.nesting;

export class Cursor {
  readonly file: string;
  readonly tokens: Tokens;
  readonly sink: DiagnosticSink;
  /** Types hold expressions and expressions hold types; this breaks the circle of imports. */
  readonly expression: (cursor: Cursor) => Expr;
  index = 0;
  /** Inside `<…>`: `>` closes, and comparisons need parentheses. */
  inAngles = false;
  /** In the head of `if`, `for`…: `{` opens the block, not a record literal. */
  inHead = false;
  /** Levels of the expression or type that was parsed last; a leaf has 1. */
  height = 0;
  blockDepth = 0;
  #recursion = 0;
  /** For a `<`, the `>` that closes it if it opened template arguments, or -1. */
  readonly #angles = new Map<number, number>();

  constructor(
    file: string,
    input: { tokens: Tokens; sink: DiagnosticSink; expression: (cursor: Cursor) => Expr },
  ) {
    this.file = file;
    this.tokens = input.tokens;
    this.sink = input.sink;
    this.expression = input.expression;
  }

  get text(): string {
    return this.tokens.text[this.index]!;
  }

  get kind(): string {
    return this.tokens.kind[this.index]!;
  }

  get at(): At {
    return this.tokens.at[this.index]!;
  }

  peekText(ahead = 1): string {
    return this.tokens.text[this.index + ahead] ?? '';
  }

  peekKind(ahead = 1): string {
    return this.tokens.kind[this.index + ahead] ?? 'end';
  }

  is(text: string): boolean {
    return this.tokens.text[this.index] === text;
  }

  /** A name that may be declared or used: any word that is not reserved. */
  isName(ahead = 0): boolean {
    return this.peekKind(ahead) === 'name' && !reservedWords.has(this.peekText(ahead));
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.index += 1;
    return true;
  }

  expect(text: string, hint?: string): void {
    if (!this.accept(text)) this.expected(`'${text}'`, hint);
  }

  skipNewlines(): void {
    while (this.kind === 'newline') this.index += 1;
  }

  /** Whether the token stands on a later line than the one before it, or ends a line. */
  get startsLine(): boolean {
    if (this.kind === 'newline' || this.kind === 'end') return true;
    return lineOf(this.at) > lineOf(this.tokens.at[this.index - 1] ?? this.at);
  }

  get atStatementEnd(): boolean {
    return this.kind === 'newline' || this.kind === 'end' || this.is('}');
  }

  name(what: string): string {
    if (!this.isName()) {
      const isReserved = this.kind === 'name';
      this.expected(what, isReserved ? `'${this.text}' is a reserved word` : undefined);
    }
    this.index += 1;
    return this.tokens.text[this.index - 1]!;
  }

  /** `a.b.c` as one string. */
  path(what: string): string {
    const start = this.index;
    let path = this.name(what);
    while (this.is('.') && this.isName(1)) {
      path += `.${this.peekText()}`;
      this.index += 2;
    }
    this.checkPath(path, start);
    return path;
  }

  checkPath(path: string, start: number): void {
    const limit = syntaxLimits.nameBytes;
    if (path.length <= limit) return;
    this.fail(`the name has ${path.length} bytes; the limit is ${limit}`, { index: start });
  }

  /** Reports at a token (the current one unless said otherwise) and gives up this construct. */
  fail(message: string, options: { index?: number; hint?: string } = {}): never {
    const index = options.index ?? this.index;
    const { tokens, file } = this;
    if (!this.#isKnown(index)) {
      const endColumn = tokens.endColumn[index]!;
      this.sink.report({ file, at: tokens.at[index]!, endColumn, message, hint: options.hint });
    }
    throw new ParseFailure(message);
  }

  expected(what: string, hint?: string): never {
    this.fail(`expected ${what}, found ${this.describe()}`, { hint });
  }

  describe(): string {
    if (this.kind === 'end') return 'the end of the file';
    if (this.kind === 'newline') return this.is(';') ? "';'" : 'the end of the line';
    if (this.kind === 'string') return 'a string';
    return `'${this.text}'`;
  }

  /** Runs `parse` one level deeper, with the flags that hold between brackets. */
  nested<T>(parse: () => T, inAngles = false): T {
    const flags = [this.inAngles, this.inHead] as const;
    this.inAngles = inAngles;
    this.inHead = false;
    this.#recursion += 1;
    if (this.#recursion > recursionMax) this.tooDeep();
    const result = parse();
    this.#recursion -= 1;
    [this.inAngles, this.inHead] = flags;
    return result;
  }

  /** The levels of a node whose highest child has `child` levels. */
  grow(child: number): void {
    this.height = child + 1;
    if (this.height > syntaxLimits.nesting) this.tooDeep();
  }

  tooDeep(): never {
    const limit = syntaxLimits.nesting;
    this.fail(`the nesting is deeper than ${limit} levels`, { hint: 'name a part with `let`' });
  }

  /** Back to the plain state after a failure was caught. */
  reset(index: number, blockDepth: number): void {
    this.index = index;
    this.blockDepth = blockDepth;
    this.inAngles = false;
    this.inHead = false;
    this.#recursion = 0;
  }

  /** The index after a bracket's partner, or the next index. */
  after(index: number): number {
    const partner = this.tokens.match[index]!;
    return (partner > index ? partner : index) + 1;
  }

  /**
   * If the `<` at `index` opens template arguments as far as tokens can tell, the index of its `>`.
   * One scan settles every `<` that it passes, so all scans together are linear.
   */
  angleEnd(index: number): number {
    const known = this.#angles.get(index);
    if (known !== undefined) return known;
    const open = [index];
    const { text, kind } = this.tokens;
    let scan = index + 1;
    while (open.length > 0 && kind[scan] !== 'newline' && kind[scan] !== 'end') {
      const token = text[scan]!;
      if (endsAngles.has(token) || (kind[scan] === 'name' && reservedInAngles(token))) break;
      if (token === '<') open.push(scan);
      else if (token === '>') this.#angles.set(open.pop()!, scan);
      scan = this.after(scan);
    }
    for (const unmatched of open) this.#angles.set(unmatched, -1);
    return this.#angles.get(index)!;
  }

  /** Whether a mistake here follows from an open bracket, which was reported where it opens. */
  #isKnown(index: number): boolean {
    const { inserted, match, text } = this.tokens;
    for (const closer of inserted) {
      const isInside = index > match[closer]! && index < closer && text[closer] !== '}';
      if (isInside || index === closer) return true;
    }
    return false;
  }
}

/** What cannot stand between `<` and `>` without parentheses. */
const endsAngles: ReadonlySet<string> = new Set([
  ...[')', ']', '{', '}', '&&', '||', '==', '!=', '<=', '>=', '..', ':'],
  ...['=', '+=', '-=', '*='],
]);

const wordsInAngles: ReadonlySet<string> = new Set(['true', 'false', 'func']);
const reservedInAngles = (word: string): boolean =>
  reservedWords.has(word) && !wordsInAngles.has(word);
