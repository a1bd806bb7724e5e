/**
 * `ActorSelf` of one incarnation of a cell: builds envelopes and hands them to the system. It may
 * also be called outside a turn, by what brings outside events in (a pool's callback, a device);
 * after the actor went down it still tells, and asks, spawns and timers are refused.
 */
import type { TransferListItem } from 'node:worker_threads';
import { assert, StatusError, type StatusRecord } from '../base/errors.js';
import type {
  ActorFactory,
  ActorProbe,
  ActorSelf,
  AskOptions,
  ReplyOptions,
  TellOptions,
} from './actor.js';
import { addressOf, threadOf, type Address } from './address.js';
import type { Cell } from './cell.js';
import type { CellHost, LogEntry, Sender } from './cell-host.js';
import type { Cancel, Message, Reply, Role } from './envelope.js';
import type { SystemRecord } from './recorder.js';
import type { StopReason } from './stop-reason.js';
import type { ChildOptions, Supervision } from './supervision.js';

const noTransfer: readonly TransferListItem[] = [];

export class CellSelf implements ActorSelf, ActorProbe {
  readonly address: Address;
  readonly parent: Address;
  readonly probe: ActorProbe = this;
  readonly #cell: Cell;
  readonly #host: CellHost;
  #seq = 0;

  constructor(cell: Cell) {
    this.#cell = cell;
    this.#host = cell.host;
    this.address = cell.address;
    this.parent = cell.parent;
  }

  get current(): Message | null {
    return this.#cell.current;
  }

  now(): number {
    return this.#host.ports.clock.now();
  }

  wallTime(): number {
    return this.#host.ports.clock.wallTime();
  }

  nextId(prefix: string): string {
    return this.#host.ports.ids.next(prefix);
  }

  log(level: LogEntry['level'], text: string, details?: object): void {
    this.#host.log({ level, actor: this.address, text, details });
  }

  tell(to: Address, kind: string, payload?: unknown, options?: TellOptions): void {
    this.#host.post(this.#message({ to, kind, payload, role: 'tell', deadline: null, options }));
  }

  ask(to: Address, kind: string, payload: unknown, options: AskOptions): string {
    this.#assertAlive('ask');
    const { deadlineMs, as = 'reply' } = options;
    assert(Number.isFinite(deadlineMs), `an absolute deadline for the ask ${kind} to ${to}`);
    const ask = this.#message({ to, kind, payload, role: 'ask', deadline: deadlineMs, options });
    this.#cell.asking += 1;
    this.#host.pendingAsks.add({ id: ask.id, asker: this.#cell, as, holder: to, deadlineMs });
    this.#host.post(ask);
    return ask.id;
  }

  cancelAsk(correlation: string): void {
    const pending = this.#host.pendingAsks.find(correlation);
    if (pending === undefined) return;
    this.tell(pending.holder, 'cancel', { correlation } satisfies Cancel, { lane: 'control' });
  }

  reply(ask: Message, value?: unknown, options?: ReplyOptions): void {
    this.#answer(ask, { outcome: 'value', value, status: null }, options);
  }

  replyError(ask: Message, status: StatusRecord): void {
    this.#answer(ask, { outcome: 'error', value: undefined, status });
  }

  forward(message: Message, to: Address): void {
    if (message.role === 'ask') {
      if (!this.#host.openAsks.close(message.id)) {
        this.#host.deadLetter(message, 'lateReply');
        return;
      }
      this.#host.holderMoved(message, to);
    }
    this.#host.post({ ...message, to });
  }

