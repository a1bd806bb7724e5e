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
import { type Backoff, backoffMs } from '../policy/backoff.js';
import type { PackageLocation, PreparedModel, SessionRules } from '../protocol.js';
import type { DeviceUse } from '../system/device.js';
import type { Context, Input } from './deployment-context.js';
import { machine } from './deployment.machine.js';
import type { GenerationInput } from './generation-base.js';
import type { PreparationOrder } from './preparation.js';
import { summaryOf, type PreparedSummary } from './prepared-summary.js';

/** Between attempts to prepare again what was lost. */
const RECOVERY: Backoff = { initialMs: 100, maxMs: 30_000, steadyMs: 30_000 };

export interface DeploymentInput {
  readonly id: string;
  /** Number of the last generation that the id ever had. */
  readonly lastGeneration: number;
  /** Threads that take its generations, preparations and device work. */
  readonly modelThread: string;
  readonly preparationThread: string;
  readonly device: DeviceUse;
  /** Inputs that may wait for one generation (`--max-queue`). */
  readonly waitingMax: number;
  readonly sessions?: SessionRules;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** Answer to 'deployment.describe', and to a registration that waited. */
export interface DeploymentSummary {
  readonly id: string;
  readonly state: string;
  readonly location: PackageLocation | null;
  readonly generation: number;
  /** Name of the device that it is on. */
  readonly device: string;
  readonly address: string | null;
  readonly prepared: PreparedSummary | null;
  readonly failure: StatusRecord | null;
  /** It has served, none serves now, and its package is prepared again by itself. */
  readonly isRecovering: boolean;
  readonly createdMs: number;
}

/** What it tells of itself to who asks where a request is. */
export interface DeploymentDetails {
  readonly id: string;
  /** Address of the generation that gets new requests; null: none serves. */
  readonly serving: string | null;
}

/** What serves: where, and from which package. */
interface Served {
  readonly address: string;
  readonly prepared: PreparedModel;
}

class DeploymentHost {
  readonly #self: ActorSelf;
  readonly #input: DeploymentInput;
  #device: string;
  /** Packages: the newest, the one in preparation or loading, the last that served. */
  #location: PackageLocation | null = null;
  #started: PackageLocation | null = null;
  #served: PackageLocation | null = null;
  #candidate: PreparedModel | null = null;
  #candidateAddress: string | null = null;
  #preparation: string | null = null;
  #current: Served | null = null;
  readonly #living = new Map<number, string>();
  /** Registrations of the package in preparation or loading, and of a newer one. */
  #waiting: Message[] = [];
  #next: Message[] = [];
  readonly #removals: Message[] = [];

  constructor(self: ActorSelf, input: DeploymentInput) {
    this.#self = self;
    this.#input = input;
    this.#device = input.device.address;
  }

  keepDevice(device: string): void {
    this.#device = device;
  }

  keepPackage(ask: Message): void {
    const { location, wait } = ask.payload as { location: PackageLocation; wait: boolean };
    this.#answerSuperseded(this.#next);
    this.#location = location;
    this.#next = wait ? [ask] : [];
    if (!wait) this.#self.reply(ask, this.describe('preparing', null));
  }

  /** A newer package has come: the one in preparation will never serve. */
  supersede(): void {
    this.#answerSuperseded(this.#waiting);
    this.#waiting = [];
  }

  #answerSuperseded(registrations: readonly Message[]): void {
    const message = `a later registration of model ${this.#input.id} took the place of this one`;
    for (const ask of registrations) {
      this.#self.replyError(ask, { code: 'failedPrecondition', message });
    }
  }

  /** Back to the package that served. */
  revertPackage(): void {
    this.#location = this.#served;
  }

