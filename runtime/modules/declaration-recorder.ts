/**
 * What one call of `prepare` or `prepare_batch` declared, in order. Ordinals go on after the stages
 * and sources that exist already; those cannot be changed any more. Every error names the stage
 * and, where there is one, the key.
 */
import { StatusError } from '../base/errors.js';
import { SourceDeclarations } from './declared-sources.js';
import type { OpenSources } from './declared-sources.js';
import { ParameterDeclarations } from './parameter-declarations.js';
import type { ParameterDeclaration } from './parameter-declarations.js';
import type { SymbolValue } from './signature-table.js';

/** A loader fills bank fields; policies name it, `prepare` never declares one. */
export type StageKind = 'command' | 'direct' | 'loader';

/** A stage as declared: plain data, structured-clone safe, the input of its specialization key. */
export interface StageDeclaration {
  readonly kind: StageKind;
  readonly symbol: SymbolValue;
  readonly tag: bigint;
  /** Keys and values in the textual syntax of configuration, in order of binding. */
  readonly config: readonly (readonly [key: string, value: string])[];
  /** Most workspace that the compiled stage may need; null when the package set none. */
  readonly workspaceLimitBytes: number | null;
  /** What fills its banks, by binding and input; bindings that are not there were not declared. */
  readonly parameters: readonly ParameterDeclaration[];
}

/** Stages that one generation, or one invocation, may declare. */
export const stagesMax = 256;

interface Draft {
  readonly kind: StageKind;
  readonly symbol: SymbolValue;
  readonly tag: bigint;
  readonly config: Map<string, string>;
  readonly parameters: ParameterDeclarations;
  workspaceLimitBytes: number | null;
}

export class DeclarationRecorder {
  readonly sources: SourceDeclarations;
  readonly #firstOrdinal: number;
  readonly #drafts: Draft[] = [];
  #forecast: SymbolValue | null = null;

  /** Ordinals go on after these. With an opener, files are opened as they are declared. */
  constructor(firstOrdinal = 0, firstSource = 0, opener: OpenSources | null = null) {
    this.#firstOrdinal = firstOrdinal;
    this.sources = new SourceDeclarations(firstSource, opener);
  }

  get stages(): readonly StageDeclaration[] {
    return this.#drafts.map((draft) => ({
      ...draft,
      config: [...draft.config],
      parameters: draft.parameters.list,
    }));
  }

  /** The control entry for memory estimates; null when none was named. */
  get memoryForecast(): SymbolValue | null {
    return this.#forecast;
  }

  /** The ordinal of the new stage. */
  declare(kind: StageKind, symbol: SymbolValue, tag: bigint): bigint {
    if (this.#drafts.length >= stagesMax) {
      throw new StatusError(
        'resourceExhausted',
        `more than ${stagesMax} stages declared; ${symbol.name} is one too many`,
      );
    }
    const ordinal = this.#firstOrdinal + this.#drafts.length;
    this.#drafts.push({
      kind,
      symbol: { name: symbol.name, args: [...symbol.args] },
      tag,
      config: new Map(),
      parameters: new ParameterDeclarations(`stage ${ordinal} (${symbol.name})`),
      workspaceLimitBytes: null,
    });
    return BigInt(ordinal);
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

  bindParameter(
    stage: bigint,
    place: { readonly binding: bigint; readonly input: bigint },
    source: bigint,
    policy: SymbolValue,
  ): void {
    const what = `parameter (binding ${place.binding}, input ${place.input})`;
    const draft = this.#draft(stage, what);
    const { symbol, kind } = draft;
    const name = `${what} of stage ${stage} (${symbol.name})`;
    if (kind !== 'command') {
      throw new StatusError(
        'invalidArgument',
        `${name}: a single kernel binds no banks; declare a command program with prepare.stage`,
      );
    }
    draft.parameters.add(place, this.sources.resolve(source, name), policy);
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

  forecastMemory(symbol: SymbolValue): void {
    if (this.#forecast !== null) {
      throw new StatusError(
        'alreadyExists',
        `memory_forecast is ${this.#forecast.name} already; ${symbol.name} is one too many`,
      );
    }
    this.#forecast = { name: symbol.name, args: [...symbol.args] };
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
