/**
 * What a submission that failed leaves behind: the targets of its moves, the states of its rows,
 * and whatever later moves copy from those. A later move from something sound makes its target
 * sound again.
 */
import type { Move } from './moves.js';

export class Spoiled {
  readonly pages = new Set<number>();
  readonly states = new Set<number>();

  hasPage(pages: readonly number[]): boolean {
    return pages.some((page) => this.pages.has(page));
  }

  /** The submission failed: none of its moves can be relied on. */
  fail(moves: readonly Move[]): void {
    for (const move of moves) {
      if (move.kind === 'page') this.pages.add(move.to);
      else this.states.add(move.kind === 'state' ? move.to : move.state);
    }
  }

  /** Moves that run after what was spoiled. */
  follow(moves: readonly Move[]): void {
    for (const move of moves) {
      if (move.kind === 'clear') {
        this.states.delete(move.state);
        continue;
      }
      const places = move.kind === 'page' ? this.pages : this.states;
      if (places.has(move.from)) places.add(move.to);
      else places.delete(move.to);
    }
  }
}
