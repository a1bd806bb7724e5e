/**
 * What readers of simulated streams do with what is said: take it at once, hold it for a while and
 * then take all, or hold it for ever. Keeps what was said, and the most that was ever held.
 */
import type { StreamReaders } from '../../actors/system/text-streams.js';
import type { TextDelta } from '../../http/text-serving.js';
import type { Reading } from './text-plan.js';

const LATE_MS = 25;

export interface Said {
  readonly reading: Reading;
  readonly tokens: number[];
  /** Deltas that are not taken yet. */
  held: (() => void)[];
  isOpen: boolean;
  isPatient: boolean;
}

export class TextStreams implements StreamReaders {
  readonly #later: (delayMs: number, act: () => void) => void;
  readonly #said = new Map<number, Said>();
  heldMost = 0;

  constructor(later: (delayMs: number, act: () => void) => void) {
    this.#later = later;
  }

  open(reading: Reading): number {
    const stream = this.#said.size + 1;
    const isPatient = reading === 'prompt';
    this.#said.set(stream, { reading, tokens: [], held: [], isOpen: true, isPatient });
    return stream;
  }

  close(stream: number): void {
    this.#said.get(stream)!.isOpen = false;
  }

  said(stream: number): Said {
    return this.#said.get(stream)!;
  }

  give(stream: number, delta: TextDelta, taken: () => void): boolean {
    const said = this.#said.get(stream)!;
    said.tokens.push(...delta.tokens.map(({ id }) => id));
    if (!said.isOpen || said.isPatient) return true;
    if (said.held.length === 0 && said.reading === 'late') {
      this.#later(LATE_MS, () => {
        said.isPatient = true;
        for (const take of said.held.splice(0)) take();
      });
    }
    said.held.push(taken);
    this.heldMost = Math.max(this.heldMost, said.held.length);
    return false;
  }
}
