/**
 * The actor of the whole server, on the main thread: hosts `server.machine.ts`, keeps one
 * deployment actor an id and routes commands and requests to it.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { StopReason } from '../../runtime/system/stop-reason.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { type Backoff, backoffMs } from '../policy/backoff.js';
import { deployment, type DeploymentInput } from '../model/deployment.js';
import type { FiniteCall, PackageLocation } from '../protocol.js';
import { type Context, machine } from './server.machine.js';

/** Between attempts to open a lost device: its thread restarts in a fraction of a second. */
const REOPENING: Backoff = { initialMs: 50, maxMs: 5_000, steadyMs: 30_000 };

const DRAINED: StatusRecord = {
  code: 'unavailable',
  message: 'the server was drained before it had started',
};

export interface ServerInput {
  readonly modelThreads: readonly string[];
  readonly preparationThreads: readonly string[];
  readonly deviceThread: string;
  /** Inputs that may wait for one generation. */
  readonly waitingMax: number;
  /** Sessions without a turn for so long are closed; absent: after ten minutes. */
  readonly sessionIdleMs?: number;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
}

/** 'deployment.register' to the server. */
export interface RegisterDeployment {
  readonly location: PackageLocation;
  readonly wait: boolean;
}

class ServerHost {
  readonly #self: ActorSelf;
  readonly #input: ServerInput;
  readonly #deployments = new Map<string, string>();
  /** Number of the last generation of ids that are gone: the next one's follow. */
  readonly #numbers = new Map<string, number>();
  #device = '';
  #isDeviceLost = false;
  #opened = 0;
  #created = 0;
  readonly #starters: Message[] = [];
  readonly #drainers: Message[] = [];

  constructor(self: ActorSelf, input: ServerInput) {
    this.#self = self;
    this.#input = input;
  }

  /** Each opening has an address of its own: what was sent to a lost device reaches no other. */
  openDevice(): void {
    const { deviceThread } = this.#input;
    const input = { opened: this.#self.address };
    const name = this.#opened === 0 ? 'device' : `device@${this.#opened + 1}`;
    this.#opened += 1;
    this.#isDeviceLost = false;
    this.#device = this.#self.spawnOn(deviceThread, name, 'deviceQueue', input);
    this.#self.watch(this.#device);
  }

  /** Only what the present device says counts, and its loss once. */
  deviceFact(message: Message): MachineEvent | null {
    if (message.from !== this.#device || this.#isDeviceLost) return null;
    this.#isDeviceLost = message.kind !== 'device.opened';
    return { ...(message.payload as object), type: message.kind };
  }

  down(address: string, status: StatusRecord, reason: StopReason): MachineEvent | null {
    if (address === this.#device) {
      if (this.#isDeviceLost) return null;
      this.#isDeviceLost = true;
      return { type: 'device.lost', status };
    }
    if (reason.kind === 'finished') return null;
    // A deployment that failed is a fault of the server: its id must not be lost with it.
    for (const [id, at] of this.#deployments) {
      if (at === address) return { type: 'deployment.removed', id, generation: 0 };
    }
    return null;
  }

  strandDeployments(status: StatusRecord): void {
    for (const address of this.#deployments.values()) {
      this.#self.tell(address, 'device.lost', { status });
    }
  }

  restoreDeployments(): void {
    for (const address of this.#deployments.values()) {
      this.#self.tell(address, 'device.opened', { device: this.#device });
    }
  }

  startBackoff({ attempts }: Context): void {
    this.#self.startTimer('device', backoffMs(REOPENING, attempts), 'reopen.due');
  }

  startSteady({ attempts }: Context): void {
    if (attempts > 0) this.#self.startTimer('device', REOPENING.steadyMs, 'device.settled');
  }

  cancelTimers(): void {
    this.#self.cancelTimer('device');
  }

  register(ask: Message): void {
    const { location } = ask.payload as RegisterDeployment;
    const known = this.#deployments.get(location.id);
    this.#self.forward(ask, known ?? this.#create(location.id));
  }

  #create(id: string): string {
    const { modelThreads, preparationThreads, waitingMax, sessionIdleMs, wallTime } = this.#input;
    const turn = this.#created++;
    const input: DeploymentInput = {
      id,
      lastGeneration: this.#numbers.get(id) ?? 0,
      modelThread: modelThreads[turn % modelThreads.length]!,
      preparationThread: preparationThreads[turn % preparationThreads.length]!,
      device: this.#device,
      waitingMax,
      sessionIdleMs,
      createdMs: wallTime(),
    };
    const address = this.#self.spawn(`deployments/${id}`, deployment, input, { watch: true });
    this.#deployments.set(id, address);
    this.#self.tell(this.#self.address, 'deployment.created', {});
    return address;
  }

  unregister(ask: Message): void {
    this.#route(ask, (ask.payload as { id: string }).id);
  }

  forwardRequest(ask: Message): void {
    this.#route(ask, (ask.payload as FiniteCall).deployment);
  }

  #route(ask: Message, id: string): void {
    const address = this.#deployments.get(id);
    if (address !== undefined) return this.#self.forward(ask, address);
    const known = [...this.#deployments.keys()].join(', ') || 'none';
    this.#self.replyError(ask, {
      code: 'notFound',
      message: `no model has the id '${id}' (registered: ${known})`,
      param: 'model',
    });
  }

