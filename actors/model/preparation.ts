/**
 * The actor of one cold preparation, on a preparation thread: hosts `preparation.machine.ts`, reads
 * the package and runs its prepare entry, has the pool compile and the device load, and hands the
 * prepared model to its deployment.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { TargetFacts } from '../../runtime/base/target-facts.js';
import type {
  CompileStageInput,
  HostArtefact,
  StageArtefact,
} from '../../runtime/packages/artefacts.js';
import type { ParameterPlan } from '../../runtime/packages/parameter-plan.js';
import type { PreparationPlan } from '../../runtime/packages/prepare-package.js';
import { filesOf } from '../../runtime/parameters/source-table.js';
import type { OpenedFile } from '../../runtime/parameters/load-plan.js';
import type { ActorSelf, AskOptions } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import {
  FILES,
  POOL,
  type CloseFile,
  type KeepFiles,
  type LoadExecutable,
  type PackageLocation,
  type PreparedModel,
  type RegisterBanks,
} from '../protocol.js';
import { machine } from './preparation.machine.js';
import { COMPILE_DEADLINE_MS, limitOf } from './specialization.js';

/** As its deployment orders it. */
export interface PreparationOrder {
  readonly location: PackageLocation;
  readonly generation: number;
  readonly deployment: string;
  readonly device: string;
  /** Of the device: what programs are compiled for. */
  readonly facts: TargetFacts;
}

export interface PreparationInput extends PreparationOrder {
  /** Reads and links the package; the thread's program says from where. */
  readonly prepare: (location: PackageLocation, facts: TargetFacts) => PreparationPlan;
}

/** A program to compile and load: a stage, or what packs a bank. */
interface Program {
  readonly executable: string;
  readonly input: CompileStageInput;
  /** Ids of the banks that it binds. */
  readonly banks: readonly string[];
  artefact: StageArtefact | null;
}

class PreparationHost {
  readonly #self: ActorSelf;
  readonly #input: PreparationInput;
  #programs: readonly Program[] = [];
  readonly #loaded: string[] = [];
  /** What each compile or load was asked for. */
  readonly #asked = new Map<string, Program>();
  #plan: PreparationPlan | null = null;
  #control: HostArtefact | null = null;
  /** The device was asked to take the banks, and their files with them. */
  #isHandedOver = false;

  constructor(self: ActorSelf, input: PreparationInput) {
    this.#self = self;
    this.#input = input;
  }

  declare(): void {
    try {
      const { prepare, location, facts } = this.#input;
      this.#plan = prepare(location, facts);
      const files = filesOf(this.#plan.parameters.sources);
      if (files.length > 0) this.#keep(files);
      this.#programs = this.#programsOf(this.#plan);
      this.#self.tell(this.#self.address, 'stages.declared', {});
    } catch (error) {
      this.#self.tell(this.#self.address, 'package.refused', { status: toStatus(error) });
    }
  }

  #programsOf({ stages, parameters, compileStage, compileLoader }: PreparationPlan): Program[] {
    const banks = this.#bankIds();
    return [
      ...stages.map((_, ordinal) => ({
        executable: `${this.#scope}/${ordinal}`,
        input: compileStage(ordinal),
        banks: parameters.stageBanks[ordinal]!.map((bank) => banks[bank]!),
        artefact: null,
      })),
      ...parameters.loaders.map(({ id }, index) => ({
        executable: this.#loaderId(id),
        input: compileLoader(index),
        banks: [],
        artefact: null,
      })),
    ];
  }

  compile(): void {
    const files = filesOf(this.#plan!.parameters.sources);
    const count = this.#programs.length + 1 + (files.length > 0 ? 1 : 0);
    this.#self.tell(this.#self.address, 'artefacts.started', { count });
    this.#run('compile-control', this.#plan!.compileControl, 'control.compiled');
    for (const program of this.#programs) {
      const asked = this.#run('compile-stage', program.input, 'stage.compiled');
      this.#asked.set(asked, program);
    }
  }

  /** At once: should this thread die, somebody closes them. */
  #keep(files: readonly OpenedFile[]): void {
    const keep: KeepFiles = { device: this.#input.device, scope: this.#scope, files };
    this.#self.ask(FILES, 'files.keep', keep, this.#options('files.kept'));
  }

  filesKept(reply: Reply): MachineEvent {
    return reply.outcome === 'value' ? { type: 'artefact.ready' } : refused(reply);
  }

  #run(task: string, input: unknown, as: string): string {
    return this.#self.ask(POOL, 'task.run', { task, input }, this.#options(as));
  }

  #options(as: string): AskOptions {
    return { deadlineMs: this.#self.now() + COMPILE_DEADLINE_MS, as };
  }

  controlCompiled(reply: Reply): MachineEvent {
    if (reply.outcome !== 'value') return refused(reply);
    this.#control = reply.value as HostArtefact;
    return { type: 'artefact.ready' };
  }

  stageCompiled(reply: Reply): MachineEvent {
    if (reply.outcome !== 'value') return refused(reply);
    this.#asked.get(reply.correlation)!.artefact = reply.value as StageArtefact;
    return { type: 'artefact.ready' };
  }

