/**
 * Byte-pair encoding: the symbols of a word are joined in pairs, lowest rank first, leftmost first
 * among equal ranks, until no pair is listed. What waits lies in a heap of numbers, so a word of n
 * characters takes n log n, however long it is. A word falls into parts where no pair can be
 * joined; the parts are taken one by one, and short ones are remembered.
 *
 * A character that is no entry is spelled out in bytes where the vocabulary has them, is the
 * unknown token, or is dropped where there is none.
 */
import { byteIds } from './piece-model.js';
import type { PieceModel } from './piece-model.js';
import { NumberHeap } from './number-heap.js';
import { characterUnits } from './piece-trie.js';

export interface BytePairSettings {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly merges: readonly (readonly [string, string])[];
  readonly unknown: string | null;
  readonly fuseUnknown: boolean;
  readonly byteFallback: boolean;
  /** Whole words that are entries are taken as they are. */
  readonly ignoreMerges: boolean;
  /** Before every symbol but a word's first, and after its last. */
  readonly prefix: string;
  readonly suffix: string;
  /** Entries that stand for no text. */
  readonly control: ReadonlySet<string>;
}

interface Join {
  readonly rank: number;
  readonly id: number;
}

const partsMax = 16_384;
const partUnitsMax = 64;
/** Position and rank share one number in the heap: 2^26 symbols a word, 2^26 merges. */
const positionsMax = 2 ** 26;

export class BytePairs implements PieceModel {
  readonly #settings: BytePairSettings;
  readonly #joins = new Map<number, Map<number, Join>>();
  readonly #unknown: number | undefined;
  readonly #bytes: readonly number[] | null;
  readonly #known = new Map<string, readonly number[]>();
  /** Two characters each: what may stand on the sides of a joint. */
  readonly #crossings = new Set<string>();

  constructor(settings: BytePairSettings) {
    const { vocabulary, merges, unknown, byteFallback, prefix } = settings;
    this.#settings = settings;
    this.#unknown = unknown === null ? undefined : vocabulary.get(unknown);
    this.#bytes = byteFallback ? byteIds(vocabulary) : null;
    merges.forEach(([left, right], rank) => {
      const from = vocabulary.get(left);
      const to = vocabulary.get(right);
      const id = vocabulary.get(left + right.slice(prefix.length));
      if (from === undefined || to === undefined || id === undefined) return;
      this.#crossings.add(lastCharacter(left) + firstCharacter(right));
      let row = this.#joins.get(from);
      if (row === undefined) this.#joins.set(from, (row = new Map()));
      if (!row.has(to)) row.set(to, { rank, id });
    });
  }

  encode(word: string, ids: number[], limit: number): void {
    const { ignoreMerges, vocabulary, control } = this.#settings;
    const whole = ignoreMerges && !control.has(word) ? vocabulary.get(word) : undefined;
    if (whole !== undefined) return void ids.push(whole);
    for (const part of this.#parts(word)) {
      if (ids.length >= limit) return;
      for (const token of this.#tokens(part)) ids.push(token);
    }
  }

  #tokens(part: string): readonly number[] {
    if (part.length > partUnitsMax) return this.#join(this.#symbols(part));
    let tokens = this.#known.get(part);
    if (tokens === undefined) {
      tokens = this.#join(this.#symbols(part));
      if (this.#known.size >= partsMax) this.#known.clear();
      this.#known.set(part, tokens);
    }
    return tokens;
  }

  /**
   * Cuts where no pair can ever be joined: none ends its left side with the one character and
   * starts its right side with the other. Beside characters that are no entries nothing is cut.
   */
  *#parts(word: string): Generator<string> {
    const { vocabulary, prefix, suffix } = this.#settings;
    if (prefix !== '' || suffix !== '' || this.#known.has(word)) return yield word;
    let start = 0;
    let left = '';
    for (let at = 0; at < word.length;) {
      const next = at + characterUnits(word, at);
      const character = word.slice(at, next);
      const right = vocabulary.has(character) ? character : '';
      if (left !== '' && right !== '' && !this.#crossings.has(left + right)) {
        yield word.slice(start, at);
        start = at;
      }
      left = right;
      at = next;
    }
    yield word.slice(start);
  }

  #symbols(word: string): number[] {
    const { vocabulary, prefix, suffix, fuseUnknown } = this.#settings;
    const symbols: number[] = [];
    let wasUnknown = false;
    let units = 0;
    for (const character of word) {
      const head = units === 0 ? '' : prefix;
      units += character.length;
      const tail = units === word.length ? suffix : '';
      const id = vocabulary.get(head + character + tail);
      if (id !== undefined) {
        symbols.push(id);
      } else if (this.#bytes !== null) {
        for (const byte of new TextEncoder().encode(character)) symbols.push(this.#bytes[byte]!);
      } else if (this.#unknown !== undefined && !(fuseUnknown && wasUnknown)) {
        symbols.push(this.#unknown);
      }
      wasUnknown = id === undefined && this.#bytes === null;
    }
    return symbols;
  }

  #join(symbols: number[]): readonly number[] {
    const count = symbols.length;
    const after = Int32Array.from({ length: count }, (_, at) => at + 1);
    const before = Int32Array.from({ length: count }, (_, at) => at - 1);
    const heap = new NumberHeap();
    const offer = (at: number): void => {
      const next = at < 0 ? count : after[at]!;
      const join = next < count ? this.#joins.get(symbols[at]!)?.get(symbols[next]!) : undefined;
      if (join !== undefined) heap.push(join.rank * positionsMax + at);
    };
    for (let at = 0; at < count - 1; at += 1) offer(at);
    for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
      const at = top % positionsMax;
      const next = after[at]!;
      if (symbols[at] === gone || next >= count) continue;
      const join = this.#joins.get(symbols[at]!)?.get(symbols[next]!);
      // The pair that waited here is no more: one of its symbols became part of another.
      if (join === undefined || join.rank !== Math.floor(top / positionsMax)) continue;
      symbols[at] = join.id;
      symbols[next] = gone;
      after[at] = after[next]!;
      if (after[at]! < count) before[after[at]!] = at;
      offer(before[at]!);
      offer(at);
    }
    return symbols.filter((symbol) => symbol !== gone);
  }
}

const gone = -1;

const firstCharacter = (text: string): string => text.slice(0, characterUnits(text, 0));

function lastCharacter(text: string): string {
  const units = text.length > 1 && characterUnits(text, text.length - 2) === 2 ? 2 : 1;
  return text.slice(-units);
}
