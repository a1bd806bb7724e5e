/**
 * What a row holds, as others see it and as the store keeps it. Positions below `done` have been
 * computed: their pages are `pages`, and where states are kept the state is the one behind them.
 */
import type { PrefixNode } from './prefix-tree.js';

export interface Row {
  readonly ordinal: number;
  /** Which place among the states; -1 where none are kept. */
  readonly state: number;
  /** What the row's contents depend on besides its ids; only rows of one kind share. */
  readonly kind: string;
  /** All that it shall hold, proposals included. */
  readonly ids: readonly number[];
  /** Tokens that are computed. */
  readonly done: number;
  /** From position 0 on; may reach beyond `done`. */
  readonly pages: readonly number[];
  /** Of `done`, what came out of shared pages when the row began. */
  readonly cached: number;
  /** How many of the last ids are proposals. */
  readonly drafts: number;
  readonly isOpen: boolean;
  /** A submission with a span of it is in flight. */
  readonly isInFlight: boolean;
  /** What is computed came from outside. */
  readonly isForeign: boolean;
}

/** A point that a row can go back to. */
export interface Checkpoint {
  readonly ids: readonly number[];
  readonly done: number;
  readonly isOpen: boolean;
  readonly isForeign: boolean;
}

/** What a row and a checkpoint refer to alike. */
export interface Contents {
  readonly ids: readonly number[];
  readonly done: number;
  readonly pages: readonly number[];
  /** Of the pages in front, those that are published: a path of the prefix tree. */
  readonly path: readonly PrefixNode[];
  /** They came from outside: what is computed on them is not published. */
  readonly isForeign: boolean;
}

/** The row of the store: nobody else writes to it. */
export class RetainedRow implements Row, Contents {
  readonly ordinal: number;
  readonly state: number;
  readonly kind: string;
  ids: number[] = [];
  done = 0;
  pages: number[] = [];
  cached = 0;
  drafts = 0;
  isOpen = true;
  path: PrefixNode[] = [];
  /** Tokens after `done` that have pages and may be computed next. */
  reserved = 0;
  /** The state is the one behind `done` tokens; false only where `done` is 0. */
  hasState = false;
  isForeign = false;
  /** Of its first tokens, those that it may take from others. */
  sharedMax = Infinity;
  /** Where its text leaves what others hold, in tokens: worth a snapshot. 0: unknown. */
  branch = 0;
  /** The submission that has a span of it. */
  hold: number | null = null;

  constructor(ordinal: number, state: number, kind: string) {
    this.ordinal = ordinal;
    this.state = state;
    this.kind = kind;
  }

  get isInFlight(): boolean {
    return this.hold !== null;
  }
}
