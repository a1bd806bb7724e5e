/** What actors say of a deployment, as http documents it. */
import { join } from 'node:path';
import type {
  BankState,
  DeploymentState,
  ModelState,
  RowsState,
  StageSummary,
} from '../../http/serving.js';
import type { DeviceSummary } from '../model/device-queue.js';
import type { DeploymentSummary } from '../model/deployment.js';
import type { PreparedSummary } from '../model/prepared-summary.js';
import type { GenerationSummary } from '../model/generation-base.js';
import type { PackageLocation } from '../protocol.js';

/** The chart has finer states than the contract of the admin routes. */
const states: Readonly<Record<string, DeploymentState>> = {
  loading: 'preparing',
  recovering: 'preparing',
  stranded: 'preparing',
  switching: 'replacing',
  withdrawing: 'draining',
};

export interface ModelParts {
  readonly generation: GenerationSummary | null;
  /** Null while there is none. */
  readonly device: DeviceSummary | null;
}

export function modelStateOf(summary: DeploymentSummary, parts: ModelParts): ModelState {
  const { generation, device } = parts;
  const { id, location, prepared, failure } = summary;
  const stages = prepared?.stages.map(stageSummary) ?? [];
  return {
    id,
    state: states[summary.state] ?? (summary.state as DeploymentState),
    profile: location?.document.profile ?? null,
    generation: summary.generation,
    device: summary.device,
    unitsMax: prepared?.batchUnits ?? null,
    inFlight: generation?.requests ?? 0,
    waiting: generation?.waiting ?? 0,
    stages,
    memory:
      prepared === null
        ? null
        : {
            preparedPeakBytes: prepared.peakBytes,
            residentBytes: residentBytes(id, device),
            hostStateBytes: prepared.stateBytes,
            byOwner: bytesByOwner(id, device),
          },
    banks: banksOf(summary, device),
    rows: rowsOf(summary, device),
    package: location === null ? '' : placeOf(location),
    error: failure,
  };
}

/** A checkpoint is known by its own path, not by that of the package that serves it. */
const placeOf = ({ base, checkpoint }: PackageLocation): string =>
  checkpoint === undefined ? base : join(checkpoint.folder, checkpoint.gguf ?? '');

/** Those of the generation that serves. */
export function banksOf(
  { id, generation }: DeploymentSummary,
  device: DeviceSummary | null,
): readonly BankState[] {
  const mine = device?.banks.filter((bank) => bank.id.startsWith(`${id}@${generation}/`)) ?? [];
  return mine.map(({ deployment: _, ...bank }) => bank);
}

/** Of the generation that serves; null for contracts that keep none. */
function rowsOf(
  { id, generation }: DeploymentSummary,
  device: DeviceSummary | null,
): RowsState | null {
  const found = device?.rows.find((rows) => rows.id.startsWith(`${id}@${generation}/`));
  if (found === undefined) return null;
  const { state, bytes, isWanted, pinned, evictions } = found;
  return { state, bytes, isWanted, pinned, evictions };
}

const bytesByOwner = (id: string, device: DeviceSummary | null): Record<string, number> => {
  const own = (device?.byOwner ?? []).filter(({ deployment }) => deployment === id);
  return Object.fromEntries(own.map(({ kind, bytes }) => [kind, bytes]));
};

const residentBytes = (id: string, device: DeviceSummary | null): number =>
  (device?.byOwner ?? [])
    .filter(({ deployment }) => deployment === id)
    .reduce((sum, { bytes }) => sum + bytes, 0);

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
