/**
 * The actor of one cold preparation, on a preparation thread: hosts `preparation.machine.ts`, reads
 * the package and runs its prepare entry, has the pool compile and the device load, and hands the
 * prepared model to its deployment.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { HostArtefact, StageArtefact } from '../../runtime/packages/artefacts.js';
import type { PreparationPlan } from '../../runtime/packages/prepare-package.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import {
  POOL,
  type LoadExecutable,
  type PackageLocation,
  type PreparedModel,
} from '../protocol.js';
import { machine } from './preparation.machine.js';
import { COMPILE_DEADLINE_MS } from './specialization.js';

export interface PreparationInput {
  readonly location: PackageLocation;
  readonly generation: number;
  readonly deployment: string;
  readonly device: string;
  /** Reads and links the package; the thread's program says from where. */
  readonly prepare: (location: PackageLocation) => PreparationPlan;
}

class PreparationHost {
  readonly #self: ActorSelf;
  readonly #input: PreparationInput;
  readonly #stages: StageArtefact[] = [];
  readonly #loaded: string[] = [];
  /** Stage of each compile or load that was asked for. */
  readonly #ordinals = new Map<string, number>();
  #plan: PreparationPlan | null = null;
  #control: HostArtefact | null = null;

  constructor(self: ActorSelf, input: PreparationInput) {
    this.#self = self;
    this.#input = input;
  }

  declare(): void {
    try {
      const { prepare, location } = this.#input;
      this.#plan = prepare(location);
      this.#self.tell(this.#self.address, 'stages.declared', {});
    } catch (error) {
      this.#self.tell(this.#self.address, 'package.refused', { status: toStatus(error) });
    }
  }

  /** Packages with checkpoints are refused while declaring, so there is nothing to open yet. */
  index(): void {
    this.#self.tell(this.#self.address, 'sources.indexed', {});
  }

  compile(): void {
    const { stages, compileControl, compileStage } = this.#plan!;
    this.#self.tell(this.#self.address, 'artefacts.started', { count: stages.length + 1 });
    this.#run('compile-control', compileControl, 'control.compiled');
    stages.forEach((_, ordinal) => {
      const asked = this.#run('compile-stage', compileStage(ordinal), 'stage.compiled');
      this.#ordinals.set(asked, ordinal);
    });
  }

  #run(task: string, input: unknown, as: string): string {
    const deadlineMs = this.#self.now() + COMPILE_DEADLINE_MS;
    return this.#self.ask(POOL, 'task.run', { task, input }, { deadlineMs, as });
  }

  controlCompiled(reply: Reply): MachineEvent {
    if (reply.outcome !== 'value') return refused(reply);
    this.#control = reply.value as HostArtefact;
    return { type: 'artefact.ready' };
  }

  stageCompiled(reply: Reply): MachineEvent {
    if (reply.outcome !== 'value') return refused(reply);
    this.#stages[this.#ordinals.get(reply.correlation)!] = reply.value as StageArtefact;
    return { type: 'artefact.ready' };
  }

  executable(ordinal: number): string {
    return `${this.#input.location.id}@${this.#input.generation}/${ordinal}`;
  }

  place(): void {
    this.#self.tell(this.#self.address, 'artefacts.started', { count: this.#stages.length });
    this.#stages.forEach(({ module, reflection }, ordinal) => {
      const load: LoadExecutable = { id: this.executable(ordinal), module, info: reflection };
      const deadlineMs = this.#self.now() + COMPILE_DEADLINE_MS;
      const options = { deadlineMs, as: 'stage.placed' };
      const asked = this.#self.ask(this.#input.device, 'executable.load', load, options);
      this.#ordinals.set(asked, ordinal);
    });
  }

  stagePlaced(reply: Reply): MachineEvent {
    if (reply.outcome !== 'value') return refused(reply);
    this.#loaded.push(this.executable(this.#ordinals.get(reply.correlation)!));
    return { type: 'artefact.ready' };
  }

  handOver(): void {
    const { location, generation, deployment } = this.#input;
    const plan = this.#plan!;
    const prepared: PreparedModel = {
      id: location.id,
      generation,
      document: location.document,
      capacities: plan.capacities,
      control: this.#control!,
      state: plan.state,
      stages: plan.stages.map((declaration, ordinal) => ({
        declaration,
        executable: this.executable(ordinal),
        reflection: this.#stages[ordinal]!.reflection,
      })),
      tokenizer: plan.tokenizer,
      sources: plan.sources,
      bindings: plan.bindings,
      facts: plan.facts,
      limits: plan.limits,
    };
    this.#self.tell(deployment, 'preparation.prepared', { prepared });
  }

  unload(): void {
    for (const id of this.#loaded) this.#self.tell(this.#input.device, 'executable.unload', { id });
  }

  announce(kind: string, status: StatusRecord | null): void {
    this.#self.tell(this.#input.deployment, kind, { status });
  }
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
        'control.compiled': (reply) => host.controlCompiled(reply),
        'stage.compiled': (reply) => host.stageCompiled(reply),
        'stage.placed': (reply) => host.stagePlaced(reply),
      },
      effects: {
        declareStages: () => host.declare(),
        indexSources: () => host.index(),
        compileArtefacts: () => host.compile(),
        placeArtefacts: () => host.place(),
        handOver: () => host.handOver(),
        unloadArtefacts: () => host.unload(),
        announceFailed: (_, context) => host.announce('preparation.failed', status(context)),
        announceCancelled: () => host.announce('preparation.cancelled', null),
      },
    };
  },
);
