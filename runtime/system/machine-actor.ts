/**
 * An actor that runs a machine. The machine says what happens and in which order; the host's table
 * of effects says how. Messages become events `{ type: kind, ...payload }`; replies and deaths
 * become the events that the host makes of them. In a final state the actor goes down `finished`.
 */
import type { AnyStateMachine } from 'xstate';
import { assert, type StatusRecord } from '../base/errors.js';
import type { ActorFactory, ActorSelf, Behaviour } from './actor.js';
import type { Address } from './address.js';
import type { Down, Message, Reply } from './envelope.js';
import type { MachineEvent } from './machine-event.js';
import { startMachine, stepMachine } from './machine-step.js';
import type { MachineSnapshot, MachineStep } from './machine-step.js';
import { compileMachine, type MachineTable } from './machine-table.js';
import { statusOfReason, type StopReason } from './stop-reason.js';

/**
 * Carries out one effect. `event` and `context` are those at its place in the machine's order;
 * `message` is what the step handles (at the start: a message of kind `start`), to reply to.
 */
export type Effect = (
  event: MachineEvent,
  context: unknown,
  message: Message,
  params: unknown,
) => void;

export interface MachineHost {
  /** Input of the machine's context. */
  readonly input?: unknown;
  /** One for each action that the machine names and does not define as an assignment. */
  readonly effects: Readonly<Record<string, Effect>>;
  /** By the `as` of an ask: the event that its reply is; null for none. */
  readonly replies?: Readonly<Record<string, (reply: Reply) => MachineEvent | null>>;
  /** The event that the death of a watched actor is; null for none. */
  readonly down?: (
    address: Address,
    status: StatusRecord,
    reason: StopReason,
  ) => MachineEvent | null;
  /** Asks about the actor that need no event: answered at once with what this returns. */
  readonly asks?: Readonly<
    Record<string, (state: string, context: unknown, ask: Message) => unknown>
  >;
  /** Messages whose event is not just their payload; null for none. */
  readonly messages?: Readonly<Record<string, (message: Message) => MachineEvent | null>>;
  /** What it holds and waits for, as plain data, besides its state: for who asks why. */
  readonly details?: () => object;
  /** Whether it gets on, as plain data: asked often, so it costs little. */
  readonly pulse?: (state: string) => object | null;
  /** Called once when it goes down, however that comes. */
  readonly stopped?: (reason: StopReason) => void;
}

/** A factory with the table that its actors step, for who examines machines that run. */
export type MachineActorFactory<Input> = ActorFactory<Input> & { readonly table: MachineTable };

/** How an actor that runs a machine is described. */
export interface MachineDescription {
  /** Id of the machine: that of its chart. */
  readonly machine: string;
  readonly state: string;
  readonly value: unknown;
  readonly tags: readonly string[];
  readonly context: unknown;
  /** Where details were asked for: what the host tells of itself. */
  readonly details?: object | null;
}

/** The factory of actors that run `machine`; compiles it once. */
export function machineActor<Input>(
  machine: AnyStateMachine,
  makeHost: (self: ActorSelf, input: Input) => MachineHost,
): MachineActorFactory<Input> {
  const table = compileMachine(machine);
  let isChecked = false;
  const factory = (self: ActorSelf, input: Input): Behaviour => {
    const host = makeHost(self, input);
    if (!isChecked) checkEffects(table, host);
    isChecked = true;
    return new MachineActor(self, table, host);
  };
  // The name by which descriptions show the kind of an actor spawned by its factory.
  Object.defineProperty(factory, 'name', { value: machine.id });
  return Object.assign(factory, { table });
}

/** A root `*` with this action says in the chart that unexpected events are rejected. */
const REJECT = 'rejectUnexpected';

function checkEffects(table: MachineTable, host: MachineHost): void {
  const missing = [...table.effects].filter((name) => name !== REJECT && !(name in host.effects));
  assert(missing.length === 0, `effects of machine ${table.id}: ${missing.join(', ')}`);
}

class MachineActor implements Behaviour {
  readonly #table: MachineTable;
  readonly #host: MachineHost;
  #snapshot: MachineSnapshot;

  constructor(self: ActorSelf, table: MachineTable, host: MachineHost) {
    this.#table = table;
    this.#host = host;
    const step = startMachine(table, host.input);
    this.#snapshot = step.snapshot;
    this.#carryOut(self, step, self.current!);
  }

  receive(self: ActorSelf, message: Message): void {
    const { state, context } = this.#snapshot;
    const ask = message.role === 'ask' ? this.#host.asks?.[message.kind] : undefined;
    if (ask !== undefined) {
      self.reply(message, ask(state.name, context, message));
      return;
    }
    const event = this.#eventOf(message);
    if (event === null) return;
    const step = stepMachine(this.#table, this.#snapshot, event);
    this.#snapshot = step.snapshot;
    if (!step.isExpected) self.probe.unexpected(state.name, event.type);
    if (self.probe.isRecording && (step.isExpected || step.snapshot.state !== state)) {
      self.probe.transition(state.name, step.snapshot.state.name, event.type);
    }
    this.#carryOut(self, step, message);
  }

  stopped(_self: ActorSelf, reason: StopReason): void {
    this.#host.stopped?.(reason);
  }

  describe(isDetailed: boolean): MachineDescription {
    const { state, context } = this.#snapshot;
    const { id: machine } = this.#table;
    const shown = { machine, state: state.name, value: state.value, tags: [...state.tags] };
    if (!isDetailed) return { ...shown, context };
    return { ...shown, context, details: this.#host.details?.() ?? null };
  }

  pulse(): object | null {
    return this.#host.pulse?.(this.#snapshot.state.name) ?? null;
  }

  #eventOf(message: Message): MachineEvent | null {
    const { kind, role } = message;
    if (role === 'reply') {
      const reply = this.#host.replies?.[kind];
      if (reply !== undefined) return reply(message.payload as Reply);
    } else if (role === 'down' && this.#host.down !== undefined) {
      const { address, reason } = message.payload as Down;
      return this.#host.down(address, statusOfReason(address, reason), reason);
    }
    const convert = this.#host.messages?.[kind];
    if (convert !== undefined) return convert(message);
    // In this order V8 makes it on its fast path; a field after a spread costs three times as much.
    const event: MachineEvent = { type: kind, ...(message.payload as object | undefined) };
    return event.type === kind ? event : { ...event, type: kind };
  }

  #carryOut(self: ActorSelf, { effects, snapshot }: MachineStep, message: Message): void {
    for (const { type, event, context, params } of effects) {
      const effect = this.#host.effects[type];
      if (effect !== undefined) effect(event, context, message, params);
      else self.probe.unexpected(snapshot.state.name, event.type);
    }
    if (snapshot.status !== 'done') return;
    const { state, output } = snapshot;
    self.stop(self.address, { kind: 'finished', state: state.name, output });
  }
}
