/**
 * The parameter bindings of one stage as they are declared: which checkpoint is which input of
 * which policy. Every error names stage, binding and input. Whether a binding is a bank of the
 * stage is checked when the stage's banks are known; what one call can tell is told at the call.
 */
import { StatusError } from '../base/errors.js';
import type { SymbolValue } from './signature-table.js';

/** Plain data, structured-clone safe. */
export interface ParameterDeclaration {
  /** Ordinal among the `param` parameters of the command program. */
  readonly binding: number;
  /** Ordinal inside the policy, dense from zero. */
  readonly input: number;
  /** Source ordinal of the generation. */
  readonly source: number;
  readonly policy: SymbolValue;
}

/** Banks that a command program may bind and inputs that one policy may combine. */
export const bindingsMax = 64;
export const inputsMax = 64;

export class ParameterDeclarations {
  readonly #stage: string;
  readonly #rows: ParameterDeclaration[] = [];

  /** `stage` names it in messages: `stage 0 (a.forward)`. */
  constructor(stage: string) {
    this.#stage = stage;
  }

  /** By binding, then input. */
  get list(): readonly ParameterDeclaration[] {
    return this.#rows.toSorted(
      (left, right) => left.binding - right.binding || left.input - right.input,
    );
  }

  add(place: { binding: bigint; input: bigint }, source: number, policy: SymbolValue): void {
    const binding = this.#within(place, place.binding, { what: 'bindings', max: bindingsMax });
    const input = this.#within(place, place.input, { what: 'inputs', max: inputsMax });
    for (const row of this.#rows) {
      if (row.binding !== binding) continue;
      if (row.input === input) {
        throw this.#fault(place, `bound twice: to source ${row.source} and to ${source}`);
      }
      if (policyText(row.policy) !== policyText(policy)) {
        throw this.#fault(
          place,
          `policy ${policyText(policy)}, but input ${row.input} has ${policyText(row.policy)}: all inputs of a binding have one policy`,
        );
      }
    }
    const copied = { name: policy.name, args: [...policy.args] };
    this.#rows.push({ binding, input, source, policy: copied });
  }

  #within(
    place: { binding: bigint; input: bigint },
    value: bigint,
    { what, max }: { what: string; max: number },
  ): number {
    if (value >= 0n && value < BigInt(max)) return Number(value);
    throw this.#fault(place, `${what} are 0 to ${max - 1}`);
  }

  #fault({ binding, input }: { binding: bigint; input: bigint }, what: string): StatusError {
    return new StatusError(
      'invalidArgument',
      `parameter of ${this.#stage}, binding ${binding}, input ${input}: ${what}`,
    );
  }
}

/** `a.pack<4>`, as messages and identities have it. */
export const policyText = ({ name, args }: SymbolValue): string =>
  args.length === 0 ? `@${name}` : `@${name}<${args.join(', ')}>`;
