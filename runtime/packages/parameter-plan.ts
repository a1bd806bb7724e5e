/**
 * The parameters of a package's cold stages: which checkpoints are open, which banks there are, and
 * which bank each stage binds. Made after `prepare` has run, from its declarations; no payload is
 * read.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import type { Catalog } from '../loom/elaborate/catalog.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import type { LoadPlan, OpenedSource } from '../parameters/load-plan.js';
import type { HostLimits } from '../vm/host-vm.js';
import type { Bindings, StageDeclaration } from './artefacts.js';
import { ParameterDomains } from './parameter-domains.js';
import type { LoaderProgram } from './parameter-domains.js';
import { stageBanks } from './stage-banks.js';
import { stageConfiguration, symbolText } from './stage-configuration.js';

/** Plain data, structured-clone safe. */
export interface ParameterPlan {
  /** Checkpoints by ordinal; whoever holds the plan closes their files. */
  readonly sources: readonly OpenedSource[];
  /** What they hold, by the same ordinal. */
  readonly indexes: readonly CheckpointIndex[];
  readonly banks: readonly LoadPlan[];
  /** For each stage, for each of its `param` bindings: an index in `banks`. */
  readonly stageBanks: readonly (readonly number[])[];
  /** Programs that the banks' plans name; each once. */
  readonly loaders: readonly LoaderProgram[];
}

/** What stages are elaborated and policies run with. */
export interface PlanningContext {
  readonly catalog: Catalog;
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
  readonly limits: Partial<HostLimits>;
}

export interface DeclaredParameters {
  readonly stages: readonly StageDeclaration[];
  readonly indexes: readonly CheckpointIndex[];
}

/** All but the open files, which stay with their owner until everything is checked. */
export function planParameters(
  context: PlanningContext,
  { stages, indexes }: DeclaredParameters,
): Omit<ParameterPlan, 'sources'> {
  const { catalog, bindings, facts, limits } = context;
  const sources = indexes.map(namedSource);
  const domains = new ParameterDomains({ catalog, sources, limits });
  const bound = stages.map((declaration) => {
    const configuration = stageConfiguration(catalog, { bindings, facts, declaration });
    return stageBanks(catalog, declaration, configuration).map(({ bank: info, binding }, index) => {
      if (binding === null) throw unbound(declaration, `binding ${index} (${info.name})`);
      return domains.bankOf({ declaration, configuration, info, binding });
    });
  });
  return { indexes, banks: domains.plans, stageBanks: bound, loaders: domains.loaders };
}

export const namedSource = (index: CheckpointIndex) => ({
  index,
  names: index.shards.map((shard) => shard.name),
});

const unbound = (declaration: StageDeclaration, binding: string): StatusError =>
  new StatusError(
    'invalidArgument',
    `stage ${symbolText(declaration)}: ${binding} has no parameters; declare input 0 with prepare.parameter`,
  );
