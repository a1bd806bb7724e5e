/**
 * Reads a JSON text value by value, as its caller asks for them: nothing is held that nobody asked
 * for, a key given twice is seen, and integers keep their exact spelling until they are judged.
 * What does not fit is thrown at its place. Accepts exactly the documents of RFC 8259 that have
 * the asked shape.
 */
import { StatusError } from '../../base/errors.js';
import { checkpointFault, quoted } from './checkpoint-fault.js';

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const loneSurrogate = /\p{Surrogate}/u;
/** Longer spellings are no safe integer, and nobody wants to read them in a message. */
const excerptLength = 24;

export class JsonCursor {
  /** What is being read, for messages; callers move it on. Called only to complain. */
  place: () => string = () => 'header';
  readonly #file: string;
  readonly #text: string;
  #at = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /** An object; `visit` reads the value of each key. */
  object(visit: (key: string) => void): void {
    const keys = new Set<string>();
    this.#list('{', '}', () => {
      const key = this.string();
      if (keys.has(key)) throw this.fault('each key once', `${quoted(key)} twice`);
      keys.add(key);
      this.#require(':');
      visit(key);
    });
  }

  /** An array; `visit` reads each element. */
  array(visit: () => void): void {
    this.#list('[', ']', visit);
  }

  string(): string {
    this.#skipSpace();
    const begin = this.#at;
    if (this.#text[begin] !== '"') throw this.#unexpected('a string');
    const end = this.#closingQuote(begin + 1);
    if (end < 0) throw this.#unexpected('a string that ends');
    const literal = this.#text.slice(begin, end + 1);
    const value = unescaped(literal);
    if (value === null) throw this.#unexpected('a string of well-formed text');
    this.#at = end + 1;
    return value;
  }

  /** An integer from 0, written as one: `2.0`, `2e3` and `-0` are none. */
  integer(): number {
    this.#skipSpace();
    number.lastIndex = this.#at;
    const literal = number.exec(this.#text)?.[0];
    const value = literal !== undefined && /^\d{1,16}$/.test(literal) ? Number(literal) : NaN;
    if (literal === undefined || !Number.isSafeInteger(value)) {
      throw this.#unexpected(`an integer from 0 to ${Number.MAX_SAFE_INTEGER}`);
    }
    this.#at += literal.length;
    return value;
  }

  /** Nothing but white space is left. */
  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the header');
  }

  fault(expected: string, found: string): StatusError {
    return checkpointFault(this.#file, { place: this.place(), expected, found });
  }

  #list(open: string, close: string, visit: () => void): void {
    this.#require(open);
    if (this.#accept(close)) return;
    do visit();
    while (this.#accept(','));
    this.#require(close);
  }

  #accept(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #require(character: string): void {
    if (!this.#accept(character)) throw this.#unexpected(`"${character}"`);
  }

  #skipSpace(): void {
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }

  /** The next quote with an even number of backslashes before it; -1 when there is none. */
  #closingQuote(from: number): number {
    for (let quote = this.#text.indexOf('"', from); quote >= 0;) {
      let escapes = quote;
      while (escapes > from && this.#text[escapes - 1] === '\\') escapes -= 1;
      if ((quote - escapes) % 2 === 0) return quote;
      quote = this.#text.indexOf('"', quote + 1);
    }
    return -1;
  }

  #unexpected(expected: string): StatusError {
    const rest = this.#text.slice(this.#at, this.#at + excerptLength);
    const found = rest === '' ? 'the end of the header' : quoted(rest);
    return this.fault(expected, `${found} at character ${this.#at}`);
  }
}

/** The text of a string literal; null when it is malformed or no Unicode text. */
function unescaped(literal: string): string | null {
  let value: string;
  try {
    value = JSON.parse(literal) as string;
  } catch {
    return null;
  }
  return loneSurrogate.test(value) ? null : value;
}
