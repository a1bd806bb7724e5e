/** What actors say of a deployment, as http documents it. */
import type { DeploymentState, ModelState, StageSummary } from '../../http/serving.js';
import type { DeploymentSummary, PreparedSummary } from '../model/deployment.js';
import type { GenerationSummary } from '../model/generation.js';

/** The chart has finer states than the contract of the admin routes. */
const states: Readonly<Record<string, DeploymentState>> = {
  loading: 'preparing',
  recovering: 'preparing',
  stranded: 'preparing',
  switching: 'replacing',
  withdrawing: 'draining',
};

export function modelStateOf(
  summary: DeploymentSummary,
  generation: GenerationSummary | null,
): ModelState {
  const { id, location, prepared, failure } = summary;
  const stages = prepared?.stages.map(stageSummary) ?? [];
  return {
    id,
    state: states[summary.state] ?? (summary.state as DeploymentState),
    profile: location?.document.profile ?? null,
    generation: summary.generation,
    unitsMax: prepared?.batchUnits ?? null,
    inFlight: generation?.requests ?? 0,
    waiting: generation?.waiting ?? 0,
    stages,
    memory:
      prepared === null
        ? null
        : {
            preparedPeakBytes: prepared.peakBytes,
            residentBytes: 0,
            hostStateBytes: prepared.stateBytes,
          },
    package: location?.base ?? '',
    error: failure,
  };
}

export function stageSummary(
  stage: PreparedSummary['stages'][number],
  ordinal: number,
): StageSummary {
  const { reflection, declaration } = stage;
  return {
    ordinal,
    name: reflection.name,
    kind: declaration.kind === 'direct' ? 'kernel' : 'command',
    roots: reflection.roots.length,
    dispatches: reflection.dispatches,
    workspacePeakBytes: reflection.workspaceBytes,
  };
}
