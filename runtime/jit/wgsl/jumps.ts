/**
 * Jumps out of loops and labelled blocks. WGSL leaves the innermost loop or switch only, so a label
 * is a switch of one case, and a jump over several sets a flag that each of them passes on.
 */
import { assert } from '../../base/errors.js';
import type { WgslWriter } from './wgsl-writer.js';

interface Construct {
  readonly label: number | 'loop';
  readonly flag: string;
  readonly start: { insert(text: string): void };
  /** Somebody inside sets the flag. */
  used: boolean;
  /** Constructs around this one that jumps inside of it lead to. */
  readonly passes: Set<Construct>;
}

export class Jumps {
  readonly #code: WgslWriter;
  readonly #open: Construct[] = [];

  constructor(code: WgslWriter) {
    this.#code = code;
  }

  /** Writes a construct around `body`; a jump to it leaves it. */
  around(label: number | 'loop', head: string, body: () => void): void {
    const code = this.#code;
    const flag = code.fresh('leave');
    const construct = {
      label,
      flag,
      start: code.mark(),
      used: false,
      passes: new Set<Construct>(),
    };
    this.#open.push(construct);
    code.open(head);
    if (label !== 'loop') code.open('default:');
    body();
    if (label !== 'loop') code.close();
    code.close();
    this.#open.pop();
    for (const outer of construct.passes) code.line(`if (${outer.flag}) { break; }`);
    if (construct.used) construct.start.insert(`var ${construct.flag} = false;`);
  }

  /** To the end of a labelled block, or out of the innermost loop. */
  leave(label: number | 'loop'): void {
    const at = this.#open.findLastIndex((construct) => construct.label === label);
    assert(at >= 0, 'a jump to stand inside of where it leads');
    const target = this.#open[at]!;
    if (at < this.#open.length - 1) {
      target.used = true;
      for (const inner of this.#open.slice(at + 1)) inner.passes.add(target);
      this.#code.line(`${target.flag} = true;`);
    }
    this.#code.line('break;');
  }
}
