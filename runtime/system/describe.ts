/**
 * A picture of a system as plain data, for admin pages and metrics: the tree of actors with their
 * states and mailboxes, and the counters. Taken at once, between turns, so it is consistent.
 */
import type { Address } from './address.js';
import type { Cell, CellState } from './cell.js';
import type { CellHost } from './cell-host.js';
import type { DeadLetter, DeadLetterReason, DeadLetters } from './dead-letters.js';

export interface ActorDescription {
  readonly address: Address;
  /** Who spawned it: in another thread, where it was spawned from there. */
  readonly parent: Address;
  readonly kind: string;
  readonly status: CellState;
  /** What its behaviour says: of a machine its state value, tags and context. */
  readonly state: unknown;
  readonly mailbox: {
    readonly data: number;
    readonly control: number;
    readonly limit: number;
    /** For how long, at least, the oldest message has waited; null when none does. */
    readonly oldestMs: number | null;
  };
  readonly ageMs: number;
  readonly restarts: number;
  /** Messages that it has handled. */
  readonly messages: number;
  readonly children: readonly ActorDescription[];
}

/** Whether an actor gets on: what it says is for who knows its kind. */
export interface ActorPulse {
  readonly address: Address;
  readonly pulse: object;
}

export interface SystemCounters {
  readonly actors: number;
  readonly messages: number;
  readonly restarts: number;
  readonly failures: number;
  readonly unexpectedEvents: number;
  readonly askTimeouts: number;
  /** Asks of this thread without a terminal, and asks that its actors owe an answer. */
  readonly pendingAsks: number;
  readonly openAsks: number;
  readonly watches: number;
  readonly deadLetters: Readonly<Record<DeadLetterReason, number>>;
}

export interface SystemDescription {
  readonly thread: string;
  readonly actors: readonly ActorDescription[];
  readonly counters: SystemCounters;
  readonly lastDeadLetters: readonly DeadLetter[];
}

export interface DescribedHost extends CellHost {
  readonly root: Cell;
  readonly cells: Iterable<Cell>;
  readonly deadLetters: DeadLetters;
}

export function describeSystem(host: DescribedHost, isDetailed: boolean): SystemDescription {
  const now = host.ports.clock.now();
  const { messages, restarts, failures, unexpected } = host.counters;
  return {
    thread: host.thread,
    actors: childrenOf(host.root, { now, isDetailed }),
    counters: {
      actors: [...host.cells].length,
      messages,
      restarts,
      failures,
      unexpectedEvents: unexpected,
      askTimeouts: host.pendingAsks.timeouts,
      pendingAsks: host.pendingAsks.size,
      openAsks: host.openAsks.size,
      watches: host.watches.size,
      deadLetters: host.deadLetters.counts(),
    },
    lastDeadLetters: [...host.deadLetters.last],
  };
}

interface Look {
  readonly now: number;
  readonly isDetailed: boolean;
}

function childrenOf(cell: Cell, look: Look): ActorDescription[] {
  const { now, isDetailed } = look;
  return cell.children.map((child) => ({
    address: child.address,
    parent: child.parent,
    kind: child.options.kind,
    status: child.state,
    state: child.describe(isDetailed) ?? null,
    mailbox: {
      data: child.mailbox.dataDepth,
      control: child.mailbox.controlDepth,
      limit: child.mailbox.limit,
      oldestMs: child.mailbox.seen(now),
    },
    ageMs: now - child.bornAtMs,
    restarts: child.restarts,
    messages: child.handled,
    children: childrenOf(child, look),
  }));
}
