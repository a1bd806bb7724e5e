/**
 * What a profile (an execution contract) must say of itself, so that registration can check a
 * package without knowing which contract it is: the entries that each program must export, with
 * exact signatures in Loom's own spelling. Record layouts and their validation live in the
 * profile's file. A later profile adds one file here and one line in the table of profiles.
 */

/** Which of the package's two host programs exports an entry. */
export type ProgramRole = 'prepare' | 'control';

export interface EntrySignature {
  readonly program: ProgramRole;
  readonly name: string;
  /** Types as the language spells them: 'i64', 'buffer', 'hal.buffer', … */
  readonly params: readonly string[];
  readonly results: readonly string[];
}

export interface Profile {
  readonly name: string;
  /** The HTTP route that asks it, for errors of callers who took another one. */
  readonly route: string;
  readonly entries: readonly EntrySignature[];
  /** Entries that a package may do without; where there is one, it has this signature. */
  readonly optional?: readonly EntrySignature[];
  /** Which of the two kinds of machinery serves it: cohorts, or epochs over retained rows. */
  readonly contract: 'finite' | 'text';
  /** Request fields beyond the input that a package may declare in `accepts`. */
  readonly acceptable: readonly string[];
  /** Why a member's row of finite f32 breaks the contract, or null; absent: none does. */
  readonly rowProblem?: (row: Uint8Array) => string | null;
}

/** `prepare_batch(ref, buffer) -> (i64, buffer)`: how errors and reports show a signature. */
export function signatureText(signature: Omit<EntrySignature, 'program'>): string {
  const results = signature.results;
  const tail =
    results.length === 0
      ? ''
      : results.length === 1
        ? ` -> ${results[0]!}`
        : ` -> (${results.join(', ')})`;
  return `${signature.name}(${signature.params.join(', ')})${tail}`;
}
