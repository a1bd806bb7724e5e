/**
 * Writes the nodes of a program, from the end of a text towards its start: every call says which
 * node comes next, and returns the node that it made. Rules that refer to each other are reserved
 * first and settled later.
 */
import { StatusError, assert } from '../../base/errors.js';
import { END } from './grammar-program.js';
import type { ByteRange, GrammarNode } from './grammar-program.js';

/** So many compile within tens of milliseconds, on the thread that runs everybody's turns. */
const nodesMax = 16_384;

/** How a program is written, and the field of a request that errors speak of. */
export interface WritingStyle {
  readonly param: string;
  /** White space has no line breaks. */
  readonly isOneLine: boolean;
}

/** White space after a line break. */
const indentMax = 32;

interface Repetition {
  readonly entry: number;
  readonly min: number;
  readonly max: number;
  readonly next: number;
}

export class ProgramBuilder {
  readonly #style: WritingStyle;
  readonly #nodes: GrammarNode[] = [{ kind: 'end' }];
  /** Fits nowhere. */
  readonly nothing = this.#add({ kind: 'split', targets: [] });
  readonly #indent = this.bytes([
    { low: 0x20, high: 0x20, next: END },
    { low: 0x09, high: 0x09, next: END },
  ]);

  constructor(style: WritingStyle) {
    this.#style = style;
  }

  get nodes(): readonly GrammarNode[] {
    return this.#nodes;
  }

  bytes(ranges: readonly ByteRange[]): number {
    return this.#add({ kind: 'bytes', ranges });
  }

  /** One byte of a few, given as ASCII. */
  oneOf(characters: string, next: number): number {
    return this.bytes(
      Array.from(characters, (character) => {
        const byte = character.charCodeAt(0);
        return { low: byte, high: byte, next };
      }),
    );
  }

  text(text: string, next: number): number {
    return new TextEncoder()
      .encode(text)
      .reduceRight((after, byte) => this.bytes([{ low: byte, high: byte, next: after }]), next);
  }

  split(targets: readonly number[]): number {
    return targets.length === 1 ? targets[0]! : this.#add({ kind: 'split', targets });
  }

  optional(target: number, next: number): number {
    return this.split([target, next]);
  }

  /** What comes last in a rule needs no way back. */
  call(entry: number, next: number): number {
    return next === END ? entry : this.#add({ kind: 'call', entry, next });
  }

  /** The rule must take a byte at least. */
  repeat(repetition: Repetition): number {
    return this.#add({ kind: 'repeat', ...repetition });
  }

  reserve(): number {
    return this.#add({ kind: 'split', targets: [] });
  }

  settle(reserved: number, target: number): void {
    assert(this.#nodes[reserved]?.kind === 'split', 'a reserved node');
    this.#nodes[reserved] = { kind: 'split', targets: [target] };
  }

  /** Nothing, one blank, or a line break with a bounded indentation. */
  space(next: number): number {
    if (this.#style.isOneLine) return this.optional(this.oneOf(' ', next), next);
    const indent = this.repeat({ entry: this.#indent, min: 0, max: indentMax, next });
    return this.split([next, this.oneOf(' ', next), this.oneOf('\n', indent)]);
  }

  /** Throws where so many more states cannot be had. */
  checkRoom(states: number): void {
    if (this.#nodes.length + states <= nodesMax) return;
    throw new StatusError(
      'invalidArgument',
      `the schema takes more than ${nodesMax} states; make it smaller, enumerations above all`,
      { param: this.#style.param },
    );
  }

  #add(node: GrammarNode): number {
    this.checkRoom(1);
    return this.#nodes.push(node) - 1;
  }
}
