/**
 * The actors of one thread: routes envelopes, runs turns, keeps the tables. Every thread of the
 * process has one; a transport joins them. Nothing in it waits and nothing in it is asynchronous
 * but `request`, the door for promises.
 */
import { ChurnMap } from '../base/churn-map.js';
import type { StatusRecord } from '../base/errors.js';
import type { Ports } from '../base/ports.js';
import type { ActorFactory } from './actor.js';
import { addressOf, systemAddress, threadOf, type Address } from './address.js';
import { Cell } from './cell.js';
import type { CellHost, LogEntry, Sender } from './cell-host.js';
import { DeadLetters, type DeadLetterReason } from './dead-letters.js';
import { describeSystem, type ActorPulse, type SystemDescription } from './describe.js';
import { Edge, type RequestOptions } from './edge.js';
import type { Cancel, Message, Reply } from './envelope.js';
import { ActorKinds } from './kinds.js';
import { OpenAsks } from './open-asks.js';
import { PendingAsks } from './pending-asks.js';
import type { Recorder } from './recorder.js';
import { refusal } from './refusal.js';
import { RunQueue } from './run-queue.js';
import { SignalHandler } from './signal-handler.js';
import type { Signal } from './signals.js';
import type { ChildOptions, Supervision } from './supervision.js';
import type { Transport, TransportReceiver } from './transport.js';
import { Watches } from './watches.js';

/** Data messages that wait for one actor at most, unless its spawner says otherwise. */
export const MAILBOX_LIMIT = 4096;

export interface SystemOptions {
  /** Name of the thread: unique in the process, the first part of its actors' addresses. */
  readonly thread: string;
  readonly ports: Ports;
  readonly transport: Transport;
  /** Kinds that other threads may spawn here. */
  readonly kinds?: ActorKinds;
  readonly recorder?: Recorder | null;
  readonly mailboxLimit?: number;
  /** In tests: an event that a machine does not expect fails its actor. */
  readonly strict?: boolean;
  /** How the root treats the actors that `spawn` starts. Without, none is restarted. */
  readonly supervision?: Supervision;
  readonly log?: (entry: LogEntry) => void;
}

export class ActorSystem implements CellHost, TransportReceiver {
  readonly thread: string;
  readonly ports: Ports;
  readonly kinds: ActorKinds;
  readonly isStrict: boolean;
  readonly mailboxLimit: number;
  readonly queue = new RunQueue<Cell>();
  readonly pendingAsks: PendingAsks;
  readonly openAsks = new OpenAsks();
  readonly watches = new Watches();
  readonly deadLetters = new DeadLetters();
  readonly counters = { messages: 0, restarts: 0, unexpected: 0, failures: 0 };
  /** May be set or removed at any time. */
  recorder: Recorder | null;
  readonly root: Cell;
  readonly #cells = new ChurnMap<Address, Cell>();
  readonly #address: Address;
  readonly #transport: Transport;
  readonly #signals: SignalHandler;
  readonly #edge: Edge;
  readonly #log: (entry: LogEntry) => void;

