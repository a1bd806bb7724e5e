/**
 * The system's side of what crosses threads about actors rather than between them: watches, spawns,
 * stops, holders of asks, and the loss of a thread. Each `down` and each terminal is given by the
 * code that removes its entry from a table, so it is given once.
 */
import { toStatus, type StatusRecord } from '../base/errors.js';
import { addressOf, systemAddress, threadOf, type Address } from './address.js';
import type { Cell } from './cell.js';
import type { CellHost } from './cell-host.js';
import type { Message } from './envelope.js';
import type { Signal } from './signals.js';
import type { StopReason } from './stop-reason.js';

/** The system as this sees it. */
export interface SignalHost extends CellHost {
  readonly root: Cell;
  readonly cells: Iterable<Cell>;
}

type SpawnSignal = Extract<Signal, { type: 'spawn' }>;

export class SignalHandler {
  readonly #host: SignalHost;
  readonly #lost = new Set<string>();

  constructor(host: SignalHost) {
    this.#host = host;
  }

  isLost(thread: string): boolean {
    return this.#lost.has(thread);
  }

  handle(signal: Signal): void {
    switch (signal.type) {
      case 'watch':
        return this.watch(signal.watcher, signal.target);
      case 'unwatch':
        return void this.#host.watches.remove(signal.watcher, signal.target);
      case 'down':
        return this.#down(signal.watcher, signal.target, signal.reason);
      case 'spawn':
        return this.#spawn(signal);
      case 'stop':
        return this.#stop(signal.target, signal.reason);
      case 'ended':
        return this.#ended(signal.owner, signal.target, signal.refusal);
      case 'moved':
        return this.#moved(signal.ask, signal.holder);
      case 'forget':
        return void this.#host.openAsks.close(signal.ask);
    }
  }

