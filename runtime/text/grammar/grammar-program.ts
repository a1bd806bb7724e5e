/**
 * A grammar as the automaton runs it: a graph of nodes over bytes in which rules call each other.
 * Immutable. Node 0 ends a rule; every other node leads on. Who writes one goes through
 * `ProgramBuilder`; nothing here knows JSON.
 */

/** Bytes from `low` to `high`, and the node after them. */
export interface ByteRange {
  readonly low: number;
  readonly high: number;
  readonly next: number;
}

export type GrammarNode =
  | { readonly kind: 'end' }
  /** One byte; ranges may overlap, and then several readings go on. */
  | { readonly kind: 'bytes'; readonly ranges: readonly ByteRange[] }
  /** Any of the targets, without a byte; none: nothing fits here. */
  | { readonly kind: 'split'; readonly targets: readonly number[] }
  /** A rule, then `next`. */
  | { readonly kind: 'call'; readonly entry: number; readonly next: number }
  /** A rule `min` to `max` times, then `next`. */
  | {
      readonly kind: 'repeat';
      readonly entry: number;
      readonly min: number;
      readonly max: number;
      readonly next: number;
    };

export const END = 0;

/**
 * Rules that may be open at once. One level of nesting in a JSON text opens one, a string or a
 * number one more.
 */
export const framesMax = 100;

export interface GrammarProgram {
  /** The same for grammars that are the same. */
  readonly key: string;
  /** The field of a request that asks for it. */
  readonly asker: string;
  readonly nodes: readonly GrammarNode[];
  readonly start: number;
  /** By node: rules that must be opened to come from it to its rule's end; Infinity: none can. */
  readonly levels: Float64Array;
}
