/**
 * The actor of the whole server, on the main thread: hosts `server.machine.ts`, keeps one
 * deployment actor an id and routes commands and requests to it.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { TargetFacts } from '../../runtime/base/target-facts.js';
import { deviceFor, type NamedDevice } from '../../runtime/packages/package-device.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { StopReason } from '../../runtime/system/stop-reason.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { deployment, type DeploymentInput } from '../model/deployment.js';
import type { FiniteCall, PackageLocation, SessionRules } from '../protocol.js';
import { device, type DeviceFact, type DeviceInput } from './device.js';
import { type Input, machine } from './server.machine.js';

const DRAINED: StatusRecord = {
  code: 'unavailable',
  message: 'the server was drained before it had started',
};

/** A device that the server opens, with a thread of its own. */
export interface ServerDevice extends NamedDevice {
  readonly thread: string;
  /** What programs are compiled for. */
  readonly facts: TargetFacts;
}

export interface ServerInput {
  readonly modelThreads: readonly string[];
  readonly preparationThreads: readonly string[];
  /** The first runs packages that name none. */
  readonly devices: readonly ServerDevice[];
  /** Inputs that may wait for one generation. */
  readonly waitingMax: number;
  readonly sessions?: SessionRules;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
}

/** 'deployment.register' to the server. */
export interface RegisterDeployment {
  readonly location: PackageLocation;
  readonly wait: boolean;
}

/** A device as it is now. */
interface Opened extends ServerDevice {
  readonly actor: string;
  /** Of the queue that is open or was lost; empty before. */
  address: string;
  /** Why it does not work, or null. */
  failure: StatusRecord | null;
}

interface Deployed {
  readonly address: string;
  readonly device: Opened;
}

class ServerHost {
  readonly #self: ActorSelf;
  readonly #input: ServerInput;
  readonly #deployments = new Map<string, Deployed>();
  /** Number of the last generation of ids that are gone: the next one's follow. */
  readonly #numbers = new Map<string, number>();
  /** In the order of the input. */
  readonly #devices: Opened[] = [];
  #created = 0;
  readonly #starters: Message[] = [];
  readonly #drainers: Message[] = [];

  constructor(self: ActorSelf, input: ServerInput) {
    this.#self = self;
    this.#input = input;
  }

  openDevices(): void {
    for (const one of this.#input.devices) {
      const { name, thread } = one;
      const input: DeviceInput = { name, thread };
      const actor = this.#self.spawn(`devices/${thread}`, device, input, { watch: true });
      this.#devices.push({ ...one, actor, address: '', failure: null });
    }
  }

  deviceFact({ from, kind, payload }: Message): MachineEvent | null {
    const opened = this.#devices.find(({ actor }) => actor === from);
    if (opened === undefined) return null;
    const { address, status } = payload as DeviceFact;
    opened.address = address;
    opened.failure = status;
    return { ...(payload as object), type: kind };
  }

  down(address: string, status: StatusRecord, reason: StopReason): MachineEvent | null {
    if (reason.kind === 'finished') return null;
    const opened = this.#devices.find(({ actor }) => actor === address);
    if (opened !== undefined) {
      // A fault of the server: nothing opens it again, and the reason stays.
      opened.failure = status;
      return { type: 'device.lost', name: opened.name, status };
    }
    // A deployment that failed is a fault of the server: its id must not be lost with it.
    for (const [id, deployed] of this.#deployments) {
      if (deployed.address === address) return { type: 'deployment.removed', id, generation: 0 };
    }
    return null;
  }

  strandDeployments({ name, status }: DeviceFact): void {
    for (const address of this.#deployedOn(name)) {
      this.#self.tell(address, 'device.lost', { status });
    }
  }

  restoreDeployments({ name, address: opened }: DeviceFact): void {
    for (const address of this.#deployedOn(name)) {
      this.#self.tell(address, 'device.opened', { device: opened });
    }
  }

  #deployedOn(name: string): readonly string[] {
    const deployed = [...this.#deployments.values()];
    return deployed.flatMap((one) => (one.device.name === name ? [one.address] : []));
  }