  /** A signal that cannot reach its thread. */
  undeliverable(signal: Signal, envelope: Message, detail: string): void {
    const { log } = this.#host;
    if (signal.type === 'watch') {
      const thread = threadOf(signal.target);
      this.#down(signal.watcher, signal.target, { kind: 'lost', thread });
    } else if (signal.type === 'spawn') {
      const target = envelope.to.replace(/\/system$/, `/${signal.name}`);
      log.call(this.#host, { level: 'error', actor: signal.owner, text: `${target}: ${detail}` });
      this.#host.findCell(signal.owner)?.forgetRemoteChild(target);
      const status = toStatus(new Error(`${target} did not start: ${detail}`));
      this.#down(signal.owner, target, { kind: 'failed', status });
    } else if (signal.type === 'down') {
      // A reason with an output that cannot be cloned still goes down.
      const reason: StopReason = { kind: 'stopped', note: `its output cannot travel: ${detail}` };
      const isNew = signal.reason.kind === 'finished';
      if (!isNew || this.#lost.has(threadOf(signal.watcher))) return;
      const { from, cause, seq } = envelope;
      const sender = { address: from, cause, seq };
      this.#host.signal(threadOf(signal.watcher), { ...signal, reason }, sender);
    }
  }

  watch(watcher: Address, target: Address): void {
    const { watches, thread } = this.#host;
    if (!watches.add(watcher, target)) return;
    const targetThread = threadOf(target);
    if (targetThread === thread) {
      const cell = this.#host.findCell(target);
      if (cell === undefined || cell.state === 'down') {
        this.#deliverDown(watcher, target, { kind: 'absent' });
      }
    } else {
      this.#host.signal(targetThread, { type: 'watch', watcher, target }, this.#sender(watcher));
    }
  }

  unwatch(watcher: Address, target: Address): void {
    const { watches, thread } = this.#host;
    if (!watches.remove(watcher, target)) return;
    const targetThread = threadOf(target);
    if (targetThread === thread) return;
    this.#host.signal(targetThread, { type: 'unwatch', watcher, target }, this.#sender(watcher));
  }

  threadFound(thread: string): void {
    this.#lost.delete(thread);
  }

  threadLost(thread: string): void {
    if (thread === this.#host.thread || this.#lost.has(thread)) return;
    this.#lost.add(thread);
    const { pendingAsks, watches, openAsks } = this.#host;
    for (const { id, holder } of pendingAsks.heldIn(thread)) this.#askLost(id, holder);
    for (const [watcher, target] of watches.targetsIn(thread)) {
      this.#down(watcher, target, { kind: 'lost', thread });
    }
    watches.dropWatchersIn(thread);
    openAsks.dropFrom(thread);
    for (const cell of [...this.#host.cells]) {
      for (const target of cell.remoteChildren) {
        if (threadOf(target) === thread) cell.forgetRemoteChild(target);
      }
      const { owner } = cell.options;
      if (owner !== undefined && threadOf(owner) === thread) {
        this.#stop(cell.address, { kind: 'stopped', note: `thread ${thread} of its owner ended` });
      }
    }
    this.#host.wake();
  }

  #askLost(ask: string, holder: Address): void {
    const message = `thread ${threadOf(holder)} ended before ${holder} answered`;
    const status = { code: 'unavailable', message, where: holder } as const;
    const reply = { correlation: ask, outcome: 'down', value: undefined, status } as const;
    this.#host.pendingAsks.settle(reply, holder);
  }

  #down(watcher: Address, target: Address, reason: StopReason): void {
    if (!this.#host.watches.remove(watcher, target)) return;
    this.#host.findCell(watcher)?.tellDown({ address: target, reason });
  }

  /** Tells a watcher, here or elsewhere, of a target of this thread. */
  #deliverDown(watcher: Address, target: Address, reason: StopReason): void {
    const watcherThread = threadOf(watcher);
    if (watcherThread === this.#host.thread) {
      this.#down(watcher, target, reason);
      return;
    }
    this.#host.watches.remove(watcher, target);
    const down = { type: 'down', watcher, target, reason } as const;
    this.#host.signal(watcherThread, down, this.#sender(target));
  }

  #spawn(signal: SpawnSignal): void {
    const { owner, name, kind, input } = signal;
    const { root } = this.#host;
    try {
      const factory = this.#host.findKind(kind);
      root.spawn({ name, kind, factory, input, owner, cause: null });
    } catch (error) {
      // The owner's watch must not end up with an actor of that name that is another's.
      const refusal = toStatus(error);
      const text = `spawn of ${name} for ${owner}: ${refusal.message}`;
      this.#host.log({ level: 'error', actor: root.address, text });
      const target = addressOf(this.#host.thread, `/${name}`);
      const ended = { type: 'ended', owner, target, refusal } as const;
      this.#host.signal(threadOf(owner), ended, this.#sender(target));
    }
  }

  #ended(owner: Address, target: Address, refusal: StatusRecord | null): void {
    const cell = this.#host.findCell(owner);
    cell?.forgetRemoteChild(target);
    if (refusal === null || !this.#host.watches.targetsOf(owner).includes(target)) return;
    this.unwatch(owner, target);
    cell?.tellDown({ address: target, reason: { kind: 'failed', status: refusal } });
  }

  #stop(target: Address, reason: StopReason): void {
    const cell = this.#host.findCell(target);
    if (cell === undefined) return;
    cell.halt(reason);
    cell.options.supervisor?.discard(cell);
  }

  /** The ask moved; if its new thread is gone already, it ends here. */
  #moved(ask: string, holder: Address): void {
    const pending = this.#host.pendingAsks.find(ask);
    if (pending === undefined) return;
    pending.holder = holder;
    if (this.#lost.has(threadOf(holder))) this.#askLost(ask, holder);
  }

  #sender(address: Address): { address: Address; cause: null; seq: number } {
    return { address: address || systemAddress(this.#host.thread), cause: null, seq: 0 };
  }
}
