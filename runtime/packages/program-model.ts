/**
 * What a generation knows of its prepared package whatever its contract: programs, frozen state,
 * stages and checkpoints. Plain data, structured-clone safe. Each contract adds its own sizes.
 */
import type { TargetFacts } from '../base/target-facts.js';
import type { ExecutableReflection } from '../jit/reflection.js';
import type { StageDeclaration } from '../modules/declaration-recorder.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import type { HostLimits } from '../vm/host-vm.js';
import type { SealedState } from '../vm/heap.js';
import type { Bindings, HostArtefact, PackageSource } from './artefacts.js';
import type { ModelDocument } from './model-document.js';

export interface ProgramModel {
  readonly id: string;
  readonly generation: number;
  readonly document: ModelDocument;
  readonly control: HostArtefact;
  readonly state: SealedState;
  readonly stages: readonly {
    readonly declaration: StageDeclaration;
    readonly executable: string;
    readonly reflection: ExecutableReflection;
  }[];
  readonly sources: readonly PackageSource[];
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
  readonly limits: Partial<HostLimits>;
  readonly parameters: ModelParameters;
}

/** Checkpoints and banks of a prepared model as its programs and its actors name them. */
export interface ModelParameters {
  /** Of its sources on the device; ids of its banks start with it. */
  readonly scope: string;
  readonly banks: readonly string[];
  /** For each cold stage, for each of its bindings: an index in `banks`. */
  readonly stageBanks: readonly (readonly number[])[];
  /** Executables that fill the banks. */
  readonly loaders: readonly string[];
  /** What the sources hold, by ordinal. */
  readonly indexes: readonly CheckpointIndex[];
}

/** The cold stages as the `runner` capabilities name them. */
export const coldStages = ({ stages }: Pick<ProgramModel, 'stages'>) =>
  stages.map(({ executable, reflection }) => ({
    executable,
    name: reflection.name,
    roots: reflection.roots.length,
  }));
