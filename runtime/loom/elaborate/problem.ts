/**
 * How elaboration fails inside one statement or declaration: a `Problem` is thrown, recorded by the
 * nearest statement or declaration, and elaboration goes on with the next one. `Poisoned` is thrown
 * where a value is used whose own definition already failed: nothing new is worth saying.
 */
import type { Diagnostic, Place } from '../diagnostics.js';
import type { At } from '../tree.js';

export interface ProblemOptions {
  readonly hint?: string;
  readonly related?: readonly Place[];
}

export class Problem extends Error {
  readonly file: string;
  readonly at: At;
  readonly options: ProblemOptions;

  constructor(place: { file: string; at: At }, message: string, options: ProblemOptions = {}) {
    super(message);
    this.name = 'Problem';
    this.file = place.file;
    this.at = place.at;
    this.options = options;
  }

  diagnostic(instances: readonly Place[]): Diagnostic {
    const { hint } = this.options;
    const related = [...(this.options.related ?? []), ...instances];
    return {
      file: this.file,
      at: this.at,
      message: this.message,
      ...(hint === undefined ? {} : { hint }),
      ...(related.length === 0 ? {} : { related }),
    };
  }
}

export class Poisoned extends Error {}
