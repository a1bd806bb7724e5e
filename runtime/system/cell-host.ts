/** What an actor cell needs of its system. The system implements it; tests may fake it. */
import type { StatusRecord } from '../base/errors.js';
import type { Ports } from '../base/ports.js';
import type { ActorFactory } from './actor.js';
import type { Address } from './address.js';
import type { Cell } from './cell.js';
import type { DeadLetterReason } from './dead-letters.js';
import type { Message, Reply } from './envelope.js';
import type { OpenAsks } from './open-asks.js';
import type { PendingAsks } from './pending-asks.js';
import type { Recorder } from './recorder.js';
import type { RunQueue } from './run-queue.js';
import type { Signal } from './signals.js';
import type { Watches } from './watches.js';

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly actor: Address;
  readonly text: string;
  readonly details?: object;
}

export interface CellHost {
  readonly thread: string;
  readonly ports: Ports;
  readonly recorder: Recorder | null;
  readonly isStrict: boolean;
  readonly mailboxLimit: number;
  readonly queue: RunQueue<Cell>;
  readonly pendingAsks: PendingAsks;
  readonly openAsks: OpenAsks;
  readonly watches: Watches;
  readonly counters: { messages: number; restarts: number; unexpected: number; failures: number };

  log(entry: LogEntry): void;
  findKind(kind: string): ActorFactory;
  addCell(cell: Cell): void;
  removeCell(cell: Cell): void;
  findCell(address: Address): Cell | undefined;
  /** Work was queued: turns will follow. */
  wake(): void;
  /** Delivers here or hands to the transport; what cannot go becomes a dead letter. */
  post(message: Message): void;
  /** Counts a message that is lost. */
  deadLetter(message: Message, reason: DeadLetterReason): void;
  /** Counts it, and answers it if it is an ask that no actor has received. */
  refuse(message: Message, reason: DeadLetterReason): void;
  /** Sends the terminal reply of an ask that the caller has closed. */
  answer(ask: Message, reply: Reply, from: Sender): void;
  /** Sends the terminal of an ask that nobody will handle. */
  answerUnhandled(ask: Message, outcome: 'down' | 'error', status: StatusRecord): void;
  /** The ask is held by another actor now; its asker is told. */
  holderMoved(ask: Message, holder: Address): void;
  watch(watcher: Address, target: Address): void;
  unwatch(watcher: Address, target: Address): void;
  signal(thread: string, signal: Signal, from: Sender): void;
}

/** Who sends, in which turn, with which buffers: the parts of an envelope that a sender adds. */
export interface Sender {
  readonly address: Address;
  readonly cause: string | null;
  readonly seq: number;
  readonly transfer?: Message['transfer'];
}
