/**
 * One pass over a JSON text before it is parsed: how deep it nests, and how many elements and
 * fields it has. A body of a million inputs is refused after the first few thousand, before
 * anything of it is built, for the thread that would build them serves everyone. Numbers are not
 * counted: a list of them is one input. What is no JSON passes: the parser tells what is wrong.
 */
import { StatusError } from '../runtime/base/errors.js';

export interface JsonBounds {
  /** Elements (but numbers) of a list that is a field of the document, with the knob's name. */
  readonly elementsMax: number;
  readonly knob: string;
}

/** Deeper documents have no use here; `JSON.parse` itself copes with any depth. */
const depthMax = 64;
/** Fields of an object, and elements of lists further inside. */
const innerMax = 4096;

const quote = 34;
const colon = 58;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/** Throws what the text exceeds; `bounds` null: only depth and inner sizes count. */
export function scanJson(text: string, bounds: JsonBounds | null): void {
  if (!isSmall(text, bounds)) new Scan(text, bounds).run();
}

/** It cannot exceed anything: it has fewer characters than elements and levels are allowed. */
function isSmall({ length }: string, bounds: JsonBounds | null): boolean {
  return length <= depthMax && (bounds === null || length <= bounds.elementsMax);
}

class Scan {
  readonly #text: string;
  readonly #bounds: JsonBounds | null;
  /** By depth: elements of a list so far, or fields of an object. */
  readonly #counts: number[] = [];
  readonly #isList: boolean[] = [];
  /** The string that ended last; before a colon it is a key. */
  #last: readonly [number, number] = [0, 0];
  /** The key of the document's current field. */
  #key: readonly [number, number] = [0, 0];

  constructor(text: string, bounds: JsonBounds | null) {
    this.#text = text;
    this.#bounds = bounds;
  }

  run(): void {
    const text = this.#text;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === quote) {
        const end = stringEnd(text, at);
        this.#last = [at, end];
        this.#element();
        at = end - 1;
      } else if (unit === openList || unit === openObject) {
        this.#element();
        this.#open(unit === openList);
      } else if (unit === closeList || unit === closeObject) {
        this.#counts.pop();
        this.#isList.pop();
      } else if (unit === colon) {
        if (this.#counts.length === 1) this.#key = this.#last;
        this.#count();
      }
    }
  }

  #open(isList: boolean): void {
    this.#counts.push(0);
    this.#isList.push(isList);
    if (this.#counts.length <= depthMax + 1) return;
    throw new StatusError('invalidArgument', `the body nests deeper than ${depthMax} levels`);
  }

  #element(): void {
    if (this.#isList.at(-1) === true) this.#count();
  }

  #count(): void {
    const depth = this.#counts.length;
    if (depth === 0) return;
    const count = (this.#counts[depth - 1]! += 1);
    if (depth === 2 && this.#isList[1] === true) {
      if (this.#bounds !== null && count > this.#bounds.elementsMax) throw this.#tooMany();
    } else if (count > innerMax) {
      const what =
        this.#isList[depth - 1] === true ? 'a list of the body' : 'an object of the body';
      const message = `${what} has more than ${innerMax} parts, which is the limit`;
      throw new StatusError('invalidArgument', message);
    }
  }

  #tooMany(): StatusError {
    const { elementsMax, knob } = this.#bounds!;
    const param = this.#text.slice(this.#key[0] + 1, this.#key[1] - 1).slice(0, 64);
    return new StatusError(
      'invalidArgument',
      `${param}: has more than ${elementsMax} elements, which is the limit; send fewer at a time, ` +
        `or raise it with ${knob}`,
      { param },
    );
  }
}

/** Behind the closing quote of the string that starts at `start`; the end where none closes. */
function stringEnd(text: string, start: number): number {
  for (let from = start + 1; ;) {
    const end = text.indexOf('"', from);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
    from = end + 1;
  }
}
