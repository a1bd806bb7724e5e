/**
 * The actor of one deployment id, on the main thread: hosts `deployment.machine.ts`, starts
 * preparations and generations on their threads and forwards requests to the current generation.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { StopReason } from '../../runtime/system/stop-reason.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { PackageLocation, PreparedModel } from '../protocol.js';
import { type Context, machine } from './deployment.machine.js';
import type { GenerationInput } from './generation.js';
import type { PreparationInput } from './preparation.js';

export interface DeploymentInput {
  readonly id: string;
  /** Threads that take its generations, preparations and device work. */
  readonly modelThread: string;
  readonly preparationThread: string;
  readonly device: string;
  /** Inputs that may wait for one generation (`--max-queue`). */
  readonly waitingMax: number;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** Answer to 'deployment.describe', and to a registration that waited. */
export interface DeploymentSummary {
  readonly id: string;
  readonly state: string;
  readonly location: PackageLocation | null;
  readonly generation: number;
  readonly address: string | null;
  readonly prepared: PreparedSummary | null;
  readonly failure: StatusRecord | null;
  readonly createdMs: number;
}

export interface PreparedSummary {
  readonly batchUnits: number;
  readonly stateBytes: number;
  /** Device bytes of one full cohort: upload, output and the largest workspace. */
  readonly peakBytes: number;
  readonly stages: PreparedModel['stages'];
}

class DeploymentHost {
  readonly #self: ActorSelf;
  readonly #input: DeploymentInput;
  #location: PackageLocation | null = null;
  #candidate: PreparedModel | null = null;
  #candidateAddress: string | null = null;
  #preparation: string | null = null;
  #current: { address: string; prepared: PreparedModel } | null = null;
  readonly #living = new Map<number, string>();
  readonly #registrations: Message[] = [];
  readonly #removals: Message[] = [];
  #createdMs = 0;

  constructor(self: ActorSelf, input: DeploymentInput) {
    this.#self = self;
    this.#input = input;
    this.#createdMs = input.createdMs;
  }

  keepPackage(ask: Message): void {
    const { location, wait } = ask.payload as { location: PackageLocation; wait: boolean };
    this.#location = location;
    if (wait) this.#registrations.push(ask);
    else this.#self.reply(ask, this.describe('preparing', null));
  }

  startPreparation(context: Context): void {
    const { preparationThread, device, id } = this.#input;
    const { generation } = context;
    const input: Omit<PreparationInput, 'prepare'> = {
      location: this.#location!,
      generation,
      deployment: this.#self.address,
      device,
    };
    const name = `preparations/${id}@${generation}`;
    this.#preparation = this.#self.spawnOn(preparationThread, name, 'preparation', input);
    this.#self.watch(this.#preparation);
  }

