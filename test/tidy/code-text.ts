/**
 * A scanner that is just good enough to tell code from comments and literals in TypeScript: it
 * blanks out what is not code (keeping length and line breaks) and says which lines are comment. It
 * knows strings, templates with nested code, comments, and regular expressions by what comes
 * before them.
 */

export interface CodeText {
  /** The text with comments as spaces and the insides of literals as underscores. */
  readonly code: string;
  /** Lines (from 1) that are comment and nothing else. */
  readonly commentLines: ReadonlySet<number>;
}

/** After these a slash starts a regular expression; after a name or a bracket it divides. */
const beforeRegExp =
  /(?:^|[=([{,;:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|do|else))$/;

export function codeText(text: string): CodeText {
  const scanner = new Scanner(text);
  scanner.code(null);
  const code = scanner.out.join('');
  return { code, commentLines: commentLinesOf(text, code) };
}

class Scanner {
  readonly out: string[];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.out = text.split('');
  }

  /** Scans code to the end, or to the brace that closes a template's `${`. */
  code(closer: '}' | null): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const here = this.#text[this.#at] as string;
      const pair = this.#text.slice(this.#at, this.#at + 2);
      if (pair === '//') this.#comment(this.#indexOr('\n', this.#at));
      else if (pair === '/*') this.#comment(this.#indexOr('*/', this.#at + 2) + 2);
      else if (here === "'" || here === '"') this.#quoted(here);
      else if (here === '`') this.#template();
      else if (here === '/' && this.#startsRegExp()) this.#regExp();
      else {
        if (here === '{') depth += 1;
        if (here === '}') depth -= 1;
        if (closer !== null && depth < 0) return;
        this.#at += 1;
      }
    }
  }

  #indexOr(what: string, from: number): number {
    const found = this.#text.indexOf(what, from);
    return found < 0 ? this.#text.length : found;
  }

  #blank(from: number, to: number, filler = '_'): void {
    for (let at = from; at < to; at += 1) if (this.#text[at] !== '\n') this.out[at] = filler;
  }

  #comment(end: number): void {
    this.#blank(this.#at, end, ' ');
    this.#at = end;
  }

  #quoted(quote: string): void {
    const from = this.#at + 1;
    this.#at = from;
    while (this.#at < this.#text.length && this.#text[this.#at] !== quote) {
      if (this.#text[this.#at] === '\n') break;
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    this.#blank(from, this.#at);
    this.#at += 1;
  }

  #template(): void {
    let from = this.#at + 1;
    this.#at = from;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '`') {
      if (this.#text.startsWith('${', this.#at)) {
        this.#blank(from, this.#at);
        this.#at += 2;
        this.code('}');
        from = this.#at + 1;
      }
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    this.#blank(from, this.#at);
    this.#at += 1;
  }

  #startsRegExp(): boolean {
    return beforeRegExp.test(
      this.out
        .slice(Math.max(0, this.#at - 200), this.#at)
        .join('')
        .trimEnd(),
    );
  }

  #regExp(): void {
    const from = this.#at + 1;
    let isClass = false;
    this.#at = from;
    for (; this.#at < this.#text.length; this.#at += 1) {
      const here = this.#text[this.#at];
      if (here === '\n' || (here === '/' && !isClass)) break;
      if (here === '\\') this.#at += 1;
      else if (here === '[') isClass = true;
      else if (here === ']') isClass = false;
    }
    this.#blank(from, this.#at);
    this.#at += 1;
  }
}

function commentLinesOf(text: string, code: string): Set<number> {
  const codeLines = code.split('\n');
  const lines = new Set<number>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() !== '' && codeLines[index]?.trim() === '') lines.add(index + 1);
  }
  return lines;
}
