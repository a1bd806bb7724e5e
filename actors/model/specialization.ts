/**
 * The actor of what an invocation declared: hosts `specialization.machine.ts`, asks the preparer to
 * resolve a choice, the pool to compile and the device to load, answers every cohort that waits.
 * Programs are asked for together; what one refuses is told when all have been answered.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type {
  CompileStageInput,
  StageArtefact,
  StageDeclaration,
} from '../../runtime/packages/artefacts.js';
import {
  executableOf,
  type ReadyUse,
  type StageUse,
} from '../../runtime/packages/finite-control.js';
import type { ActorSelf, AskOptions } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import { POOL, type LoadExecutable, type PrepareChoice, type ResolvedChoice } from '../protocol.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { machine, type Context } from './specialization.machine.js';

/** Deadlines of cold work: a compile or a load that takes longer is a fault, not a slow answer. */
export const COMPILE_DEADLINE_MS = 120_000;

/** 'specialization.ready' and 'specialization.failed', to each cohort that waits. */
export interface SpecializationDecided {
  readonly key: string;
  /** Why it failed. */
  readonly status?: StatusRecord | null;
}

/** What all running invocations of a stage keep to, of every generation of the deployment. */
export function limitOf(
  deployment: string,
  { symbol, workspaceLimitBytes: bytes }: StageDeclaration,
): LoadExecutable['workspaceLimit'] {
  return bytes === null ? null : { stage: `${deployment}/${symbol.name}`, bytes };
}

export interface SpecializationInput {
  readonly use: StageUse;
  /** Of what a choice brings along, on the device. */
  readonly scope: string;
  readonly deployment: string;
  readonly device: string;
  /** Who resolves choices now: a lost one is replaced. */
  readonly preparer: () => string;
  readonly taskOf: (declaration: StageDeclaration) => CompileStageInput;
  /** Ids of the cold banks that a compiled stage binds; throws when one of them has none. */
  readonly banksOf: (task: CompileStageInput, artefact: StageArtefact) => readonly string[];
  /** Called when it is on the device, with its programs, and when it is gone. */
  readonly onReady: (ready: ReadyUse, executables: readonly string[]) => void;
  readonly onGone: () => void;
}

interface Program {
  readonly executable: string;
  readonly task: CompileStageInput;
  artefact: StageArtefact | null;
  banks: readonly string[];
}

/** What it tells of itself to who asks why something waits for it. */
export interface SpecializationDetails {
  readonly key: string;
  /** Entries of its stages. */
  readonly stages: readonly string[];
  readonly preparer: string;
  readonly device: string;
}

class SpecializationHost {
  readonly #self: ActorSelf;
  readonly #input: SpecializationInput;
  readonly #waiting: string[] = [];
  #resolved: ResolvedChoice | null = null;
  #programs: readonly Program[] = [];
  readonly #loaded: string[] = [];
  /** What each ask that is open was made for, and the first refusal among those answered. */
  readonly #asked = new Map<string, Program>();
  #refusal: StatusRecord | null = null;

  constructor(self: ActorSelf, input: SpecializationInput) {
    this.#self = self;
    this.#input = input;
  }

  noteWaiter(cohort: string): void {
    this.#waiting.push(cohort);
  }

  /** It left before anything was decided. */
  dropWaiter(cohort: string): void {
    const at = this.#waiting.indexOf(cohort);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  resolve(): void {
    const { use, scope, preparer } = this.#input;
    const call: PrepareChoice = { choice: use.choice!, scope };
    this.#self.ask(preparer(), 'choice.prepare', call, this.#options('resolved'));
  }

  resolved(reply: Reply): MachineEvent {
    if (reply.status !== null) return { type: 'stage.refused', status: reply.status };
    this.#resolved = reply.value as ResolvedChoice;
    return { type: 'choice.resolved' };
  }

  compile(): void {
    const { use, taskOf } = this.#input;
    const made = { artefact: null, banks: [] };
    const loaders = this.#resolved?.loaders ?? [];
    this.#programs = [
      ...use.tasks.map((task, index) => ({ ...made, executable: executableOf(use, index), task })),
      ...loaders.map(({ executable, declaration }) => {
        return { ...made, executable, task: taskOf(declaration) };
      }),
    ];
    for (const program of this.#programs) {
      const call = { task: 'compile-stage', input: program.task };
      const asked = this.#self.ask(POOL, 'task.run', call, this.#options('compiled'));
      this.#asked.set(asked, program);
    }
    // A choice of sources alone has no programs.
    if (this.#programs.length === 0) this.#self.tell(this.#self.address, 'stage.compiled', {});
  }

