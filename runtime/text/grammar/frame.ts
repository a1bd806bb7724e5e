/** A rule that is open: where it was called, and how often a repeated one goes on. Immutable. */
export interface FrameFields {
  /** Unique in its automaton. */
  readonly id: number;
  /** The node that called. */
  readonly node: number;
  /** Repetitions that must follow this one, and that may. */
  readonly needed: number;
  readonly left: number;
  /** Null: the whole text. */
  readonly parent: Frame | null;
}

export class Frame {
  readonly id: number;
  readonly node: number;
  readonly needed: number;
  readonly left: number;
  readonly parent: Frame | null;
  /** Rules open around it. */
  readonly depth: number;

  constructor({ id, node, needed, left, parent }: FrameFields) {
    this.id = id;
    this.node = node;
    this.needed = needed;
    this.left = left;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
  }
}
