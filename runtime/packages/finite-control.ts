/**
 * The control program of a finite contract as a model's thread uses it: prepare_batch for a cohort,
 * run for its submission, and the cut of the snapshot into members. Owns one VM instance over the
 * frozen state and the table of stages (cold ones, and specialized ones while they are loaded).
 * Calls are synchronous; nothing here submits or waits.
 */
import type { Submission } from '../hal/submission.js';
import { wasmExecutor } from '../jit/host-executor.js';
import type { ExecutableReflection } from '../jit/reflection.js';
import { bufferFunctions } from '../modules/buffer.js';
import { DeclarationRecorder, type StageDeclaration } from '../modules/declaration-recorder.js';
import { capabilityTable } from '../modules/modules.js';
import { parametersFunctions } from '../modules/parameters.js';
import { prepareFunctions } from '../modules/prepare.js';
import { RunnerRecorder, type RunnableStage } from '../modules/runner-recorder.js';
import { runnerFunctions } from '../modules/runner.js';
import { weightsFunctions } from '../modules/weights.js';
import {
  checkPreparedBatch,
  concatenatePrepared,
  stageTagTable,
  type FiniteCapacities,
  type PreparedRequest,
} from '../profiles/finite.js';
import type { FiniteBody } from '../profiles/finite-request.js';
import { checkForecast, forecastInput, type MemoryForecast } from '../profiles/memory-forecast.js';
import type { Profile } from '../profiles/profile.js';
import { findProfile } from '../profiles/profiles.js';
import { invalidReturn } from '../profiles/record-table.js';
import { collectRows, type Collected, type ResultPlan } from '../profiles/result-plan.js';
import { assert, StatusError } from '../base/errors.js';
import { FROZEN_STATE } from '../vm/host-value.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import { HostVm } from '../vm/host-vm.js';
import type { CompileStageInput } from './artefacts.js';
import { entryAt, sourceAt } from './checkpoint-entries.js';
import { coldBankOf } from './cold-banks.js';
import { hasOwnParameters, type Choice } from './prepare-choice.js';
import { coldStages, type ProgramModel } from './program-model.js';
import { choiceKey, stageKey } from './specialization-key.js';

/** Bytes of the one host slot that a finite invocation may fill with `runner.feedback`. */
export const FEEDBACK_BYTES = 4096;

/** A prepared model whose requests share cohorts. */
export interface FiniteModel extends ProgramModel {
  readonly contract: 'finite';
  readonly capacities: FiniteCapacities;
  /** Control entry that estimates the memory of a request; null without. */
  readonly memoryForecast: string | null;
}

/**
 * What one invocation declared: its identity, and how to get it. A stage without parameters of its
 * own is one by itself; with own parameters or sources all that was declared is one.
 */
export interface StageUse {
  readonly key: string;
  /** On the device; see `executableOf`. */
  readonly executable: string;
  /** How to compile its stages, in order. */
  readonly tasks: readonly CompileStageInput[];
  /** To be prepared first; null for a stage that only has to be compiled. */
  readonly choice: Choice | null;
}

/** The program of a stage of a use, by its index there. */
export const executableOf = ({ executable, choice }: StageUse, index: number): string =>
  choice === null ? executable : `${executable}/${index}`;

/** What a use has become on the device. */
export interface ReadyUse {
  /** By stage. */
  readonly reflections: readonly ExecutableReflection[];
  /** Sources of its own: where the device has them, cold ones first, and what the own ones hold. */
  readonly sources: ChoiceSources | null;
}

export interface ChoiceSources {
  readonly scope: string;
  readonly indexes: readonly CheckpointIndex[];
}

/** What `prepare_request` gave for one member, as far as a cohort reads it. */
export type BatchMember = Pick<PreparedRequest, 'bytes' | 'values'>;

/** What `prepare_batch` decided for one cohort, checked. */
export interface BatchPlan {
  readonly stage: number;
  readonly upload: Uint8Array;
  readonly result: ResultPlan;
  readonly declared: readonly StageUse[];
}

interface SpecializedUse {
  readonly use: StageUse;
  readonly ready: ReadyUse;
}

export class FiniteControl {
  readonly #model: FiniteModel;
  readonly #vm: HostVm;
  readonly #profile: Profile;
  readonly #tags: Uint8Array;
  /** Uses that are on the device, by key. */
  readonly #specialized = new Map<string, SpecializedUse>();
  #declarations: DeclarationRecorder | null = null;
  #invocation: RunnerRecorder | null = null;

