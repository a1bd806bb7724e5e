/**
 * Hosts a machine as an actor: the machine decides, the host acts. Replies and deaths are translated
 * to facts of the machine, a few read-only asks (`describe`) are answered beside it, everything else
 * becomes the event `{type: kind, ...payload}`.
 */
import type { AnyStateMachine } from 'xstate';
import type { ActorFactory, ActorSelf, Behaviour } from '../runtime/system/actor.js';
import type { Down, Message, Reply } from '../runtime/system/envelope.js';
import { machineActor } from '../runtime/system/machine-actor.js';

export interface MachineEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** `message` is what caused the event; for an ask it may be kept and answered later. */
export type Effect = (event: MachineEvent, context: unknown, message: Message) => void;

export interface MachineHost {
  readonly input?: unknown;
  /** One implementation for each effect that the machine names. */
  readonly effects: Readonly<Record<string, Effect>>;
  /** By the ask's `as`: the fact that a reply is to the machine, or null for none. */
  readonly replies?: Readonly<Record<string, (reply: Reply) => MachineEvent | null>>;
  /** The fact that a death is to the machine, or null for none. */
  readonly down?: (down: Down) => MachineEvent | null;
  /** Questions that change nothing. */
  readonly asks?: Readonly<Record<string, (state: string, context: unknown) => unknown>>;
}
