/**
 * The banks of stages against what was declared for them: every declared binding is a bank of the
 * stage, the inputs of a binding are dense from zero. Errors name stage, binding and input.
 */
import { StatusError } from '../base/errors.js';
import type { Catalog } from '../loom/elaborate/catalog.js';
import type { Configuration } from '../loom/elaborate/configuration.js';
import { elaborateBanks } from '../loom/elaborate/elaborate.js';
import type { BankInfo } from '../loom/typed.js';
import type { SymbolValue } from '../modules/signature-table.js';
import type { StageDeclaration } from './artefacts.js';
import { programOf } from './link-host.js';
import { named } from './stage-configuration.js';

/** What is declared for one bank of a stage: checkpoints by input, and the policy. */
export interface BankBinding {
  readonly policy: SymbolValue;
  /** Source ordinal of each input. */
  readonly sources: readonly number[];
}

export interface StageBank {
  readonly bank: BankInfo;
  /** Null where nothing is declared. */
  readonly binding: BankBinding | null;
}

/** The banks of a stage in binding order. */
export function stageBanks(
  catalog: Catalog,
  declaration: StageDeclaration,
  configuration: Configuration,
): readonly StageBank[] {
  return named(declaration, () => {
    const banks = banksOf(catalog, declaration, configuration);
    const { parameters } = declaration;
    const stray = parameters.find((row) => row.binding >= banks.length);
    if (stray !== undefined) {
      const known = banks.length === 0 ? 'it has no banks' : `its banks are ${listText(banks)}`;
      throw new StatusError(
        'invalidArgument',
        `binding ${stray.binding}, input ${stray.input}: there is no such bank; ${known}`,
      );
    }
    return banks.map((bank, index) => ({ bank, binding: declaredBinding(declaration, index) }));
  });
}

function banksOf(
  catalog: Catalog,
  { kind, symbol }: StageDeclaration,
  configuration: Configuration,
): readonly BankInfo[] {
  if (kind !== 'command') return [];
  return programOf(catalog, elaborateBanks(catalog, symbol, configuration));
}

/** What a stage declares for one of its banks; null for nothing. */
export function declaredBinding(
  { parameters }: StageDeclaration,
  binding: number,
): BankBinding | null {
  // Rows come by input, without doubles, and with one policy.
  const rows = parameters.filter((row) => row.binding === binding);
  const [first] = rows;
  if (first === undefined) return null;
  rows.forEach(({ input }, index) => {
    if (input === index) return;
    throw new StatusError(
      'invalidArgument',
      `binding ${binding}, input ${index} is not declared, but input ${input} is: inputs count from 0`,
    );
  });
  return { policy: first.policy, sources: rows.map((row) => row.source) };
}

const listText = (banks: readonly BankInfo[]): string =>
  banks.map((bank, index) => `${index} (${bank.name})`).join(', ');
