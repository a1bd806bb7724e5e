/**
 * One actor: its mailbox, its behaviour, its children, and the order of events when it goes down.
 *
 * Holds: one turn at a time, one message a turn; children stop before their parent, last started
 * first; when it goes down every open ask is answered, every watcher told, every timer cancelled,
 * and only then does its supervisor decide. A restart keeps the address and nothing else.
 * Runs in: `ActorSystem.turn`. Owned by: its parent cell; the root cell by the system.
 */
import { StatusError, toStatus } from '../base/errors.js';
import type { TimerId } from '../base/ports.js';
import type { ActorFactory, Behaviour } from './actor.js';
import { ActorTimers } from './actor-timers.js';
import { childAddress, threadOf, type Address } from './address.js';
import type { CellHost } from './cell-host.js';
import { CellChildren } from './cell-children.js';
import { CellSelf } from './cell-self.js';
import type { Down, Message, Reply } from './envelope.js';
import { Mailbox } from './mailbox.js';
import type { Asker } from './pending-asks.js';
import type { Recorder } from './recorder.js';
import { statusOfReason, type StopReason } from './stop-reason.js';
import type { ChildOptions, Supervision } from './supervision.js';

export interface CellOptions extends ChildOptions {
  readonly address: Address;
  readonly name: string;
  /** Null for the root. */
  readonly supervisor: Cell | null;
  /** Who spawned it, when that is not its supervisor: an actor of another thread. */
  readonly owner?: Address;
  readonly kind: string;
  readonly factory: ActorFactory;
  readonly input: unknown;
  /** The message in whose turn it was spawned. */
  readonly cause: string | null;
}

const noAddresses: ReadonlySet<Address> = new Set();

export type CellState = 'starting' | 'running' | 'restarting' | 'down';

export class Cell implements Asker {
  readonly host: CellHost;
  readonly options: CellOptions;
  readonly address: Address;
  readonly parent: Address;
  readonly timers: ActorTimers;
  readonly bornAtMs: number;
  mailbox: Mailbox;
  state: CellState = 'starting';
  isQueued = false;
  behaviour: Behaviour | null = null;
  current: Message | null = null;
  restarts = 0;
  handled = 0;
  /** Asks of its own that have no terminal yet. */
  asking = 0;
  // Most actors are small and short-lived: what few of them have is made when it is needed.
  #children: CellChildren | null = null;
  #remoteChildren: Set<Address> | null = null;
  #self: CellSelf;
  #stopAfterTurn: StopReason | null = null;
  #restartTimer: TimerId | null = null;

  constructor(host: CellHost, options: CellOptions) {
    this.host = host;
    this.options = options;
    this.address = options.address;
    this.parent = options.owner ?? options.supervisor?.address ?? options.address;
    this.timers = new ActorTimers(host.ports);
    this.bornAtMs = host.ports.clock.now();
    this.mailbox = new Mailbox(options.mailboxLimit ?? host.mailboxLimit);
    this.#self = new CellSelf(this);
  }

  /** Announces it; its first turn makes the behaviour. */
  start(): void {
    this.state = 'starting';
    const { recorder, ports } = this.host;
    recorder?.record({
      type: 'spawn',
      atMs: ports.clock.now(),
      actor: this.address,
      parent: this.parent,
      incarnation: this.restarts,
    });
    this.host.queue.pushStart(this);
    this.host.wake();
  }

  spawn(child: Omit<CellOptions, 'address' | 'supervisor'>): Cell {
    const { name } = child;
    const address = childAddress(this.address, name);
    if (this.state === 'down' || this.state === 'restarting') {
      throw new StatusError('failedPrecondition', `${this.address} is down and cannot spawn`);
    }
    if (this.host.findCell(address) !== undefined) {
      throw new StatusError('alreadyExists', `there is an actor ${address} already`);
    }
    const cell = new Cell(this.host, { address, supervisor: this, ...child });
    this.#childTable().add(cell);
    if (child.watch) this.host.watch(this.address, address);
    cell.start();
    return cell;
  }

  /** In order of start. */
  get children(): readonly Cell[] {
    return this.#children === null ? [] : [...this.#children.cells];
  }

  /** Actors in other threads that stop with this one. */
  get remoteChildren(): ReadonlySet<Address> {
    return this.#remoteChildren ?? noAddresses;
  }

