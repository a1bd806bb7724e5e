/**
 * The control plane of a thread: start its program, introduce a peer, shut it down. Carried by
 * comlink over the worker's own port; every call is raced against the worker's exit, because a
 * comlink call to a dead worker stays pending for ever. Data never travels here: actors talk over
 * the peer ports.
 */
import type { MessagePort } from 'node:worker_threads';
import type { ThreadUsage } from '../base/thread-usage.js';
import type { ActorPulse } from '../system/describe.js';
import type { RecordBatch } from '../system/ring-recorder.js';

/** What a thread is told once, at its start. Structured-clone safe. */
export interface ThreadInput {
  readonly name: string;
  /** Module that exports `startProgram: StartProgram`. */
  readonly program: string;
  readonly settings: unknown;
}

/** What a thread used, and how many messages its actors have handled. */
export interface HostUsage extends ThreadUsage {
  readonly messages: number;
}

export interface ThreadControl {
  connect(peer: string, port: MessagePort): void;
  /** A peer's thread has ended: its actors are gone. */
  lost(peer: string): void;
  /** Live actors of the thread, as plain data; `isDetailed`: all that explains why they wait. */
  describe(isDetailed: boolean): unknown;
  /** Whether its actors get on; that it answers says that it does itself. */
  pulse(): readonly ActorPulse[];
  /** `collect`: after a collection of its heap, where the process allows one. */
  usage(collect: boolean): HostUsage;
  /** Starts or ends to keep records of what its actors do. */
  record(isOn: boolean): void;
  /** Takes what is kept; null while nothing is. */
  records(): RecordBatch | null;
  shutdown(): Promise<void>;
}

/** The program of a thread: builds whatever lives there and answers the control plane. */
export type StartProgram = (input: ThreadInput) => ThreadControl | Promise<ThreadControl>;
