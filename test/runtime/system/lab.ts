/** A simulated process for tests: threads by name, each with an actor system and some kinds. */
import type { ActorFactory, ActorSelf, Behaviour } from '../../../runtime/system/actor.js';
import type { LogEntry } from '../../../runtime/system/cell-host.js';
import type { Message } from '../../../runtime/system/envelope.js';
import { ActorKinds } from '../../../runtime/system/kinds.js';
import { ActorSystem, type SystemOptions } from '../../../runtime/system/system.js';
import {
  SimulatedWorld,
  type SimulationOptions,
} from '../../../runtime/system/transports/simulated.js';

export interface LabOptions extends Partial<SimulationOptions> {
  readonly threads?: readonly string[];
  readonly kinds?: Readonly<Record<string, ActorFactory>>;
  readonly system?: Partial<SystemOptions>;
}

export class Lab {
  readonly world: SimulatedWorld;
  readonly log: LogEntry[] = [];
  readonly #systems = new Map<string, ActorSystem>();
  readonly #options: LabOptions;

  constructor(options: LabOptions = {}) {
    this.#options = options;
    this.world = new SimulatedWorld({ seed: 1, ...options });
    for (const thread of options.threads ?? ['main']) this.start(thread);
  }

  /** Starts a thread, also one that was killed. */
  start(thread: string): ActorSystem {
    const kinds = new ActorKinds();
    for (const [kind, factory] of Object.entries(this.#options.kinds ?? {})) {
      kinds.register(kind, factory);
    }
    const { ports, transport } = this.world.thread(thread);
    const log = (entry: LogEntry): void => void this.log.push(entry);
    const system = new ActorSystem({
      thread,
      ports,
      transport,
      kinds,
      log,
      ...this.#options.system,
    });
    this.#systems.set(thread, system);
    return system;
  }

  system(thread = 'main'): ActorSystem {
    return this.#systems.get(thread)!;
  }

  /** Systems of threads that live. */
  get alive(): ActorSystem[] {
    return [...this.#systems.values()].filter(({ thread }) => this.world.isAlive(thread));
  }

  /** Runs until nothing can happen; throws when that takes suspiciously long. */
  settle(): this {
    if (!this.world.run({ stepsMax: 200_000 })) throw new Error('the world does not come to rest');
    return this;
  }
}

/** An actor that hands every message to a function. */
export function actor(
  receive: (self: ActorSelf, message: Message) => void,
  more: Partial<Behaviour> & { start?: (self: ActorSelf) => void } = {},
): ActorFactory {
  return (self) => {
    more.start?.(self);
    return { receive, stopped: more.stopped, describe: more.describe };
  };
}

/** An actor that keeps what it receives. */
export function collector(into: Message[], start?: (self: ActorSelf) => void): ActorFactory {
  return actor((_self, message) => void into.push(message), { start });
}

/** What must be zero when nothing can happen any more. */
export function leaks(system: ActorSystem): Record<string, number> {
  const { pendingAsks, openAsks, watches } = system.describe().counters;
  return { pendingAsks, openAsks, watches };
}

export const nothingLeaks = { pendingAsks: 0, openAsks: 0, watches: 0 };

/** Seeds of a property over runs: fixed, so that a failure names one. */
export function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
