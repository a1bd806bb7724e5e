/**
 * The actor of the whole server, on the main thread: hosts `server.machine.ts`, keeps one
 * deployment actor an id and routes commands and requests to it.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { deployment } from '../model/deployment.js';
import type { FiniteCall, PackageLocation } from '../protocol.js';
import { machine } from './server.machine.js';

export interface ServerInput {
  readonly modelThreads: readonly string[];
  readonly preparationThreads: readonly string[];
  readonly deviceThread: string;
  /** Inputs that may wait for one generation. */
  readonly waitingMax: number;
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
  #device = '';
  #created = 0;
  readonly #starters: Message[] = [];
  readonly #drainers: Message[] = [];

  constructor(self: ActorSelf, input: ServerInput) {
    this.#self = self;
    this.#input = input;
  }

  openDevice(): void {
    const { deviceThread } = this.#input;
    const input = { opened: this.#self.address };
    this.#device = this.#self.spawnOn(deviceThread, 'device', 'deviceQueue', input);
    this.#self.watch(this.#device);
  }

  down(address: string, status: StatusRecord): MachineEvent | null {
    return address === this.#device ? { type: 'device.lost', status } : null;
  }

  register(ask: Message): void {
    const { location } = ask.payload as RegisterDeployment;
    const known = this.#deployments.get(location.id);
    this.#self.forward(ask, known ?? this.#create(location.id));
  }

  #create(id: string): string {
    const { modelThreads, preparationThreads, waitingMax, wallTime } = this.#input;
    const turn = this.#created++;
    const address = this.#self.spawn(`deployments/${id}`, deployment, {
      id,
      modelThread: modelThreads[turn % modelThreads.length]!,
      preparationThread: preparationThreads[turn % preparationThreads.length]!,
      device: this.#device,
      waitingMax,
      createdMs: wallTime(),
    });
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

  refuse(ask: Message): void {
    this.#self.replyError(ask, {
      code: 'unavailable',
      message: 'the server is starting or draining and takes nothing new',
      retryAfterS: 1,
    });
  }

  forget(id: string): void {
    this.#deployments.delete(id);
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

  describe(state: string): ServerSummary {
    return { state, deployments: [...this.#deployments], device: this.#device };
  }
}

/** Answer to 'server.describe': ids and addresses of the deployments, and the device's. */
export interface ServerSummary {
  readonly state: string;
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
      failStarters: (event) => host.failStarters(event['status'] as StatusRecord),
      keepDrainer: (_e, _c, message) => host.keepDrainer(message),
      answerDrainers: () => host.answerDrainers(),
      registerDeployment: (_e, _c, message) => host.register(message),
      unregisterDeployment: (_e, _c, message) => host.unregister(message),
      forgetDeployment: (event) => host.forget((event as unknown as { id: string }).id),
      forwardRequest: (_e, _c, message) => host.forwardRequest(message),
      refuseRequest: (_e, _c, message) => host.refuse(message),
      refuseRegistration: (_e, _c, message) => host.refuse(message),
      drainDeployments: () => host.drain(),
      closeDevice: () => host.closeDevice(),
    },
    down: (address, status) => host.down(address, status),
    messages: { cancel: () => null },
    asks: { 'server.describe': (state) => host.describe(state) },
  };
});
