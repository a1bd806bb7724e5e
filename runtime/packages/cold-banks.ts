/**
 * The cold banks of a generation as later stages find them: a stage that an invocation declares
 * without parameters keeps the cold layout. Pure; any thread may ask.
 */
import { StatusError } from '../base/errors.js';
import type { BankInfo } from '../loom/typed.js';
import type { StageDeclaration } from './artefacts.js';
import { fieldDifference } from './parameter-domains.js';
import { symbolText } from './stage-configuration.js';

/** The cold stages of a generation and what they bind. */
export interface ColdStages {
  readonly stages: readonly {
    readonly declaration: StageDeclaration;
    readonly reflection: { readonly banks: readonly BankInfo[] };
  }[];
  /** For each stage, for each of its bindings: an index among the generation's banks. */
  readonly stageBanks: readonly (readonly number[])[];
}

interface Candidate {
  readonly bank: number;
  readonly stage: StageDeclaration;
  readonly binding: number;
  readonly info: BankInfo;
}

/** Every bank of every cold stage, in order. */
export function coldBanks({ stages, stageBanks }: ColdStages): readonly Candidate[] {
  return stages.flatMap(({ declaration: stage, reflection }, ordinal) =>
    reflection.banks.map((info, binding) => {
      return { bank: stageBanks[ordinal]![binding]!, stage, binding, info };
    }),
  );
}

/**
 * The cold bank that binding `binding` of a later stage takes: the one of a stage with the same
 * root and equal fields, else the only one with equal fields. Several or none are an error.
 */
export function coldBankOf(
  cold: ColdStages,
  declaration: StageDeclaration,
  { info, binding }: { readonly info: BankInfo; readonly binding: number },
): number {
  const equal = coldBanks(cold).filter((each) => fieldDifference(each.info, info) === null);
  const root = symbolText(declaration);
  const same = equal.filter((each) => each.binding === binding && symbolText(each.stage) === root);
  const found = [...new Set((same.length > 0 ? same : equal).map((each) => each.bank))];
  const [bank, second] = found;
  if (bank !== undefined && second === undefined) return bank;
  const why =
    bank === undefined
      ? 'no cold bank has its fields'
      : `${found.length} cold banks have its fields`;
  throw new StatusError(
    'invalidArgument',
    `stage ${root}: binding ${binding} (${info.name}) declares no parameters, and ${why}; declare them with prepare.parameter`,
  );
}