  handOver(ask: Message, to: Address): void {
    if (this.#host.findCell(to) === undefined) assert(false, `${to} to live in this thread`);
    // The asker need not know: a cancel finds the holder through the table of its thread.
    this.#host.openAsks.move(ask.id, to);
  }

  spawn<Input>(
    name: string,
    kind: string | ActorFactory<Input>,
    input: Input,
    options: ChildOptions = {},
  ): Address {
    const isNamed = typeof kind === 'string';
    const factory = isNamed ? this.#host.findKind(kind) : kind;
    const label = isNamed ? kind : factory.name || 'actor';
    const cause = this.current?.id ?? null;
    return this.#cell.spawn({ name, kind: label, factory, input, cause, ...options }).address;
  }

  spawnOn(thread: string, name: string, kind: string, input: unknown): Address {
    this.#assertAlive('spawn');
    const target = addressOf(thread, `/${name}`);
    this.#cell.addRemoteChild(target);
    const spawn = { type: 'spawn', owner: this.address, name, kind, input } as const;
    this.#host.signal(thread, spawn, this.sender());
    return target;
  }

  supervise(supervision: Supervision): void {
    this.#cell.supervise(supervision);
  }

  watch(address: Address): void {
    this.#assertAlive('watch');
    this.#host.watch(this.address, address);
  }

  unwatch(address: Address): void {
    this.#host.unwatch(this.address, address);
  }

  stop(address: Address = this.address, reason?: StopReason): void {
    if (address === this.address) {
      this.#cell.stop(reason ?? { kind: 'finished', state: 'stopped', output: undefined });
      return;
    }
    const stopped = reason ?? { kind: 'stopped', note: `stopped by ${this.address}` };
    if (this.#cell.forgetRemoteChild(address)) {
      const stop = { type: 'stop', target: address, reason: stopped } as const;
      this.#host.signal(threadOf(address), stop, this.sender());
      return;
    }
    const child = this.#host.findCell(address);
    if (child === undefined) return;
    assert(child.options.supervisor === this.#cell, `${address} to be a child of ${this.address}`);
    child.halt(stopped);
    this.#cell.discard(child);
  }

  startTimer(name: string, delayMs: number, kind: string, payload?: unknown): void {
    this.#assertAlive('start a timer');
    this.#cell.timers.start(name, delayMs, (token) => {
      const message = this.systemMessage('timer', { kind, from: this.address, payload });
      this.#cell.accept({ ...message, correlation: name, seq: token });
    });
  }

  cancelTimer(name: string): void {
    this.#cell.timers.cancel(name);
  }

  get isRecording(): boolean {
    return this.#host.recorder !== null;
  }

  transition(from: string, to: string, event: string): void {
    const atMs = this.now();
    const cause = this.current?.id ?? null;
    const { address: actor } = this;
    this.#host.recorder?.record({ type: 'transition', atMs, actor, cause, from, to, event });
  }

  record(record: SystemRecord): void {
    this.#host.recorder?.record(record);
  }

  unexpected(state: string, event: string): void {
    this.#host.counters.unexpected += 1;
    const { recorder } = this.#host;
    recorder?.record({ type: 'unexpected', atMs: this.now(), actor: this.address, state, event });
    if (this.#host.isStrict) {
      assert(false, `${this.address} to handle "${event}" in state "${state}"`);
    }
    this.log('warn', `unexpected event ${event} in state ${state}`);
  }

  /** A message that the system puts into this actor's mailbox. */
  systemMessage(
    role: Role,
    { kind, from, payload }: { kind: string; from: Address; payload: unknown },
  ): Message {
    return {
      id: this.nextId('m'),
      cause: role === 'timer' ? null : (this.current?.id ?? null),
      from,
      to: this.address,
      kind,
      role,
      lane: 'data',
      deadline: null,
      seq: 0,
      payload,
      transfer: noTransfer,
      correlation: null,
    };
  }

  sender(transfer: readonly TransferListItem[] = noTransfer): Sender {
    return { address: this.address, cause: this.current?.id ?? null, seq: ++this.#seq, transfer };
  }

  #message(parts: {
    to: Address;
    kind: string;
    payload: unknown;
    role: Role;
    deadline: number | null;
    options: TellOptions | undefined;
  }): Message {
    const { to, kind, payload, role, deadline, options } = parts;
    return {
      id: this.#host.ports.ids.next('m'),
      cause: this.#cell.current?.id ?? null,
      from: this.address,
      to,
      kind,
      role,
      lane: options?.lane ?? 'data',
      deadline,
      seq: ++this.#seq,
      payload,
      transfer: options?.transfer ?? noTransfer,
      correlation: null,
    };
  }

  #answer(ask: Message, end: Omit<Reply, 'correlation'>, options?: ReplyOptions): void {
    if (ask.role !== 'ask' || !this.#host.openAsks.close(ask.id)) {
      this.#host.deadLetter({ ...ask, role: 'reply' }, 'lateReply');
      return;
    }
    this.#host.answer(ask, { correlation: ask.id, ...end }, this.sender(options?.transfer));
  }

  #assertAlive(what: string): void {
    if (this.#cell.isAlive(this)) return;
    throw new StatusError('failedPrecondition', `${this.address} is down and cannot ${what}`);
  }
}
