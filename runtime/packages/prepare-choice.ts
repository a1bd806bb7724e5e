/**
 * What one invocation declared beyond the cold stages, resolved on a preparation thread: its own
 * checkpoints are opened and indexed, its own domains planned. Cold sources and banks stay as they
 * are; ordinals and indexes go on after them.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import type { DeclaredSource } from '../modules/declared-sources.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import type { HostLimits } from '../vm/host-vm.js';
import type { Bindings, PackageSource, StageDeclaration } from './artefacts.js';
import { coldBankOf, coldBanks } from './cold-banks.js';
import type { ColdStages } from './cold-banks.js';
import { parseSources } from './load-package.js';
import type { ModelDocument } from './model-document.js';
import { PackageCheckpoints } from './package-checkpoints.js';
import type { PackageFiles } from './package-files.js';
import { ParameterDomains } from './parameter-domains.js';
import { namedSource } from './parameter-plan.js';
import type { ParameterPlan } from './parameter-plan.js';
import { declaredBinding, stageBanks } from './stage-banks.js';
import type { StageBank } from './stage-banks.js';
import { checkRoot, named, stageConfiguration } from './stage-configuration.js';

/** Declarations of one `prepare_batch`: plain data, structured-clone safe. */
export interface Choice {
  readonly stages: readonly StageDeclaration[];
  /** Its own sources; their ordinals go on after the cold ones. */
  readonly sources: readonly DeclaredSource[];
}

/** A prepared generation as choices extend it. */
export interface ChoiceModel extends ColdStages {
  readonly document: ModelDocument;
  /** Program files of the package. */
  readonly sources: readonly PackageSource[];
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
  readonly limits: Partial<HostLimits>;
  /** What the cold checkpoints hold. */
  readonly indexes: readonly CheckpointIndex[];
}

/**
 * `sources`, `indexes`, `banks` and `loaders` are the choice's own; `stageBanks` has a row for each
 * stage of the choice and counts cold banks first, then own ones. Steps name sources likewise.
 */
export type ChoicePlan = ParameterPlan;

/** Whether a choice needs preparation: stages alone only have to be compiled. */
export const hasOwnParameters = ({ stages, sources }: Choice): boolean =>
  sources.length > 0 || stages.some((stage) => stage.parameters.length > 0);

export function prepareChoice(model: ChoiceModel, choice: Choice, files: PackageFiles): ChoicePlan {
  const checkpoints = new PackageCheckpoints(files, model.document.deployment.parameter_files);
  try {
    choice.sources.forEach((source, index) => {
      openSource(checkpoints, { source, own: index, ordinal: model.indexes.length + index });
    });
    const planned = planChoice(model, choice, checkpoints.indexes());
    return { ...planned, sources: checkpoints.handOver() };
  } finally {
    checkpoints.close();
  }
}

interface OpeningSource {
  readonly source: DeclaredSource;
  /** Among those of the choice, and among all of the generation. */
  readonly own: number;
  readonly ordinal: number;
}

function openSource(checkpoints: PackageCheckpoints, { source, own, ordinal }: OpeningSource) {
  try {
    source.files.forEach((file, shard) => {
      if (shard === 0) checkpoints.open(file);
      else checkpoints.append(own, file);
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, message, ...options } = error.status;
    throw new StatusError(code, `source ${ordinal}: ${message}`, options);
  }
}

function planChoice(
  model: ChoiceModel,
  choice: Choice,
  indexes: readonly CheckpointIndex[],
): Omit<ParameterPlan, 'sources'> {
  const { bindings, facts, limits } = model;
  const catalog = parseSources(model.sources);
  const sources = [...model.indexes, ...indexes].map(namedSource);
  const banks = model.stageBanks.flat();
  const domains = new ParameterDomains(
    { catalog, sources, limits },
    banks.reduce((count, bank) => Math.max(count, bank + 1), 0),
  );
  knowCold(domains, model);
  const bound = choice.stages.map((declaration) => {
    named(declaration, () => checkRoot(catalog, declaration));
    const configuration = stageConfiguration(catalog, { bindings, facts, declaration });
    const resolve = ({ bank: info, binding }: StageBank, index: number): number => {
      if (binding === null) return coldBankOf(model, declaration, { info, binding: index });
      return domains.bankOf({ declaration, configuration, info, binding });
    };
    return stageBanks(catalog, declaration, configuration).map(resolve);
  });
  return { indexes, banks: domains.plans, stageBanks: bound, loaders: domains.loaders };
}

/** Cold banks by what was declared for them, so that an equal declaration finds them again. */
function knowCold(domains: ParameterDomains, model: ChoiceModel): void {
  for (const { bank, info, stage, binding } of coldBanks(model)) {
    const declared = declaredBinding(stage, binding);
    if (declared !== null) domains.know(declared, { bank, info, stage });
  }
}
