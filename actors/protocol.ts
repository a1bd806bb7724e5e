/**
 * What actors say to each other across threads: one place for the shapes of payloads, so that both
 * ends of a message agree. Plain data only (structured-clone safe).
 */
import type { StatusRecord } from '../runtime/base/errors.js';
import type { ExecutableInfo } from '../runtime/hal/executable.js';
import type { Submission, SubmissionRetired } from '../runtime/hal/submission.js';
import type { FiniteModel } from '../runtime/packages/finite-control.js';
import type { FiniteRequest } from '../runtime/profiles/request-packet.js';
import type { ModelDocument } from '../runtime/packages/model-document.js';

/** Addresses that every thread knows. */
export const SERVER = 'main:/server';
export const POOL = 'main:/pool';

/** One input of a finite call: text, or token ids that the client made itself. */
export type FiniteInput = FiniteRequest['input'];

/** 'request.submit', an ask; answered with FiniteAnswer. */
export interface FiniteCall {
  readonly deployment: string;
  readonly requestId: string;
  readonly inputs: readonly FiniteInput[];
  /** 0 when the caller did not ask. */
  readonly dimensions: number;
}

export interface FiniteAnswer {
  readonly generation: number;
  /** Rows of each input: little-endian f32 bytes, in input order. */
  readonly rows: readonly Uint8Array[];
  readonly units: number;
  readonly cohortSize: number;
  readonly queueMs: number;
  readonly prepareMs: number;
  readonly executeMs: number;
}

/** 'members.prepare', an ask to the generation's preparer. */
export interface PrepareMembers {
  readonly inputs: readonly FiniteInput[];
  readonly dimensions: number;
}
export interface PreparedMember {
  readonly bytes: Uint8Array;
  readonly units: number;
  readonly tag: bigint;
}

/** A package as registered: where its document and references come from. */
export interface PackageLocation {
  readonly id: string;
  /** Folder from which references resolve. */
  readonly base: string;
  readonly document: ModelDocument;
  readonly packageRoots: readonly string[];
}

/** What preparation hands over: all that a generation needs, on whatever thread. */
export interface PreparedModel extends FiniteModel {
  readonly document: ModelDocument;
  readonly tokenizer: Uint8Array | null;
}

/** 'executable.load', an ask to the device queue; answered with nothing. */
export interface LoadExecutable {
  readonly id: string;
  readonly module: WebAssembly.Module;
  readonly info: ExecutableInfo;
}

/** 'work.submit' and the facts about it, sent to `replyTo`. */
export interface SubmitWork {
  readonly submission: Submission;
  readonly replyTo: string;
}
export type WorkRetired = SubmissionRetired;
export interface WorkFailed {
  readonly invocation: string;
  readonly status: StatusRecord;
}