  register(ask: Message): void {
    const { location } = ask.payload as RegisterDeployment;
    try {
      const known = this.#deployments.get(location.id);
      const chosen = this.#deviceFor(location, known);
      if (chosen.failure !== null) return this.#refuseLost(ask, chosen);
      const address = known?.address ?? this.#create(location.id, chosen);
      this.#self.forward(ask, address);
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
  }

  /** A deployment stays on its device, where its generations have what they need. */
  #deviceFor({ id, document }: PackageLocation, known: Deployed | undefined): Opened {
    const chosen = deviceFor(document, this.#devices, known?.device);
    if (known === undefined || known.device === chosen) return chosen;
    throw new StatusError(
      'failedPrecondition',
      `model ${id} is on the device '${known.device.name}' and the package asks for '${chosen.name}' (deployment.device): remove the model, then register it again`,
    );
  }

  #create(id: string, device: Opened): string {
    const { modelThreads, preparationThreads, waitingMax, sessions, wallTime } = this.#input;
    const turn = this.#created++;
    const input: DeploymentInput = {
      id,
      lastGeneration: this.#numbers.get(id) ?? 0,
      modelThread: modelThreads[turn % modelThreads.length]!,
      preparationThread: preparationThreads[turn % preparationThreads.length]!,
      device: { name: device.name, address: device.address, facts: device.facts },
      waitingMax,
      sessions,
      createdMs: wallTime(),
    };
    const address = this.#self.spawn(`deployments/${id}`, deployment, input, { watch: true });
    this.#deployments.set(id, { address, device });
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
    const deployed = this.#deployments.get(id);
    if (deployed !== undefined) return this.#self.forward(ask, deployed.address);
    const known = [...this.#deployments.keys()].join(', ') || 'none';
    this.#self.replyError(ask, {
      code: 'notFound',
      message: `no model has the id '${id}' (registered: ${known})`,
      param: 'model',
    });
  }

  refuse(ask: Message): void {
    this.#refuse(ask, 'the server is starting or draining and takes nothing new');
  }

  #refuseLost(ask: Message, { name, failure }: Opened): void {
    const which = this.#devices.length > 1 ? `the device '${name}'` : 'the device';
    this.#refuse(ask, `${which} was lost and is being opened again: ${failure!.message}`);
  }

  #refuse(ask: Message, message: string): void {
    this.#self.replyError(ask, { code: 'unavailable', message, retryAfterS: 1 });
  }

  forget({ id, generation }: { id: string; generation: number }): void {
    this.#deployments.delete(id);
    if (generation > 0) this.#numbers.set(id, generation);
  }

  drain(): void {
    for (const { address } of this.#deployments.values()) {
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

  closeDevices(): void {
    for (const { address } of this.#devices) {
      if (address !== '') this.#self.tell(address, 'device.close', {});
    }
  }

  describe(state: string): ServerSummary {
    return {
      state,
      deployments: [...this.#deployments].map(([id, { address }]) => [id, address]),
      devices: this.#devices.map(({ name, address, failure }) => ({ name, address, failure })),
    };
  }
}

/** Answer to 'server.describe'. */
export interface ServerSummary {
  readonly state: string;
  /** Ids and addresses. */
  readonly deployments: readonly (readonly [string, string])[];
  /** The first runs packages that name none. */
  readonly devices: readonly DeviceState[];
}

export interface DeviceState {
  readonly name: string;
  /** Of its queue. */
  readonly address: string;
  /** Why it does not work, or null. */
  readonly failure: StatusRecord | null;
}

export const server = machineActor(machine, (self: ActorSelf, input: ServerInput): MachineHost => {
  const host = new ServerHost(self, input);
  return {
    input: { devices: input.devices.length } satisfies Input,
    effects: {
      openDevices: () => host.openDevices(),
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
      strandDeployments: (event) => host.strandDeployments(event as unknown as DeviceFact),
      restoreDeployments: (event) => host.restoreDeployments(event as unknown as DeviceFact),
      refuseRequest: (_e, _c, message) => host.refuse(message),
      refuseRegistration: (_e, _c, message) => host.refuse(message),
      drainDeployments: () => host.drain(),
      closeDevices: () => host.closeDevices(),
    },
    down: (address, status, reason) => host.down(address, status, reason),
    messages: {
      cancel: () => null,
      'device.opened': (message) => host.deviceFact(message),
      'device.refused': (message) => host.deviceFact(message),
      'device.lost': (message) => host.deviceFact(message),
    },
    asks: { 'server.describe': (state) => host.describe(state) },
  };
});
