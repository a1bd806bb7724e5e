/** What whoever lists deployments is told of a prepared package: sizes, not contents. */
import type { PreparedModel } from '../protocol.js';

export interface PreparedSummary {
  /** What one invocation may hold: units of a cohort, tokens of an epoch. */
  readonly batchUnits: number;
  readonly stateBytes: number;
  /** Device bytes of a full one: what it is given, what it gives and the largest workspace. */
  readonly peakBytes: number;
  readonly stages: PreparedModel['stages'];
}

export const summaryOf = (prepared: PreparedModel): PreparedSummary => ({
  batchUnits: unitsOf(prepared),
  stateBytes: prepared.state.image.length,
  peakBytes: packetBytes(prepared) + Math.max(0, ...prepared.stages.map(workspaceOf)),
  stages: prepared.stages,
});

const workspaceOf = ({ reflection }: PreparedModel['stages'][number]): number =>
  reflection.workspaceBytes;

const unitsOf = (prepared: PreparedModel): number =>
  prepared.contract === 'finite' ? prepared.capacities.batchUnits : prepared.geometry.tokens;

function packetBytes(prepared: PreparedModel): number {
  if (prepared.contract === 'finite') {
    return prepared.capacities.uploadBytes + prepared.capacities.outputBytes;
  }
  const { metadataBytes, inputBytes, residualBytes } = prepared.geometry;
  return metadataBytes + inputBytes + residualBytes;
}
