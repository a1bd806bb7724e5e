/**
 * The actor of one device, on the main thread: hosts `device.machine.ts`, starts the device's queue
 * on the device's own thread, and tells the server what becomes of it.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { TargetFacts } from '../../runtime/base/target-facts.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { type Backoff, backoffMs } from '../policy/backoff.js';
import { type Context, machine } from './device.machine.js';

/** Between attempts to open a lost device: its thread restarts in a fraction of a second. */
const REOPENING: Backoff = { initialMs: 50, maxMs: 5_000, steadyMs: 30_000 };

export interface DeviceInput {
  /** As packages name it. */
  readonly name: string;
  /** That hosts its queue and nothing else. */
  readonly thread: string;
}

/** What a deployment knows of the device that it is on. */
export interface DeviceUse {
  readonly name: string;
  /** Of its queue; another follows when it was lost. */
  readonly address: string;
  /** What programs are compiled for. */
  readonly facts: TargetFacts;
}

/** 'device.opened', 'device.refused' and 'device.lost' to the server. */
export interface DeviceFact {
  readonly name: string;
  /** Of the queue that was opened, or was lost. */
  readonly address: string;
  /** Why it does not work; null: it does. */
  readonly status: StatusRecord | null;
}

class DeviceHost {
  readonly #self: ActorSelf;
  readonly #input: DeviceInput;
  #queue = '';
  #isLost = false;
  #opened = 0;

  constructor(self: ActorSelf, input: DeviceInput) {
    this.#self = self;
    this.#input = input;
  }

  /** Each opening has an address of its own: what was sent to a lost device reaches no other. */
  openQueue(): void {
    const input = { opened: this.#self.address };
    const name = this.#opened === 0 ? 'device' : `device@${this.#opened + 1}`;
    this.#opened += 1;
    this.#isLost = false;
    this.#queue = this.#self.spawnOn(this.#input.thread, name, 'deviceQueue', input);
    this.#self.watch(this.#queue);
  }

  /** Only what the present queue says counts, and its loss once. */
  fact(message: Message): MachineEvent | null {
    if (message.from !== this.#queue || this.#isLost) return null;
    this.#isLost = message.kind !== 'device.opened';
    return { ...(message.payload as object), type: message.kind };
  }

  down(address: string, status: StatusRecord): MachineEvent | null {
    if (address !== this.#queue || this.#isLost) return null;
    this.#isLost = true;
    return { type: 'device.lost', status };
  }

  announce(kind: string, status: StatusRecord | null): void {
    const fact: DeviceFact = { name: this.#input.name, address: this.#queue, status };
    this.#self.tell(this.#self.parent, kind, fact);
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
}

export const device = machineActor(machine, (self: ActorSelf, input: DeviceInput): MachineHost => {
  const host = new DeviceHost(self, input);
  const failure = (context: unknown): StatusRecord | null => (context as Context).failure;
  return {
    effects: {
      openQueue: () => host.openQueue(),
      announceOpened: () => host.announce('device.opened', null),
      announceRefused: (_e, context) => host.announce('device.refused', failure(context)),
      announceLost: (_e, context) => host.announce('device.lost', failure(context)),
      startBackoff: (_e, context) => host.startBackoff(context as Context),
      startSteady: (_e, context) => host.startSteady(context as Context),
      cancelTimers: () => host.cancelTimers(),
    },
    down: (address, status) => host.down(address, status),
    messages: {
      'device.opened': (message) => host.fact(message),
      'device.refused': (message) => host.fact(message),
      'device.lost': (message) => host.fact(message),
    },
  };
});