  /** Banks first: programs name those that they bind. */
  place(): void {
    const { parameters } = this.#plan!;
    const hasSources = parameters.sources.length > 0;
    const count = this.#programs.length + (hasSources ? 1 : 0);
    this.#self.tell(this.#self.address, 'artefacts.started', { count });
    if (hasSources) this.#registerBanks(parameters);
    for (const program of this.#programs) {
      const { module, wgsl, reflection: info } = program.artefact!;
      const { executable: id, banks } = program;
      const workspaceLimit = limitOf(this.#input.location.id, program.input.declaration);
      const load: LoadExecutable = { id, module, wgsl, info, banks, workspaceLimit };
      const { device } = this.#input;
      const asked = this.#self.ask(device, 'executable.load', load, this.#options('stage.placed'));
      this.#asked.set(asked, program);
    }
  }

  #registerBanks({ sources, banks }: ParameterPlan): void {
    const { location, device } = this.#input;
    const ids = this.#bankIds();
    const register: RegisterBanks = {
      scope: this.#scope,
      deployment: location.id,
      sources,
      banks: banks.map((plan, index) => ({
        id: ids[index]!,
        plan: { ...plan, loaders: plan.loaders.map((id) => this.#loaderId(id)) },
        pinned: location.document.deployment.pin,
      })),
    };
    this.#self.ask(device, 'banks.register', register, this.#options('banks.registered'));
    this.#isHandedOver = true;
  }

  banksRegistered(reply: Reply): MachineEvent {
    // Nobody is there who could have closed them.
    if (reply.outcome === 'down') this.#isHandedOver = false;
    if (reply.outcome !== 'value') return refused(reply);
    return { type: 'artefact.ready' };
  }

  stagePlaced(reply: Reply): MachineEvent {
    if (reply.outcome !== 'value') return refused(reply);
    this.#loaded.push(this.#asked.get(reply.correlation)!.executable);
    return { type: 'artefact.ready' };
  }

  handOver(): void {
    const { location, generation, deployment } = this.#input;
    const { document, ...place } = location;
    const plan = this.#plan!;
    const { loaders, indexes, stageBanks } = plan.parameters;
    const common = {
      id: location.id,
      generation,
      document,
      place,
      control: this.#control!,
      state: plan.state,
      stages: plan.stages.map((declaration, ordinal) => {
        const { executable, artefact } = this.#programs[ordinal]!;
        return { declaration, executable, reflection: artefact!.reflection };
      }),
      parameters: {
        scope: this.#scope,
        banks: this.#bankIds(),
        stageBanks,
        loaders: loaders.map(({ id }) => this.#loaderId(id)),
        indexes,
      },
      tokenizer: plan.tokenizer,
      sources: plan.sources,
      bindings: plan.bindings,
      facts: plan.facts,
      limits: plan.limits,
    };
    const prepared: PreparedModel = { ...common, ...contractOf(plan) };
    this.#self.tell(deployment, 'preparation.prepared', { prepared });
  }

  /** Whatever came into being goes: programs, banks, open files. */
  discard(): void {
    const { device } = this.#input;
    for (const id of this.#loaded) this.#self.tell(device, 'executable.unload', { id });
    if (this.#isHandedOver) this.#self.tell(device, 'banks.unregister', { scope: this.#scope });
    else {
      for (const { descriptor } of filesOf(this.#plan?.parameters.sources ?? [])) {
        this.#self.tell(FILES, 'files.close', { device, descriptor } satisfies CloseFile);
      }
    }
  }

  announce(kind: string, status: StatusRecord | null): void {
    this.#self.tell(this.#input.deployment, kind, { status });
  }

  get #scope(): string {
    return `${this.#input.location.id}@${this.#input.generation}`;
  }

  #loaderId(id: string): string {
    return `${this.#scope}/load/${id}`;
  }

  #bankIds(): readonly string[] {
    return this.#plan!.parameters.banks.map(({ key }) => `${this.#scope}/bank/${key}`);
  }
}

/** What only the contract of the package has. */
function contractOf(plan: PreparationPlan) {
  const { contract } = plan;
  if (contract === 'text') {
    const { geometry, templates, identity } = plan;
    return { contract, geometry, templates, identity };
  }
  const { capacities, memoryForecast } = plan;
  return { contract, capacities, memoryForecast };
}

const refused = (reply: Reply): MachineEvent => ({
  type: 'artefact.refused',
  status: reply.status,
});

export const preparation = machineActor(
  machine,
  (self: ActorSelf, input: PreparationInput): MachineHost => {
    const host = new PreparationHost(self, input);
    const status = (context: unknown): StatusRecord | null =>
      (context as { failure: StatusRecord | null }).failure;
    return {
      replies: {
        'files.kept': (reply) => host.filesKept(reply),
        'control.compiled': (reply) => host.controlCompiled(reply),
        'stage.compiled': (reply) => host.stageCompiled(reply),
        'stage.placed': (reply) => host.stagePlaced(reply),
        'banks.registered': (reply) => host.banksRegistered(reply),
      },
      effects: {
        declareStages: () => host.declare(),
        compileArtefacts: () => host.compile(),
        placeArtefacts: () => host.place(),
        handOver: () => host.handOver(),
        unloadArtefacts: () => host.discard(),
        announceFailed: (_, context) => host.announce('preparation.failed', status(context)),
        announceCancelled: () => host.announce('preparation.cancelled', null),
      },
    };
  },
);