  addRemoteChild(address: Address): void {
    (this.#remoteChildren ??= new Set()).add(address);
  }

  forgetRemoteChild(address: Address): boolean {
    return this.#remoteChildren?.delete(address) ?? false;
  }

  supervise(supervision: Supervision): void {
    this.#childTable().supervise(supervision);
  }

  /** Puts a message into the mailbox; what does not fit is refused or answered. */
  accept(message: Message): void {
    if (this.state === 'down' || this.state === 'restarting') {
      this.host.refuse(message, 'stopped');
      return;
    }
    if (!this.mailbox.offer(message)) {
      this.host.refuse(message, 'full');
      return;
    }
    if (message.role === 'ask') this.host.openAsks.add(message, this.address);
    this.#queue();
  }

  settled(as: string, reply: Reply, from: Address): void {
    this.asking -= 1;
    this.accept(this.#self.systemMessage('reply', { kind: as, from, payload: reply }));
  }

  tellDown(down: Down): void {
    this.accept(
      this.#self.systemMessage('down', { kind: 'down', from: down.address, payload: down }),
    );
  }

  /** One turn: start, or one message. */
  turn(): void {
    if (this.state === 'starting') this.#endTurn(attempt(() => this.#begin()));
    else if (this.state === 'running') this.#receive();
    if (this.state === 'running' && !this.mailbox.isEmpty) this.#queue();
  }

  /** Stops at the end of the turn if it is running one, at once otherwise; never restarted. */
  stop(reason: StopReason): void {
    if (this.current !== null || this.state === 'starting') this.#stopAfterTurn ??= reason;
    else this.#leave(reason);
  }

  fail(error: unknown): void {
    this.host.counters.failures += 1;
    const status = toStatus(error);
    this.host.log({ level: 'error', actor: this.address, text: status.message, details: status });
    this.#leave({ kind: 'failed', status });
  }

  /** Goes down without asking its supervisor: the parent is at work on it. */
  halt(reason: StopReason): void {
    if (this.#restartTimer !== null) this.host.ports.timers.cancel(this.#restartTimer);
    this.#restartTimer = null;
    if (this.state === 'restarting') this.#settleOthers(reason);
    else if (this.state !== 'down') this.#goDown(reason);
    this.state = 'down';
  }

  /** Whether `self` is of this incarnation: an old one may no longer ask or spawn. */
  isAlive(self: CellSelf): boolean {
    return self === this.#self && (this.state === 'running' || this.state === 'starting');
  }

  describe(isDetailed: boolean): unknown {
    return this.behaviour?.describe?.(isDetailed);
  }

  pulse(): object | null {
    return this.behaviour?.pulse?.() ?? null;
  }

  /** Removes a halted child for good. */
  discard(child: Cell): void {
    this.#children?.discard(child);
  }

  #childTable(): CellChildren {
    return (this.#children ??= new CellChildren(this.host));
  }

  #queue(): void {
    this.host.queue.push(this);
    this.host.wake();
  }

  #begin(): void {
    const parts = { kind: 'start', from: this.parent, payload: undefined };
    this.current = { ...this.#self.systemMessage('tell', parts), cause: this.options.cause };
    this.behaviour = this.options.factory(this.#self, this.options.input);
    this.state = 'running';
  }

  #receive(): void {
    const message = this.mailbox.take();
    if (message === undefined) return;
    const { host } = this;
    if (message.role === 'timer') {
      if (!this.timers.claim(message.correlation!, message.seq)) return;
    } else if (message.role === 'ask' && !this.#takes(message)) {
      return;
    }
    host.counters.messages += 1;
    this.handled += 1;
    this.current = message;
    const { recorder } = host;
    const startMs = recorder === null ? 0 : host.ports.clock.now();
    const failure = attempt(() => this.behaviour!.receive(this.#self, message));
    if (recorder !== null) this.#recordTurn(recorder, message, startMs);
    this.#endTurn(failure);
  }

  #recordTurn(recorder: Recorder, message: Message, startMs: number): void {
    const { id, cause, from, to, kind, role, lane } = message;
    const endMs = this.host.ports.clock.now();
    recorder.record({ type: 'message', startMs, endMs, id, cause, from, to, kind, role, lane });
  }

  /** An ask whose asker has given up (it was cancelled, or its time is up) is not worth a turn. */
  #takes(ask: Message): boolean {
    if (ask.deadline === null || ask.deadline > this.host.ports.clock.now()) {
      return this.host.openAsks.take(ask.id);
    }
    this.host.openAsks.close(ask.id);
    this.host.deadLetter(ask, 'expired');
    return false;
  }

  #endTurn(failure: { readonly error: unknown } | null): void {
    this.current = null;
    if (failure !== null) this.fail(failure.error);
    else if (this.#stopAfterTurn !== null) this.#leave(this.#stopAfterTurn);
  }

  /** Goes down and lets its supervisor decide what follows. */
  #leave(reason: StopReason): void {
    if (this.state === 'down' || this.state === 'restarting') return;
    this.#goDown(reason);
    this.options.supervisor?.childLeft(this, reason);
  }

  #goDown(reason: StopReason): void {
    const { host } = this;
    this.#children?.haltAll(`${this.address} went down`);
    this.#stopRemoteChildren();
    this.state = 'down';
    try {
      this.behaviour?.stopped?.(this.#self, reason);
    } catch (error) {
      host.log({ level: 'error', actor: this.address, text: toStatus(error).message });
    }
    this.behaviour = null;
    this.timers.cancelAll();
    if (this.asking > 0) host.pendingAsks.dropOf(this);
    this.asking = 0;
    const { recorder, ports } = host;
    if (recorder !== null) {
      const told = reason.kind === 'finished' ? { ...reason, output: undefined } : reason;
      const atMs = ports.clock.now();
      recorder.record({ type: 'stop', atMs, actor: this.address, reason: told });
    }
    this.#settleOthers(reason);
  }

  /** Open asks are answered, waiting messages become dead letters, watchers are told. */
  #settleOthers(reason: StopReason): void {
    const { host } = this;
    const status = statusOfReason(this.address, reason);
    for (const ask of host.openAsks.closeAllOf(this.address)) {
      host.answerUnhandled(ask, 'down', status);
    }
    for (let left = this.mailbox.take(); left !== undefined; left = this.mailbox.take()) {
      host.deadLetter(left, 'stopped');
    }
    for (const target of host.watches.targetsOf(this.address)) host.unwatch(this.address, target);
    for (const watcher of host.watches.watchersOf(this.address)) {
      const { address: target } = this;
      const cell = host.findCell(watcher);
      host.watches.remove(watcher, target);
      if (cell !== undefined) cell.tellDown({ address: target, reason });
      else {
        const down = { type: 'down', watcher, target, reason } as const;
        host.signal(threadOf(watcher), down, this.#self.sender());
      }
    }
    const { owner } = this.options;
    if (owner !== undefined) {
      const ended = { type: 'ended', owner, target: this.address, refusal: null } as const;
      host.signal(threadOf(owner), ended, this.#self.sender());
    }
  }

  #stopRemoteChildren(): void {
    if (this.#remoteChildren === null) return;
    for (const target of [...this.#remoteChildren].reverse()) {
      const reason: StopReason = { kind: 'stopped', note: `${this.address} went down` };
      this.host.signal(threadOf(target), { type: 'stop', target, reason }, this.#self.sender());
    }
    this.#remoteChildren = null;
  }

  /** A child went down by itself: restarts, removes, or goes down too. */
  childLeft(child: Cell, reason: StopReason): void {
    const failure = this.#children?.left(child, reason) ?? null;
    if (failure !== null) this.fail(failure);
  }

  /** A new incarnation after the delay: its parent has decided so. */
  restart(delayMs: number): void {
    const { host } = this;
    this.restarts += 1;
    host.counters.restarts += 1;
    this.mailbox = new Mailbox(this.options.mailboxLimit ?? host.mailboxLimit);
    this.#self = new CellSelf(this);
    this.#children = null;
    this.#stopAfterTurn = null;
    this.state = 'restarting';
    if (delayMs === 0) {
      this.start();
      return;
    }
    this.#restartTimer = host.ports.timers.start(delayMs, () => {
      this.#restartTimer = null;
      this.start();
    });
  }
}

function attempt(action: () => void): { readonly error: unknown } | null {
  try {
    action();
    return null;
  } catch (error) {
    return { error };
  }
}
