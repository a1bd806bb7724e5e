/**
 * Unigram: of all ways to cut a word into pieces, the one with the largest sum of scores; of equal
 * sums, the one whose last piece starts first, and so on backwards.
 *
 * The search goes over the word once. Wherever no piece reaches across a position, what lies before
 * it is decided: it is emitted, and the search starts afresh, which also bounds its memory. A
 * character that is no piece costs ten less than the worst piece; a run of them is one unknown
 * token, or their bytes where the vocabulary has all of them.
 */
import { byteIds, unknownText } from './piece-model.js';
import type { PieceModel } from './piece-model.js';
import { characterUnits, PieceTrie } from './piece-trie.js';

export interface UnigramSettings {
  readonly rows: readonly (readonly [piece: string, score: number])[];
  /** Null: text that is no piece is an error. */
  readonly unknown: number | null;
  readonly byteFallback: boolean;
  /** Pieces that stand for no text. */
  readonly control: ReadonlySet<string>;
}

export class Unigram implements PieceModel {
  readonly #trie = new PieceTrie();
  readonly #unknown: number | null;
  readonly #unknownScore: number;
  readonly #bytes: readonly number[] | null;
  /** Sums at the next positions, by position modulo a power of two above the longest piece. */
  readonly #sums: Float64Array;
  /** By position from the start of the open part: the last piece of the best way, and its units. */
  #ids = new Int32Array(256);
  #units = new Uint16Array(256);

  constructor({ rows, unknown, byteFallback, control }: UnigramSettings) {
    let worst = Infinity;
    rows.forEach(([piece, score], id) => {
      if (piece === '' || id === unknown || control.has(piece)) return;
      this.#trie.add(piece, id, score);
      worst = Math.min(worst, score);
    });
    this.#unknown = unknown;
    this.#unknownScore = (worst === Infinity ? 0 : worst) - 10;
    const vocabulary = new Map(rows.map(([piece], id) => [piece, id]));
    this.#bytes = byteFallback ? byteIds(vocabulary) : null;
    const window = 2 ** Math.ceil(Math.log2(Math.max(this.#trie.longest, 2) + 2));
    this.#sums = new Float64Array(window);
  }

  encode(word: string, ids: number[], limit: number): void {
    const run = { word, ids, wasUnknown: false };
    let start = 0;
    let reach = 0;
    this.#sums.fill(-Infinity);
    this.#sums[0] = 0;
    for (let at = 0; at < word.length; at += characterUnits(word, at)) {
      if (at === reach && at > start) {
        this.#emit(run, start, at);
        if (ids.length >= limit) return;
        start = at;
        this.#sums[at % this.#sums.length] = 0;
      }
      reach = Math.max(reach, this.#extend(word, start, at));
    }
    this.#emit(run, start, word.length);
  }

  /** Tries every piece at a position; returns the furthest end. */
  #extend(word: string, start: number, at: number): number {
    const sums = this.#sums;
    const mask = sums.length - 1;
    const sum = sums[at & mask]!;
    sums[at & mask] = -Infinity;
    const single = characterUnits(word, at);
    let node = this.#trie.root;
    let reach = at + single;
    let hasSingle = false;
    for (let end = at + 1; end <= word.length; end += 1) {
      const next = node.next.get(word.charCodeAt(end - 1));
      if (next === undefined) break;
      node = next;
      if (node.id < 0) continue;
      if (end === at + single) hasSingle = true;
      this.#offer({ start, at, end, sum: sum + node.score, id: node.id });
      if (end > reach) reach = end;
    }
    if (!hasSingle) {
      this.#offer({ start, at, end: at + single, sum: sum + this.#unknownScore, id: -1 });
    }
    return reach;
  }

  #offer(way: {
    readonly start: number;
    readonly at: number;
    readonly end: number;
    readonly sum: number;
    readonly id: number;
  }): void {
    const { start, at, end, sum, id } = way;
    const slot = end & (this.#sums.length - 1);
    if (!(sum > this.#sums[slot]!)) return;
    this.#sums[slot] = sum;
    const index = end - start;
    if (index >= this.#ids.length) this.#grow(index);
    this.#ids[index] = id;
    this.#units[index] = end - at;
  }

  #grow(index: number): void {
    const length = 2 ** Math.ceil(Math.log2(index + 1));
    const ids = new Int32Array(length);
    const units = new Uint16Array(length);
    ids.set(this.#ids);
    units.set(this.#units);
    this.#ids = ids;
    this.#units = units;
  }

  /** Walks the best way of a decided part backwards and appends it forwards. */
  #emit(
    run: { readonly word: string; readonly ids: number[]; wasUnknown: boolean },
    start: number,
    end: number,
  ): void {
    const ends: number[] = [];
    for (let at = end; at > start; at -= this.#units[at - start]!) ends.push(at);
    for (let index = ends.length - 1; index >= 0; index -= 1) {
      const at = ends[index]!;
      const id = this.#ids[at - start]!;
      if (id >= 0) run.ids.push(id);
      else this.#emitUnknown(run, run.word.slice(at - this.#units[at - start]!, at));
      run.wasUnknown = id < 0;
    }
  }

  #emitUnknown(
    run: { readonly word: string; readonly ids: number[]; readonly wasUnknown: boolean },
    character: string,
  ): void {
    if (this.#bytes !== null) {
      for (const byte of new TextEncoder().encode(character)) run.ids.push(this.#bytes[byte]!);
    } else if (this.#unknown === null) {
      throw unknownText(run.word);
    } else if (!run.wasUnknown) {
      run.ids.push(this.#unknown);
    }
  }
}