  startPreparation(context: Context): void {
    const { preparationThread, id, device } = this.#input;
    const { generation } = context;
    // An older package whose load was lost gives way to a newer one.
    if (this.#started !== this.#location) this.supersede();
    this.#waiting.push(...this.#next);
    this.#next = [];
    this.#started = this.#location;
    const input: PreparationOrder = {
      location: this.#location!,
      generation,
      deployment: this.#self.address,
      device: this.#device,
      facts: device.facts,
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
  }

  /** It was prepared and nobody takes it: programs, banks and files of it go. */
  dropCandidate(): void {
    if (this.#candidate !== null) this.#releaseScope(this.#candidate.generation);
    this.#candidate = null;
  }

  startGeneration(): void {
    const { modelThread, preparationThread, id, waitingMax, sessions } = this.#input;
    const prepared = this.#candidate!;
    const input: GenerationInput = {
      prepared,
      deployment: this.#self.address,
      device: this.#device,
      preparationThread,
      waitingMax,
      sessions,
    };
    const name = `models/${id}@${prepared.generation}`;
    const kind = prepared.contract === 'text' ? 'textGeneration' : 'generation';
    const address = this.#self.spawnOn(modelThread, name, kind, input);
    this.#self.watch(address);
    this.#candidateAddress = address;
    this.#living.set(prepared.generation, address);
  }

  switchGeneration(): void {
    const old = this.#current;
    this.#current = { address: this.#candidateAddress!, prepared: this.#candidate! };
    this.#served = this.#started;
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

  /** The device is gone: nothing that lives can finish anything. */
  abandonGenerations(status: StatusRecord): void {
    this.#current = null;
    this.#candidate = null;
    this.#candidateAddress = null;
    for (const address of this.#living.values()) {
      this.#self.tell(address, 'device.lost', { status });
    }
  }

  /** Whatever a generation left on the device: it may not have been able to clean up itself. */
  release(generation: number, context: Context): void {
    if (context.device) this.#releaseScope(generation);
  }

  #releaseScope(generation: number): void {
    const scope = `${this.#input.id}@${generation}/`;
    this.#self.tell(this.#device, 'executables.release', { scope });
  }

  forget(generation: number): void {
    const address = this.#living.get(generation);
    this.#living.delete(generation);
    if (address === undefined) return;
    if (this.#current?.address === address) this.#current = null;
    if (this.#candidateAddress !== address) return;
    this.#candidate = null;
    this.#candidateAddress = null;
  }

  startBackoff({ attempts }: Context): void {
    this.#self.startTimer('recovery', backoffMs(RECOVERY, attempts), 'recovery.due');
  }

  cancelBackoff(): void {
    this.#self.cancelTimer('recovery');
  }

  startSteady({ attempts }: Context): void {
    if (attempts > 0) this.#self.startTimer('steady', RECOVERY.steadyMs, 'recovery.settled');
  }

  cancelSteady(): void {
    this.#self.cancelTimer('steady');
  }

  /** A fact of the running preparation; one of an earlier that was lost meanwhile is none. */
  preparationFact(message: Message): MachineEvent | null {
    if (message.from !== this.#preparation) return null;
    this.#preparation = null;
    return { ...(message.payload as object), type: message.kind };
  }

  generationFact(message: Message): MachineEvent | null {
    const fact = message.payload as { generation: number };
    if (this.#living.get(fact.generation) !== message.from) return null;
    const isLoaded = message.kind === 'generation.loaded';
    if (isLoaded && message.from !== this.#candidateAddress) return null;
    return { ...fact, type: message.kind };
  }

  /** A watched thread or actor went down: which fact is it for the machine? */
  down(address: string, status: StatusRecord, reason: StopReason): MachineEvent | null {
    if (reason.kind === 'finished') return null;
    const withThread = reason.kind === 'lost';
    if (address === this.#preparation) {
      this.#preparation = null;
      return { type: 'preparation.failed', status, withThread };
    }
    for (const [generation, living] of this.#living) {
      if (living === address) return { type: 'generation.lost', generation, status, withThread };
    }
    return null;
  }

  forward(ask: Message, context: Context): void {
    if (this.#current === null) return this.refuse(ask, context);
    this.#self.forward(ask, this.#current.address);
  }

  refuse(ask: Message, { failure, served }: Context): void {
    const { id } = this.#input;
    this.#self.replyError(ask, {
      code: 'unavailable',
      message:
        failure === null
          ? `model ${id} is not serving yet; GET /admin/models/${id} shows its state`
          : served
            ? `model ${id} is being brought back: ${failure.message}`
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
    for (const ask of this.#waiting.splice(0)) this.#self.reply(ask, summary);
  }

  answerFailed(failure: StatusRecord): void {
    for (const ask of this.#waiting.splice(0)) this.#self.replyError(ask, failure);
  }

  awaitRemoval(ask: Message): void {
    this.#removals.push(ask);
  }

  announceRemoved(context: Context): void {
    const { id } = this.#input;
    const gone = new StatusError('cancelled', `model ${id} was unregistered`);
    this.#waiting.push(...this.#next);
    this.#next = [];
    this.answerFailed(toStatus(gone));
    for (const ask of this.#removals.splice(0)) {
      if (ask.role === 'ask') this.#self.reply(ask, this.describe('removed', null));
    }
    const { generation } = context;
    this.#self.tell(this.#self.parent, 'deployment.removed', { id, generation });
  }

  details(): DeploymentDetails {
    return { id: this.#input.id, serving: this.#current?.address ?? null };
  }

  describe(state: string, context: Context | null): DeploymentSummary {
    const prepared = this.#current?.prepared ?? null;
    return {
      id: this.#input.id,
      state,
      location: prepared === null ? this.#location : this.#served,
      generation: prepared?.generation ?? 0,
      device: this.#input.device.name,
      address: this.#current?.address ?? null,
      prepared: prepared === null ? null : summaryOf(prepared),
      failure: context?.failure ?? null,
      isRecovering: context !== null && context.attempts > 0 && context.current === 0,
      createdMs: this.#input.createdMs,
    };
  }
}

export const deployment = machineActor(
  machine,
  (self: ActorSelf, input: DeploymentInput): MachineHost => {
    const host = new DeploymentHost(self, input);
    return {
      input: { lastGeneration: input.lastGeneration } satisfies Input,
      effects: effectsOf(host),
      down: (address, status, reason) => host.down(address, status, reason),
      messages: {
        cancel: () => null,
        'preparation.prepared': (message) => host.preparationFact(message),
        'preparation.failed': (message) => host.preparationFact(message),
        'preparation.cancelled': (message) => host.preparationFact(message),
        'generation.loaded': (message) => host.generationFact(message),
        'generation.failed': (message) => host.generationFact(message),
        'generation.retired': (message) => host.generationFact(message),
        'generation.lost': (message) => host.generationFact(message),
      },
      details: () => host.details(),
      asks: {
        'deployment.describe': (state, context) => host.describe(state, context as Context),
      },
    };
  },
);

function effectsOf(host: DeploymentHost): MachineHost['effects'] {
  const failure = (context: unknown): StatusRecord =>
    (context as Context).failure ?? toStatus(new Error('failed without a reason'));
  const number = (event: object): number => (event as { generation: number }).generation;
  return {
    keepDevice: (event) => host.keepDevice((event as unknown as { device: string }).device),
    keepPackage: (_e, _c, message) => host.keepPackage(message),
    supersedeRegistrations: () => host.supersede(),
    revertPackage: () => host.revertPackage(),
    startPreparation: (_e, context) => host.startPreparation(context as Context),
    cancelPreparation: () => host.cancelPreparation(),
    releasePreparation: (_e, context) =>
      host.release((context as Context).generation, context as Context),
    keepCandidate: (event) =>
      host.keepCandidate((event as unknown as { prepared: PreparedModel }).prepared),
    dropCandidate: () => host.dropCandidate(),
    startGeneration: () => host.startGeneration(),
    switchGeneration: () => host.switchGeneration(),
    drainGenerations: () => host.drainGenerations(),
    abandonGenerations: (event) =>
      host.abandonGenerations((event as unknown as { status: StatusRecord }).status),
    releaseGeneration: (event, context) => host.release(number(event), context as Context),
    forgetGeneration: (event) => host.forget(number(event)),
    forwardRequest: (_e, context, message) => host.forward(message, context as Context),
    refuseRequest: (_e, context, message) => host.refuse(message, context as Context),
    refuseRegistration: (_e, _c, message) => host.refuseRegistration(message),
    answerReady: (_e, context) => host.answerReady(context as Context),
    answerFailed: (_e, context) => host.answerFailed(failure(context)),
    startBackoff: (_e, context) => host.startBackoff(context as Context),
    cancelBackoff: () => host.cancelBackoff(),
    startSteady: (_e, context) => host.startSteady(context as Context),
    cancelSteady: () => host.cancelSteady(),
    awaitRemoval: (_e, _c, message) => host.awaitRemoval(message),
    announceRemoved: (_e, context) => host.announceRemoved(context as Context),
  };
}
