/**
 * What one call of `prepare` or `prepare_batch` declared, in order. Ordinals go on after
 * `firstOrdinal` stages that exist already; those cannot be changed any more. Every error names the
 * stage and, where there is one, the key.
 */
import { StatusError } from '../base/errors.js';
import type { SymbolValue } from './signature-table.js';

export type StageKind = 'command' | 'direct';

/** A stage as declared: plain data, structured-clone safe, the input of its specialization key. */
export interface StageDeclaration {
  readonly kind: StageKind;
  readonly symbol: SymbolValue;
  readonly tag: bigint;
  /** Keys and values in the textual syntax of configuration, in order of binding. */
  readonly config: readonly (readonly [key: string, value: string])[];
  /** Most workspace that the compiled stage may need; null when the package set none. */
  readonly workspaceLimitBytes: number | null;
}

/** Stages that one generation, or one invocation, may declare. */
export const stagesMax = 256;

interface Draft {
  readonly kind: StageKind;
  readonly symbol: SymbolValue;
  readonly tag: bigint;
  readonly config: Map<string, string>;
  workspaceLimitBytes: number | null;
}

export class DeclarationRecorder {
  readonly #firstOrdinal: number;
  readonly #drafts: Draft[] = [];

  constructor(firstOrdinal = 0) {
    this.#firstOrdinal = firstOrdinal;
  }

  get stages(): readonly StageDeclaration[] {
    return this.#drafts.map((draft) => ({ ...draft, config: [...draft.config] }));
  }

  /** The ordinal of the new stage. */
  declare(kind: StageKind, symbol: SymbolValue, tag: bigint): bigint {
    if (this.#drafts.length >= stagesMax) {
      throw new StatusError(
        'resourceExhausted',
        `more than ${stagesMax} stages declared; ${symbol.name} is one too many`,
      );
    }
    this.#drafts.push({
      kind,
      symbol: { name: symbol.name, args: [...symbol.args] },
      tag,
      config: new Map(),
      workspaceLimitBytes: null,
    });
    return BigInt(this.#firstOrdinal + this.#drafts.length - 1);
  }

  bind(stage: bigint, key: string, value: string): void {
    const draft = this.#draft(stage, `config '${key}'`);
    const earlier = draft.config.get(key);
    if (earlier !== undefined) {
      throw new StatusError(
        'alreadyExists',
        `config '${key}' of stage ${stage} (${draft.symbol.name}) is bound twice: to ${earlier} and to ${value}`,
      );
    }
    draft.config.set(key, value);
  }

  limitWorkspace(stage: bigint, bytes: bigint): void {
    const draft = this.#draft(stage, 'workspace_limit');
    if (bytes < 0n || bytes > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new StatusError(
        'invalidArgument',
        `workspace_limit of stage ${stage} (${draft.symbol.name}) is ${bytes} bytes`,
      );
    }
    draft.workspaceLimitBytes = Number(bytes);
  }

  #draft(stage: bigint, what: string): Draft {
    const draft = this.#drafts[Number(stage) - this.#firstOrdinal];
    if (draft !== undefined) return draft;
    const isCold = stage >= 0n && stage < BigInt(this.#firstOrdinal);
    const why = isCold
      ? 'that stage is prepared already and cannot change'
      : `no such stage is declared (${this.#drafts.length} so far)`;
    throw new StatusError('invalidArgument', `${what} of stage ${stage}: ${why}`);
  }
}