  constructor(model: FiniteModel) {
    this.#model = model;
    this.#profile = findProfile(model.document.profile);
    const { control, state, limits } = model;
    this.#tags = stageTagTable(model.stages.map((stage) => stage.declaration.tag));
    this.#vm = HostVm.create({
      program: control.program,
      executor: wasmExecutor(control),
      capabilities: capabilityTable("'prepare_batch' and 'run'", {
        buffer: bufferFunctions,
        parameters: parametersFunctions(() => this.#recorder()),
        prepare: prepareFunctions(() => this.#declarer()),
        runner: runnerFunctions(() => this.#recorder()),
        weights: weightsFunctions({
          source: (ordinal) => sourceAt(model.parameters.indexes, ordinal),
          placements: null,
        }),
      }),
      state,
      limits,
      memories: control.memories,
    });
  }

  /** What the package foresees for a request; null where it says nothing. */
  forecast(body: FiniteBody): MemoryForecast | null {
    const { memoryForecast: entry } = this.#model;
    if (entry === null) return null;
    const { ranges, descriptors } = forecastInput(body);
    const results = this.#vm.call(entry, [FROZEN_STATE, ranges, descriptors]);
    return checkForecast(entry, results as bigint[]);
  }

  /** Runs prepare_batch; throws what the program raised or what its tables break. */
  prepareBatch(members: readonly BatchMember[]): BatchPlan {
    const { capacities, stages, parameters } = this.#model;
    const recorder = new DeclarationRecorder(stages.length, parameters.indexes.length);
    this.#declarations = recorder;
    try {
      const { ranges, prepared } = concatenatePrepared(members.map((member) => member.bytes));
      const results = this.#vm.call('prepare_batch', [FROZEN_STATE, this.#tags, ranges, prepared]);
      const [stage, upload, plan] = results as [bigint, Uint8Array, Uint8Array];
      const batch = checkPreparedBatch(
        { stage, upload, plan },
        {
          values: members.map((member) => member.values),
          stages: stages.length + recorder.stages.length,
          capacities,
        },
      );
      const choice = { stages: recorder.stages, sources: recorder.sources.list };
      const declared = hasOwnParameters(choice)
        ? [this.#choiceUse(choice)]
        : choice.stages.map((declaration) => this.#stageUse(declaration));
      return { stage: batch.stage, upload: batch.upload, result: batch.plan, declared };
    } finally {
      this.#declarations = null;
    }
  }

  /** Runs `run` over recorded buffers: the submission of one invocation. */
  run(plan: BatchPlan, invocation: string): Submission {
    const { capacities, id, parameters } = this.#model;
    const declared = plan.declared.map((use) => this.#find(use));
    const own = declared.find(({ ready }) => ready.sources !== null)?.ready.sources;
    const indexes = [...parameters.indexes, ...(own?.indexes ?? [])];
    const recorder = new RunnerRecorder({
      stages: [...coldStages(this.#model), ...declared.flatMap(runnableStages)],
      slots: [FEEDBACK_BYTES],
      entry: (source, key) => entryAt(indexes, source, key),
    });
    const input = recorder.addBuffer({ bytes: capacities.uploadBytes, lifetime: 'invocation' });
    const output = recorder.addBuffer({
      bytes: plan.result.physicalBytes,
      lifetime: 'invocation',
    });
    this.#invocation = recorder;
    try {
      this.#vm.call('run', [BigInt(plan.stage), input, output]);
    } finally {
      this.#invocation = null;
    }
    if (!recorder.commands.some((command) => command.op === 'execute')) {
      throw new StatusError('internal', "'run' executed no stage, so there is no result", {
        where: 'run',
      });
    }
    const { upload, result } = plan;
    const target = { buffer: 0, offset: 0, length: upload.length };
    return {
      invocation,
      owner: { kind: 'invocation', deployment: id, id: invocation },
      buffers: recorder.buffers,
      uploads: upload.length === 0 ? [] : [{ target, bytes: upload }],
      commands: recorder.commands,
      snapshot: result.snapshot.map(({ offset, length }) => ({ buffer: 1, offset, length })),
      sources: own?.scope ?? parameters.scope,
    };
  }

  /** Each member's rows, in cohort order, or why it has none. */
  collect(plan: BatchPlan, snapshot: Uint8Array): Collected[] {
    const collected = collectRows(plan.result, snapshot);
    const { rowProblem } = this.#profile;
    if (rowProblem === undefined) return collected;
    return collected.map((member) => {
      const problem = 'rows' in member ? rowProblem(member.rows) : null;
      return problem === null ? member : { status: invalidReturn('run', problem).status };
    });
  }

  /** Ids of the banks that a stage binds which declared no parameters: the cold ones. */
  banksOf({ declaration }: CompileStageInput, { banks }: ExecutableReflection): readonly string[] {
    const { stages, parameters } = this.#model;
    const cold = { stages, stageBanks: parameters.stageBanks };
    return banks.map((info, binding) => {
      return parameters.banks[coldBankOf(cold, declaration, { info, binding })]!;
    });
  }

  /** How to compile a stage or loader of this generation. */
  taskOf(declaration: StageDeclaration): CompileStageInput {
    const { sources, bindings, facts } = this.#model;
    return { sources, declaration, bindings, facts };
  }

  /** It is on the device from now on. */
  adopt(use: StageUse, ready: ReadyUse): void {
    this.#specialized.set(use.key, { use, ready });
  }

  /** It is leaving; a newer one of the same key may have taken its place. */
  drop({ key, executable }: StageUse): void {
    if (this.#specialized.get(key)?.use.executable === executable) this.#specialized.delete(key);
  }

  #declarer(): DeclarationRecorder {
    if (this.#declarations !== null) return this.#declarations;
    throw new StatusError('internal', "declarations are for 'prepare_batch' only");
  }

  #recorder(): RunnerRecorder {
    if (this.#invocation !== null) return this.#invocation;
    throw new StatusError('internal', "runner capabilities are for 'run' only");
  }

  #find({ key }: StageUse): SpecializedUse {
    const found = this.#specialized.get(key);
    assert(found !== undefined, `what was declared as ${key} to be on the device before run`);
    return found;
  }

  #stageUse(declaration: StageDeclaration): StageUse {
    const tasks = [this.taskOf(declaration)];
    return { ...this.#named(stageKey(declaration)), tasks, choice: null };
  }

  #choiceUse(choice: Choice): StageUse {
    const key = choiceKey(choice, this.#model.parameters.indexes.length);
    const tasks = choice.stages.map((declaration) => this.taskOf(declaration));
    return { ...this.#named(key), tasks, choice };
  }

  #named(key: string): Pick<StageUse, 'key' | 'executable'> {
    const { id, generation } = this.#model;
    return { key, executable: `${id}@${generation}/${key}` };
  }
}

function runnableStages({ use, ready }: SpecializedUse): RunnableStage[] {
  return ready.reflections.map(({ name, roots }, index) => {
    return { executable: executableOf(use, index), name, roots: roots.length };
  });
}