  constructor(options: SystemOptions) {
    const { thread, ports } = options;
    this.thread = thread;
    this.#address = systemAddress(thread);
    this.ports = ports;
    this.kinds = options.kinds ?? new ActorKinds();
    this.recorder = options.recorder ?? null;
    this.isStrict = options.strict ?? false;
    this.mailboxLimit = options.mailboxLimit ?? MAILBOX_LIMIT;
    this.#log = options.log ?? (() => {});
    this.#signals = new SignalHandler(this);
    this.#edge = new Edge(this);
    this.pendingAsks = new PendingAsks(ports, (ask) => {
      const forget = { type: 'forget', ask: ask.id } as const;
      this.signal(threadOf(ask.holder), forget, this.#sender());
    });
    this.#transport = options.transport;
    this.root = this.#makeRoot(options.supervision);
    this.#transport.attach(this);
    this.root.start();
  }

  /** Starts an actor below the root. */
  spawn<Input>(
    name: string,
    kind: string | ActorFactory<Input>,
    input: Input,
    options: ChildOptions = {},
  ): Address {
    const isNamed = typeof kind === 'string';
    const factory = isNamed ? this.kinds.find(kind) : kind;
    const label = isNamed ? kind : factory.name || 'actor';
    return this.root.spawn({ name, kind: label, factory, input, cause: null, ...options }).address;
  }

  /** Sends from outside any actor. */
  tell(...[to, kind, payload, options]: Parameters<Edge['tell']>): void {
    this.#edge.tell(to, kind, payload, options);
  }

  /** Asks for the promise world; rejects with a StatusError. The only promise of the system. */
  request(to: Address, kind: string, payload: unknown, options: RequestOptions): Promise<unknown> {
    return this.#edge.request(to, kind, payload, options);
  }

  describe(isDetailed = false): SystemDescription {
    return describeSystem(this, isDetailed);
  }

  /** What the actors below the root tell of whether they get on. */
  pulses(): ActorPulse[] {
    return this.root.children.flatMap((cell) => {
      const pulse = cell.pulse();
      return pulse === null ? [] : [{ address: cell.address, pulse }];
    });
  }

  /**
   * Stops every actor, children before parents, and the transport. Requests that other threads hold
   * end, too: with the transport goes the way of their answers.
   */
  shutdown(): void {
    this.root.halt({ kind: 'stopped', note: 'the system shuts down' });
    this.#transport.wake();
    this.#transport.close();
    this.pendingAsks.endAll('the system has shut down');
  }

  // What the transport calls.

  arrive(envelope: Message): void {
    if (envelope.role === 'signal') {
      this.#signals.handle(envelope.payload as Signal);
    } else if (envelope.role === 'reply') {
      this.#settle(envelope);
    } else {
      const message = this.#toHolder(envelope);
      if (message === null) return;
      const cell = this.#cells.get(message.to);
      if (cell === undefined) this.refuse(message, 'absent');
      else cell.accept(message);
    }
  }

  turn(limit: number, choose?: (n: number) => number): boolean {
    for (let turns = 0; turns < limit; turns++) {
      const cell = this.queue.take(choose);
      if (cell === undefined) return false;
      cell.turn();
    }
    return this.queue.length > 0;
  }

  threadFound(thread: string): void {
    this.#signals.threadFound(thread);
  }

  /** The thread has ended: its actors went down, asks that it held end. May be called again. */
  threadLost(thread: string): void {
    this.#signals.threadLost(thread);
  }

  undeliverable(envelope: Message, reason: DeadLetterReason, detail: string): void {
    if (envelope.role === 'signal') {
      this.#signals.undeliverable(envelope.payload as Signal, envelope, detail);
      return;
    }
    this.log({ level: 'error', actor: envelope.from, text: `${envelope.kind}: ${detail}` });
    this.refuse(envelope, reason, detail);
  }

  // What cells call.

  log(entry: LogEntry): void {
    this.#log(entry);
  }

  findKind(kind: string): ActorFactory {
    return this.kinds.find(kind);
  }

  addCell(cell: Cell): void {
    this.#cells.set(cell.address, cell);
  }

  removeCell(cell: Cell): void {
    if (this.#cells.get(cell.address) === cell) this.#cells.delete(cell.address);
  }

  findCell(address: Address): Cell | undefined {
    return this.#cells.get(address);
  }

  get cells(): Iterable<Cell> {
    return this.#cells.values();
  }

  wake(): void {
    this.#transport.wake();
  }

  post(sent: Message): void {
    const message = this.#toHolder(sent);
    if (message === null) return;
    const cell = this.#cells.get(message.to);
    if (cell !== undefined) {
      cell.accept(message);
      return;
    }
    const thread = threadOf(message.to);
    if (thread === this.thread) this.refuse(message, 'absent');
    else if (this.#signals.isLost(thread)) this.refuse(message, 'threadLost');
    else if (!this.#transport.send(thread, message)) this.refuse(message, 'noRoute');
  }

  deadLetter(message: Message, reason: DeadLetterReason): void {
    const letter = this.deadLetters.add(this.ports.clock.now(), reason, message);
    this.recorder?.record({ type: 'deadLetter', letter });
  }

  refuse(message: Message, reason: DeadLetterReason, detail = ''): void {
    this.deadLetter(message, reason);
    // A reply that cannot travel must still end the ask, or only its deadline would.
    if (message.role === 'reply' && reason === 'uncloneable') {
      const reply = message.payload as Reply;
      const { status } = refusal(message, reason, detail);
      const failed: Reply = { ...reply, outcome: 'error', value: undefined, status };
      this.#route({ ...message, payload: failed, transfer: [] });
    }
    if (message.role !== 'ask') return;
    const limit = this.#cells.get(message.to)?.mailbox.limit ?? this.mailboxLimit;
    const { outcome, status } = refusal(message, reason, detail, limit);
    this.answerUnhandled(message, outcome, status);
  }

  answer(ask: Message, reply: Reply, from: Sender): void {
    this.#route({
      id: this.ports.ids.next('m'),
      cause: from.cause,
      from: from.address,
      to: ask.from,
      kind: 'reply',
      role: 'reply',
      lane: 'data',
      deadline: null,
      seq: from.seq,
      payload: reply,
      transfer: from.transfer ?? [],
      correlation: ask.id,
    });
  }

  answerUnhandled(ask: Message, outcome: 'down' | 'error', status: StatusRecord): void {
    const reply: Reply = { correlation: ask.id, outcome, value: undefined, status };
    this.answer(ask, reply, { address: ask.to, cause: ask.id, seq: 0 });
  }

  holderMoved(ask: Message, holder: Address): void {
    this.signal(threadOf(ask.from), { type: 'moved', ask: ask.id, holder }, this.#sender());
  }

  watch(watcher: Address, target: Address): void {
    this.#signals.watch(watcher, target);
  }

  unwatch(watcher: Address, target: Address): void {
    this.#signals.unwatch(watcher, target);
  }

  signal(thread: string, signal: Signal, from: Sender): void {
    if (thread === this.thread) {
      this.#signals.handle(signal);
      return;
    }
    const envelope: Message = {
      id: this.ports.ids.next('s'),
      cause: from.cause,
      from: from.address,
      to: systemAddress(thread),
      kind: signal.type,
      role: 'signal',
      lane: 'control',
      deadline: null,
      seq: from.seq,
      payload: signal,
      transfer: from.transfer ?? [],
      correlation: null,
    };
    const isSent = !this.#signals.isLost(thread) && this.#transport.send(thread, envelope);
    if (!isSent) this.#signals.undeliverable(signal, envelope, `no port to thread ${thread}`);
  }

  /**
   * A cancel goes to whoever holds the ask in this thread now, whatever its sender knew; null when
   * the ask still waits in a mailbox: it ends here, because a cancel must not overtake its ask.
   */
  #toHolder(message: Message): Message | null {
    if (message.kind !== 'cancel' || message.lane !== 'control') return message;
    const { correlation = '' } = (message.payload as Partial<Cancel> | null | undefined) ?? {};
    const waiting = this.openAsks.closeWaiting(correlation);
    if (waiting !== null) {
      const text = `${waiting.kind} was cancelled before ${waiting.to} came to it`;
      this.answerUnhandled(waiting, 'error', { code: 'cancelled', message: text });
      return null;
    }
    const holder = this.openAsks.holderOf(correlation);
    return holder === undefined || holder === message.to ? message : { ...message, to: holder };
  }

  #route(reply: Message): void {
    const thread = threadOf(reply.to);
    if (thread === this.thread) this.#settle(reply);
    else if (this.#signals.isLost(thread)) this.deadLetter(reply, 'threadLost');
    else if (!this.#transport.send(thread, reply)) this.deadLetter(reply, 'noRoute');
  }

  #settle(reply: Message): void {
    if (!this.pendingAsks.settle(reply.payload as Reply, reply.from)) {
      this.deadLetter(reply, 'lateReply');
    }
  }

  #makeRoot(supervision: Supervision | undefined): Cell {
    const root = new Cell(this, {
      address: addressOf(this.thread, '/'),
      name: '',
      supervisor: null,
      kind: 'root',
      input: undefined,
      cause: null,
      factory: () => ({
        receive: (self, message) => this.refuse({ ...message, to: self.address }, 'absent'),
      }),
    });
    if (supervision !== undefined) root.supervise(supervision);
    return root;
  }

  #sender(): Sender {
    return { address: this.#address, cause: null, seq: 0 };
  }
}
