/**
 * What an actor is and what it may do. An actor handles one message a turn, to completion, and
 * never waits: an ask returns at once and its one terminal reply is a message. Everything that it
 * needs of the world (time, ids, timers, other actors) comes through `ActorSelf`.
 */
import type { TransferListItem } from 'node:worker_threads';
import type { StatusRecord } from '../base/errors.js';
import type { Address } from './address.js';
import type { Lane, Message } from './envelope.js';
import type { SystemRecord } from './recorder.js';
import type { StopReason } from './stop-reason.js';
import type { ChildOptions, Supervision } from './supervision.js';

export interface Behaviour {
  receive(self: ActorSelf, message: Message): void;
  /** Called once when it goes down, after its children; it may tell, not ask or spawn. */
  stopped?(self: ActorSelf, reason: StopReason): void;
  /** Its state as plain data, for admin pages; `isDetailed`: all that explains why it waits. */
  describe?(isDetailed: boolean): unknown;
  /** Whether it gets on, as plain data; null when there is nothing to tell. Costs little. */
  pulse?(): object | null;
}

/**
 * Makes the behaviour at the start and after each restart. What it throws fails the actor. The
 * input of a kind is known to whoever registers it, not to the tables that hold kinds.
 */
export type ActorFactory<Input = any> = (self: ActorSelf, input: Input) => Behaviour;

export interface TellOptions {
  readonly transfer?: readonly TransferListItem[];
  readonly lane?: Lane;
}

export interface AskOptions extends TellOptions {
  /** Absolute (`self.now() + …`): when it has passed the reply is a `timeout`. */
  readonly deadlineMs: number;
  /** Kind of the reply message; `reply` without. */
  readonly as?: string;
}

export interface ReplyOptions {
  readonly transfer?: readonly TransferListItem[];
}

/** For machines and other mechanisms that run inside an actor; see `recorder.ts`. */
export interface ActorProbe {
  /** False when nobody observes: then skip the work of describing a transition. */
  readonly isRecording: boolean;
  transition(from: string, to: string, event: string): void;
  /** Tells of what the actor owns; only to be called while somebody observes. */
  record(record: SystemRecord): void;
  /** Counts an event that the state does not expect; in strict systems it throws. */
  unexpected(state: string, event: string): void;
}

export interface ActorSelf {
  readonly address: Address;
  /** Who spawned it: for an actor spawned from another thread, the spawner there. */
  readonly parent: Address;
  /** The message being handled; null while it starts or stops. */
  readonly current: Message | null;

  readonly probe: ActorProbe;

  /** Milliseconds of the process clock. */
  now(): number;
  /** Milliseconds since 1970, for labels shown to people only. */
  wallTime(): number;
  nextId(prefix: string): string;
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string, details?: object): void;

  tell(to: Address, kind: string, payload?: unknown, options?: TellOptions): void;
  /** Returns the correlation. Exactly one reply message follows. */
  ask(to: Address, kind: string, payload: unknown, options: AskOptions): string;
  /** Sends `cancel` on the control lane to whoever holds the ask; its reply still arrives. */
  cancelAsk(correlation: string): void;
  /** Answers an ask, now or later; a second answer or one to a tell is a dead letter. */
  reply(ask: Message, value?: unknown, options?: ReplyOptions): void;
  replyError(ask: Message, status: StatusRecord): void;
  /** Sends the message on as it is: the receiver replies to the original asker. */
  forward(message: Message, to: Address): void;
  /** Says that an actor of this thread holds the ask now, so that its death answers it. */
  handOver(ask: Message, to: Address): void;

  /** Starts a child, in its own first turn. Throws `alreadyExists` while the name is in use. */
  spawn<Input>(
    name: string,
    kind: string | ActorFactory<Input>,
    input: Input,
    options?: ChildOptions,
  ): Address;
  /**
   * Starts an actor of a registered kind below the root of another thread. It stops with this one;
   * messages sent to the returned address after this call arrive after its start. If it cannot
   * start, watchers get `down` and asks end with it.
   */
  spawnOn(thread: string, name: string, kind: string, input: unknown): Address;
  /** How its children are restarted; without, none is. */
  supervise(supervision: Supervision): void;
  /** Exactly one `down` follows, at once if there is no such actor. */
  watch(address: Address): void;
  unwatch(address: Address): void;
  /** Stops itself at the end of the turn, or a child (also one of `spawnOn`) at once. */
  stop(address?: Address, reason?: StopReason): void;

  /** One message to itself after the delay; a timer of the same name is replaced. */
  startTimer(name: string, delayMs: number, kind: string, payload?: unknown): void;
  /** After this the timer's message does not arrive, even if it was due. */
  cancelTimer(name: string): void;
}
