/**
 * Lets laws watch every actor of a simulated thread from outside: what it handles, tells, asks,
 * answers and spawns, in the order in which it happens, with payloads. Actors do not notice.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type {
  ActorFactory,
  ActorSelf,
  AskOptions,
  Behaviour,
  ReplyOptions,
  TellOptions,
} from '../../runtime/system/actor.js';
import type { Address } from '../../runtime/system/address.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { StopReason } from '../../runtime/system/stop-reason.js';
import type { ChildOptions, Supervision } from '../../runtime/system/supervision.js';

export type Observation =
  | { readonly type: 'started'; readonly kind: string; readonly input: unknown }
  | { readonly type: 'handled'; readonly message: Message }
  | {
      readonly type: 'told' | 'asked';
      readonly to: Address;
      readonly kind: string;
      readonly payload: unknown;
    }
  | { readonly type: 'answered'; readonly ask: Message; readonly status: StatusRecord | null }
  | { readonly type: 'passedOn'; readonly ask: Message; readonly to: Address }
  | {
      readonly type: 'spawned';
      readonly child: Address;
      readonly kind: string;
      readonly input: unknown;
    }
  | { readonly type: 'stopped'; readonly reason: StopReason };

export interface Observer {
  /** Before an actor acts on a message, and at each thing that it does. */
  observe(actor: Address, observation: Observation): void;
}

type See = <Input>(factory: ActorFactory<Input>) => ActorFactory<Input>;

/** Gives for an actor the same one, seen by `observer` as is all that it spawns by a factory. */
export function observing(observer: Observer): See {
  const known = new Map<unknown, unknown>();
  const see: See = <Input>(factory: ActorFactory<Input>) => {
    const found = known.get(factory) ?? observed(factory, observer, see);
    known.set(factory, found);
    return found as ActorFactory<Input>;
  };
  return see;
}

function observed<Input>(
  factory: ActorFactory<Input>,
  observer: Observer,
  see: See,
): ActorFactory<Input> {
  const made = (self: ActorSelf, input: Input): Behaviour => {
    observer.observe(self.address, { type: 'started', kind: factory.name, input });
    const watched = new ObservedSelf(self, observer, see);
    const behaviour = factory(watched, input);
    return {
      receive(_self, message) {
        observer.observe(self.address, { type: 'handled', message });
        behaviour.receive(watched, message);
      },
      stopped(_self, reason) {
        observer.observe(self.address, { type: 'stopped', reason });
        behaviour.stopped?.(watched, reason);
      },
      describe: (isDetailed) => behaviour.describe?.(isDetailed),
    };
  };
  Object.defineProperty(made, 'name', { value: factory.name });
  return made;
}

class ObservedSelf implements ActorSelf {
  readonly #self: ActorSelf;
  readonly #observer: Observer;
  readonly #see: See;

  constructor(self: ActorSelf, observer: Observer, see: See) {
    this.#self = self;
    this.#observer = observer;
    this.#see = see;
  }

  get address(): Address {
    return this.#self.address;
  }

  get parent(): Address {
    return this.#self.parent;
  }

  get current(): Message | null {
    return this.#self.current;
  }

  get probe(): ActorSelf['probe'] {
    return this.#self.probe;
  }

  now(): number {
    return this.#self.now();
  }

  wallTime(): number {
    return this.#self.wallTime();
  }

  nextId(prefix: string): string {
    return this.#self.nextId(prefix);
  }

  log(...args: Parameters<ActorSelf['log']>): void {
    this.#self.log(...args);
  }

  tell(to: Address, kind: string, payload?: unknown, options?: TellOptions): void {
    this.#observe({ type: 'told', to, kind, payload });
    this.#self.tell(to, kind, payload, options);
  }

  ask(to: Address, kind: string, payload: unknown, options: AskOptions): string {
    this.#observe({ type: 'asked', to, kind, payload });
    return this.#self.ask(to, kind, payload, options);
  }

  cancelAsk(correlation: string): void {
    this.#self.cancelAsk(correlation);
  }

  reply(ask: Message, value?: unknown, options?: ReplyOptions): void {
    this.#observe({ type: 'answered', ask, status: null });
    this.#self.reply(ask, value, options);
  }

  replyError(ask: Message, status: StatusRecord): void {
    this.#observe({ type: 'answered', ask, status });
    this.#self.replyError(ask, status);
  }

  forward(message: Message, to: Address): void {
    this.#observe({ type: 'passedOn', ask: message, to });
    this.#self.forward(message, to);
  }

  handOver(ask: Message, to: Address): void {
    this.#observe({ type: 'passedOn', ask, to });
    this.#self.handOver(ask, to);
  }

  spawn<Input>(
    name: string,
    kind: string | ActorFactory<Input>,
    input: Input,
    options?: ChildOptions,
  ): Address {
    const made = typeof kind === 'string' ? kind : this.#see(kind);
    const child = this.#self.spawn(name, made, input, options);
    const label = typeof kind === 'string' ? kind : kind.name;
    this.#observe({ type: 'spawned', child, kind: label, input });
    return child;
  }

  spawnOn(...args: Parameters<ActorSelf['spawnOn']>): Address {
    return this.#self.spawnOn(...args);
  }

  supervise(supervision: Supervision): void {
    this.#self.supervise(supervision);
  }

  watch(address: Address): void {
    this.#self.watch(address);
  }

  unwatch(address: Address): void {
    this.#self.unwatch(address);
  }

  stop(address?: Address, reason?: StopReason): void {
    this.#self.stop(address, reason);
  }

  startTimer(...args: Parameters<ActorSelf['startTimer']>): void {
    this.#self.startTimer(...args);
  }

  cancelTimer(name: string): void {
    this.#self.cancelTimer(name);
  }

  #observe(observation: Observation): void {
    this.#observer.observe(this.#self.address, observation);
  }
}
