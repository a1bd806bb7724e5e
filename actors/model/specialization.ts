/**
 * The actor of one exact stage declaration: hosts `specialization.machine.ts`, asks the pool to
 * compile and the device to load, and answers every cohort that waits for it.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type {
  CompileStageInput,
  StageArtefact,
  StageDeclaration,
} from '../../runtime/packages/artefacts.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import { POOL, type LoadExecutable } from '../protocol.js';
import { machine } from './specialization.machine.js';

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
  readonly key: string;
  readonly executable: string;
  /** Input of the `compile-stage` task. */
  readonly task: CompileStageInput;
  readonly deployment: string;
  readonly device: string;
  /** Ids of the banks that the compiled stage binds; throws when there is none for one of them. */
  readonly banksOf: (artefact: StageArtefact) => readonly string[];
  /** Called when its code is on the device, and when it is gone. */
  readonly onReady: (artefact: StageArtefact) => void;
  readonly onGone: () => void;
}

export const specialization = machineActor(
  machine,
  (self: ActorSelf, input: SpecializationInput): MachineHost => {
    const waiting: string[] = [];
    let artefact: StageArtefact | null = null;
    let banks: readonly string[] = [];
    let loaded = false;
    const { key } = input;
    const waiter = (event: object): string => (event as { cohort: string }).cohort;
    const tell = (cohort: string, kind: string, status: StatusRecord | null): void =>
      self.tell(cohort, kind, { key, status } satisfies SpecializationDecided);

    return {
      replies: {
        compiled: (outcome) => {
          if (outcome.status !== null) return { type: 'stage.refused', status: outcome.status };
          artefact = outcome.value as StageArtefact;
          try {
            banks = input.banksOf(artefact);
            return { type: 'stage.compiled' };
          } catch (error) {
            return { type: 'stage.refused', status: toStatus(error) };
          }
        },
        placed: (outcome) => {
          if (outcome.status !== null) return { type: 'stage.refused', status: outcome.status };
          loaded = true;
          return { type: 'stage.placed' };
        },
      },
      effects: {
        noteWaiter(event) {
          waiting.push(waiter(event));
        },
        compileStage() {
          const call = { task: 'compile-stage', input: input.task };
          const deadlineMs = self.now() + COMPILE_DEADLINE_MS;
          self.ask(POOL, 'task.run', call, { deadlineMs, as: 'compiled' });
        },
        placeStage() {
          const { module, reflection } = artefact!;
          const workspaceLimit = limitOf(input.deployment, input.task.declaration);
          const info = reflection;
          const load: LoadExecutable = {
            id: input.executable,
            module,
            info,
            banks,
            workspaceLimit,
          };
          self.ask(input.device, 'executable.load', load, {
            deadlineMs: self.now() + COMPILE_DEADLINE_MS,
            as: 'placed',
          });
        },
        /** It left before the stage was decided. */
        dropWaiter(event) {
          const at = waiting.indexOf(waiter(event));
          if (at >= 0) waiting.splice(at, 1);
        },
        announceReady() {
          input.onReady(artefact!);
          for (const cohort of waiting.splice(0)) tell(cohort, 'specialization.ready', null);
        },
        answerReady(event) {
          tell(waiter(event), 'specialization.ready', null);
        },
        announceFailed(_, context) {
          const status = (context as { failure: StatusRecord | null }).failure;
          input.onGone();
          for (const cohort of waiting.splice(0)) tell(cohort, 'specialization.failed', status);
        },
        unloadStage() {
          input.onGone();
          if (loaded) self.tell(input.device, 'executable.unload', { id: input.executable });
        },
      },
    };
  },
);