  cancelPreparation(): void {
    if (this.#preparation !== null) this.#self.tell(this.#preparation, 'preparation.cancel', {});
  }

  keepCandidate(prepared: PreparedModel): void {
    this.#candidate = prepared;
    this.#preparation = null;
  }

  dropCandidate(): void {
    for (const stage of this.#candidate?.stages ?? []) {
      this.#self.tell(this.#input.device, 'executable.unload', { id: stage.executable });
    }
    this.#candidate = null;
  }

  startGeneration(): void {
    const { modelThread, preparationThread, device, id } = this.#input;
    const prepared = this.#candidate!;
    const name = `${id}@${prepared.generation}`;
    const preparer = this.#self.spawnOn(preparationThread, `preparers/${name}`, 'preparer', {
      prepared,
    });
    const input: GenerationInput = {
      prepared,
      deployment: this.#self.address,
      device,
      preparer,
      waitingMax: this.#input.waitingMax,
    };
    const address = this.#self.spawnOn(modelThread, `models/${name}`, 'generation', input);
    this.#self.watch(address);
    this.#candidateAddress = address;
    this.#living.set(prepared.generation, address);
  }

  switchGeneration(): void {
    const old = this.#current;
    this.#current = { address: this.#candidateAddress!, prepared: this.#candidate! };
    this.#candidate = null;
    this.#candidateAddress = null;
    if (old !== null) this.#self.tell(old.address, 'generation.drain', {});
  }

  drainGenerations(): void {
    this.#current = null;
    for (const address of this.#living.values()) {
      this.#self.tell(address, 'generation.drain', {});
    }
  }

  forget(generation: number): void {
    const address = this.#living.get(generation);
    this.#living.delete(generation);
    if (address !== undefined && this.#current?.address === address) this.#current = null;
  }

  /** A watched thread or actor went down: which fact is it for the machine? */
  down(address: string, status: StatusRecord, reason: StopReason): MachineEvent | null {
    if (reason.kind === 'finished') return null;
    if (address === this.#preparation) return { type: 'preparation.failed', status };
    for (const [generation, living] of this.#living) {
      if (living === address) return { type: 'generation.lost', generation, status };
    }
    return null;
  }

  forward(ask: Message): void {
    if (this.#current === null) return this.refuse(ask, null);
    this.#self.forward(ask, this.#current.address);
  }

  refuse(ask: Message, failure: StatusRecord | null): void {
    const { id } = this.#input;
    this.#self.replyError(ask, {
      code: 'unavailable',
      message:
        failure === null
          ? `model ${id} is not serving yet; GET /admin/models/${id} shows its state`
          : `model ${id} failed to register: ${failure.message}`,
      retryAfterS: 1,
    });
  }

  refuseRegistration(ask: Message): void {
    const message = `model ${this.#input.id} is being removed; register it again when it is gone`;
    this.#self.replyError(ask, { code: 'failedPrecondition', message, retryAfterS: 1 });
  }

  answerReady(context: Context): void {
    const summary = this.describe('serving', context);
    for (const ask of this.#registrations.splice(0)) this.#self.reply(ask, summary);
  }

  answerFailed(failure: StatusRecord): void {
    for (const ask of this.#registrations.splice(0)) this.#self.replyError(ask, failure);
  }

  awaitRemoval(ask: Message): void {
    this.#removals.push(ask);
  }

  announceRemoved(): void {
    const gone = new StatusError('cancelled', `model ${this.#input.id} was unregistered`);
    this.answerFailed(toStatus(gone));
    for (const ask of this.#removals.splice(0)) {
      if (ask.role === 'ask') this.#self.reply(ask, this.describe('removed', null));
    }
    this.#self.tell(this.#self.parent, 'deployment.removed', { id: this.#input.id });
  }

  describe(state: string, context: Context | null): DeploymentSummary {
    const prepared = this.#current?.prepared ?? null;
    return {
      id: this.#input.id,
      state,
      location: this.#location,
      generation: prepared?.generation ?? 0,
      address: this.#current?.address ?? null,
      prepared:
        prepared === null
          ? null
          : {
              batchUnits: prepared.capacities.batchUnits,
              stateBytes: prepared.state.image.length,
              peakBytes: peakBytes(prepared),
              stages: prepared.stages,
            },
      failure: context?.failure ?? null,
      createdMs: this.#createdMs,
    };
  }
}

function peakBytes({ capacities, stages }: PreparedModel): number {
  const workspaces = stages.map((stage) => stage.reflection.workspaceBytes);
  return capacities.uploadBytes + capacities.outputBytes + Math.max(0, ...workspaces);
}

export const deployment = machineActor(
  machine,
  (self: ActorSelf, input: DeploymentInput): MachineHost => {
    const host = new DeploymentHost(self, input);
    const failure = (context: unknown): StatusRecord =>
      (context as Context).failure ?? toStatus(new Error('failed without a reason'));
    return {
      effects: {
        keepPackage: (_e, _c, message) => host.keepPackage(message),
        startPreparation: (_e, context) => host.startPreparation(context as Context),
        cancelPreparation: () => host.cancelPreparation(),
        keepCandidate: (event) =>
          host.keepCandidate((event as unknown as { prepared: PreparedModel }).prepared),
        dropCandidate: () => host.dropCandidate(),
        startGeneration: () => host.startGeneration(),
        switchGeneration: () => host.switchGeneration(),
        drainGenerations: () => host.drainGenerations(),
        forgetGeneration: (event) =>
          host.forget((event as unknown as { generation: number }).generation),
        forwardRequest: (_e, _c, message) => host.forward(message),
        refuseRequest: (_e, context, message) => host.refuse(message, (context as Context).failure),
        refuseRegistration: (_e, _c, message) => host.refuseRegistration(message),
        answerReady: (_e, context) => host.answerReady(context as Context),
        answerFailed: (_e, context) => host.answerFailed(failure(context)),
        awaitRemoval: (_e, _c, message) => host.awaitRemoval(message),
        announceRemoved: () => host.announceRemoved(),
      },
      down: (address, status, reason) => host.down(address, status, reason),
      messages: { cancel: () => null },
      asks: {
        'deployment.describe': (state, context) => host.describe(state, context as Context),
      },
    };
  },
);