  compiled(reply: Reply): MachineEvent | null {
    return this.#answered(reply, 'stage.compiled', (program) => {
      program.artefact = reply.value as StageArtefact;
      const stage = this.#programs.indexOf(program);
      const isLoader = stage >= this.#input.use.tasks.length;
      if (isLoader) return;
      const own = this.#resolved?.stageBanks[stage];
      program.banks = own ?? this.#input.banksOf(program.task, program.artefact);
    });
  }

  place(): void {
    const { device, deployment } = this.#input;
    for (const program of this.#programs) {
      const { executable: id, task, artefact, banks } = program;
      const { module, wgsl, reflection: info } = artefact!;
      const workspaceLimit = limitOf(deployment, task.declaration);
      const load: LoadExecutable = { id, module, wgsl, info, banks, workspaceLimit };
      const asked = this.#self.ask(device, 'executable.load', load, this.#options('placed'));
      this.#asked.set(asked, program);
    }
    if (this.#programs.length === 0) this.#self.tell(this.#self.address, 'stage.placed', {});
  }

  placed(reply: Reply): MachineEvent | null {
    return this.#answered(
      reply,
      'stage.placed',
      ({ executable }) => void this.#loaded.push(executable),
    );
  }

  /** The event of the last answer; null while others are open. */
  #answered(reply: Reply, type: string, keep: (program: Program) => void): MachineEvent | null {
    const program = this.#asked.get(reply.correlation)!;
    this.#asked.delete(reply.correlation);
    if (reply.status === null) this.#guard(() => keep(program));
    else this.#refusal ??= reply.status;
    if (this.#asked.size > 0) return null;
    if (this.#refusal !== null) return { type: 'stage.refused', status: this.#refusal };
    return { type };
  }

  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#refusal ??= toStatus(error);
    }
  }

  announceReady(): void {
    const stages = this.#programs.slice(0, this.#input.use.tasks.length);
    const reflections = stages.map(({ artefact }) => artefact!.reflection);
    this.#input.onReady({ reflections, sources: this.#resolved?.sources ?? null }, this.#loaded);
    this.#announce('specialization.ready', null);
  }

  answerReady(cohort: string): void {
    this.#tell(cohort, 'specialization.ready', null);
  }

  announceFailed({ failure }: Context): void {
    this.#announce('specialization.failed', failure);
  }

  unload(): void {
    const { device, onGone } = this.#input;
    onGone();
    for (const id of this.#loaded) this.#self.tell(device, 'executable.unload', { id });
    const sources = this.#resolved?.sources;
    if (sources) this.#self.tell(device, 'banks.unregister', { scope: sources.scope });
  }

  #announce(kind: string, status: StatusRecord | null): void {
    for (const cohort of this.#waiting.splice(0)) this.#tell(cohort, kind, status);
  }

  #tell(cohort: string, kind: string, status: StatusRecord | null): void {
    const { key } = this.#input.use;
    this.#self.tell(cohort, kind, { key, status } satisfies SpecializationDecided);
  }

  #options(as: string): AskOptions {
    return { deadlineMs: this.#self.now() + COMPILE_DEADLINE_MS, as };
  }
}

export const specialization = machineActor(
  machine,
  (self: ActorSelf, input: SpecializationInput): MachineHost => {
    const host = new SpecializationHost(self, input);
    const waiter = (event: object): string => (event as { cohort: string }).cohort;
    return {
      input: { isChoice: input.use.choice !== null },
      details: (): SpecializationDetails => ({
        key: input.use.key,
        stages: input.use.tasks.map(({ declaration }) => declaration.symbol.name),
        preparer: input.preparer(),
        device: input.device,
      }),
      replies: {
        resolved: (reply) => host.resolved(reply),
        compiled: (reply) => host.compiled(reply),
        placed: (reply) => host.placed(reply),
      },
      effects: {
        noteWaiter: (event) => host.noteWaiter(waiter(event)),
        dropWaiter: (event) => host.dropWaiter(waiter(event)),
        resolveChoice: () => host.resolve(),
        compileStage: () => host.compile(),
        placeStage: () => host.place(),
        announceReady: () => host.announceReady(),
        answerReady: (event) => host.answerReady(waiter(event)),
        announceFailed: (_, context) => host.announceFailed(context as Context),
        unloadStage: () => host.unload(),
      },
    };
  },
);
