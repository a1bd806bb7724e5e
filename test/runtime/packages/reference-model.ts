/**
 * A package prepared and run without threads or devices: control programs as compiled WebAssembly,
 * stages on the reference interpreter. What `infer` gives went through prepare, prepare_request,
 * prepare_batch, run and the result plan, as in the server.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StatusError } from '../../../runtime/base/errors.js';
import type { GatherEntry } from '../../../runtime/hal/gather.js';
import type { Submission } from '../../../runtime/hal/submission.js';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { elaborateStage } from '../../../runtime/loom/elaborate/elaborate.js';
import type { CommandProgram } from '../../../runtime/loom/typed.js';
import type { CompileStageInput, StageArtefact } from '../../../runtime/packages/artefacts.js';
import { compileControl } from '../../../runtime/packages/compile-control.task.js';
import { compileStage } from '../../../runtime/packages/compile-stage.task.js';
import { DiskFiles } from '../../../runtime/packages/disk-files.js';
import { FiniteControl } from '../../../runtime/packages/finite-control.js';
import type { FiniteModel } from '../../../runtime/packages/finite-control.js';
import { FinitePreparer } from '../../../runtime/packages/finite-preparer.js';
import { programOf } from '../../../runtime/packages/link-host.js';
import { parseSources } from '../../../runtime/packages/load-package.js';
import { checkModelDocument } from '../../../runtime/packages/model-document.js';
import type { ModelDocument } from '../../../runtime/packages/model-document.js';
import type { PackageFiles } from '../../../runtime/packages/package-files.js';
import { prepareFiles } from '../../../runtime/packages/prepare-package.js';
import type { FinitePlan } from '../../../runtime/packages/prepare-package.js';
import { stageConfiguration } from '../../../runtime/packages/stage-configuration.js';
import { DiskParameterFile } from '../../../runtime/parameters/checkpoints/disk-parameter-file.js';
import { gatherRanges } from '../../../runtime/parameters/gather-descriptors.js';
import type { EmbeddingInput } from '../../../runtime/profiles/embeddings.js';
import type { PreparedRequest } from '../../../runtime/profiles/finite.js';
import type { FiniteBody } from '../../../runtime/profiles/finite-request.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import { repositoryRoot } from './repository-root.js';
import { finitePlan } from './small-package.js';

/** A package of the repository, with changes to its document. */
export function modelPackage(name: string, change: object = {}) {
  const base = join(repositoryRoot, 'models', name);
  const value = JSON.parse(readFileSync(join(base, 'model.json'), 'utf8')) as object;
  const document = checkModelDocument({ ...value, ...change }, 'model.json');
  return { document, files: new DiskFiles(base) };
}

export class ReferenceModel {
  readonly plan: FinitePlan;
  /** As a generation is given it. */
  readonly model: FiniteModel;
  readonly control: FiniteControl;
  readonly #preparer: FinitePreparer;
  /** Compiled cold stages by executable, for devices. */
  readonly artefacts = new Map<string, StageArtefact>();
  readonly #programs = new Map<string, CommandProgram>();
  /** Keys of stages that cohorts declared, in order. */
  readonly specialized: string[] = [];
  #invocations = 0;

  constructor(document: ModelDocument, files: PackageFiles) {
    const plan = finitePlan(prepareFiles(document, files, localFacts()));
    this.plan = plan;
    this.model = {
      id: document.id,
      generation: 1,
      document,
      contract: 'finite',
      capacities: plan.capacities,
      control: compileControl(plan.compileControl),
      state: plan.state,
      stages: plan.stages.map((declaration, ordinal) => {
        const executable = `cold/${ordinal}`;
        const artefact = this.#load(executable, plan.compileStage(ordinal));
        const { reflection } = artefact;
        this.artefacts.set(executable, artefact);
        return { declaration, executable, reflection };
      }),
      sources: plan.sources,
      bindings: plan.bindings,
      facts: plan.facts,
      limits: plan.limits,
      memoryForecast: plan.memoryForecast,
      parameters: {
        scope: 'reference',
        banks: [],
        stageBanks: plan.parameters.stageBanks,
        loaders: [],
        indexes: plan.parameters.indexes,
      },
    };
    this.control = new FiniteControl(this.model);
    this.#preparer = new FinitePreparer(this.model, plan.tokenizer);
  }

  /** Compiles a stage for its reflection and keeps its tree for the interpreter. */
  #load(executable: string, input: CompileStageInput) {
    const catalog = parseSources(input.sources);
    const configuration = stageConfiguration(catalog, input);
    const elaborated = elaborateStage(catalog, input.declaration.symbol, configuration);
    this.#programs.set(executable, programOf(catalog, elaborated));
    return compileStage(input);
  }

  prepare(input: EmbeddingInput, dimensions = 0): PreparedRequest {
    return this.prepareAll({ profile: 'embeddings', inputs: [input], dimensions })[0]!;
  }

  prepareAll(body: FiniteBody): readonly PreparedRequest[] {
    return this.#preparer.prepare(body);
  }

  /** One cohort of prepared members; their rows in order. */
  run(members: readonly PreparedRequest[]): readonly Float32Array[] {
    const plan = this.control.prepareBatch(members);
    for (const use of plan.declared) {
      const reflections = use.tasks.map((task) => this.#load(use.executable, task).reflection);
      this.control.adopt(use, { reflections, sources: null });
      this.specialized.push(use.key);
    }
    const submission = this.control.run(plan, `invocation/${(this.#invocations += 1)}`);
    return this.control.collect(plan, this.#execute(submission)).map((collected) => {
      if ('status' in collected) throw StatusError.from(collected.status);
      return new Float32Array(collected.rows.slice().buffer);
    });
  }

  infer = async (body: FiniteBody): Promise<readonly Float32Array[]> =>
    this.run(this.prepareAll(body));

  /** Fresh storage is poisoned, so that whatever was not written shows. */
  #execute({ buffers, uploads, commands, snapshot }: Submission): Uint8Array {
    const storage = buffers.map(({ bytes }) => new Uint8Array(bytes).fill(0xff));
    const bytesOf = ({ buffer, offset, length }: Submission['snapshot'][number]) =>
      storage[buffer]!.subarray(offset, offset + length);
    for (const { target, bytes } of uploads) bytesOf(target).set(bytes);
    for (const command of commands) {
      if (command.op === 'gather') {
        const [descriptors, target] = [command.descriptors, command.target].map(bytesOf);
        this.#gather(command.entry, descriptors!, target!);
      }
      if (command.op !== 'execute') continue;
      const program = this.#programs.get(command.executable)!;
      const { faults } = interpretCommand(program, {
        roots: command.roots.map(bytesOf),
        checks: true,
      });
      if (faults.length > 0) throw new Error(`${faults[0]!.position}: ${faults[0]!.message}`);
    }
    return Buffer.concat(snapshot.map(bytesOf));
  }

  #gather(entry: GatherEntry, descriptors: Uint8Array, target: Uint8Array): void {
    const file = this.plan.parameters.sources[entry.source]!.files[entry.shard]!;
    const disk = DiskParameterFile.opened(file);
    for (const { from, to, length } of gatherRanges(descriptors, entry, target.length)) {
      disk.read(entry.offset + from, target.subarray(to, to + length));
    }
  }
}

export const text = (words: string) => ({ kind: 'text', text: words }) as const;
export const ids = (...tokens: number[]) => ({ kind: 'tokens', tokens }) as const;