  refuse(ask: Message, failure: StatusRecord | null): void {
    this.#self.replyError(ask, {
      code: 'unavailable',
      message:
        failure === null
          ? 'the server is starting or draining and takes nothing new'
          : `the device was lost and is being opened again: ${failure.message}`,
      retryAfterS: 1,
    });
  }

  forget({ id, generation }: { id: string; generation: number }): void {
    this.#deployments.delete(id);
    if (generation > 0) this.#numbers.set(id, generation);
  }

  drain(): void {
    for (const address of this.#deployments.values()) {
      this.#self.tell(address, 'deployment.unregister', {});
    }
  }

  keepStarter(ask: Message): void {
    this.#starters.push(ask);
  }

  answerStarters(): void {
    for (const ask of this.#starters.splice(0)) this.#self.reply(ask, {});
  }

  failStarters(failure: StatusRecord): void {
    for (const ask of this.#starters.splice(0)) this.#self.replyError(ask, failure);
  }

  /** The first caller's bound holds: when it is over, what is left ends with the process. */
  keepDrainer(ask: Message): void {
    const { boundMs } = ask.payload as { boundMs: number };
    if (this.#drainers.length === 0) this.#self.startTimer('drain', boundMs, 'drain.expired');
    this.#drainers.push(ask);
  }

  answerDrainers(): void {
    for (const ask of this.#drainers.splice(0)) this.#self.reply(ask, {});
  }

  closeDevice(): void {
    this.#self.tell(this.#device, 'device.close', {});
  }

  describe(state: string, { failure }: Context): ServerSummary {
    return { state, failure, deployments: [...this.#deployments], device: this.#device };
  }
}

/** Answer to 'server.describe': ids and addresses of the deployments, and the device's. */
export interface ServerSummary {
  readonly state: string;
  /** Why the device does not work, or null. */
  readonly failure: StatusRecord | null;
  readonly deployments: readonly (readonly [string, string])[];
  readonly device: string;
}

export const server = machineActor(machine, (self: ActorSelf, input: ServerInput): MachineHost => {
  const host = new ServerHost(self, input);
  return {
    effects: {
      openDevice: () => host.openDevice(),
      keepStarter: (_e, _c, message) => host.keepStarter(message),
      answerStarters: () => host.answerStarters(),
      failStarters: (event) => host.failStarters((event['status'] as StatusRecord) ?? DRAINED),
      keepDrainer: (_e, _c, message) => host.keepDrainer(message),
      answerDrainers: () => host.answerDrainers(),
      registerDeployment: (_e, _c, message) => host.register(message),
      unregisterDeployment: (_e, _c, message) => host.unregister(message),
      forgetDeployment: (event) =>
        host.forget(event as unknown as { id: string; generation: number }),
      forwardRequest: (_e, _c, message) => host.forwardRequest(message),
      strandDeployments: (event) => host.strandDeployments(event['status'] as StatusRecord),
      restoreDeployments: () => host.restoreDeployments(),
      startBackoff: (_e, context) => host.startBackoff(context as Context),
      startSteady: (_e, context) => host.startSteady(context as Context),
      cancelTimers: () => host.cancelTimers(),
      refuseRequest: (_e, _c, message) => host.refuse(message, null),
      refuseRegistration: (_e, context, message) =>
        host.refuse(message, (context as Context).failure),
      drainDeployments: () => host.drain(),
      closeDevice: () => host.closeDevice(),
    },
    down: (address, status, reason) => host.down(address, status, reason),
    messages: {
      cancel: () => null,
      'device.opened': (message) => host.deviceFact(message),
      'device.refused': (message) => host.deviceFact(message),
      'device.lost': (message) => host.deviceFact(message),
    },
    asks: { 'server.describe': (state, context) => host.describe(state, context as Context) },
  };
});
