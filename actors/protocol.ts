/**
 * What actors say to each other across threads: one place for the shapes of payloads, so that both
 * ends of a message agree. Plain data only (structured-clone safe).
 */
import type {
  EvictedSessions,
  SessionChange,
  SessionState,
  TextBody,
  TextDelta,
  TextResult,
} from '../http/text-serving.js';
import type { StatusRecord } from '../runtime/base/errors.js';
import type { ExecutableInfo } from '../runtime/hal/executable.js';
import type { Submission, SubmissionRetired } from '../runtime/hal/submission.js';
import type { StageDeclaration } from '../runtime/packages/artefacts.js';
import type { ChoiceSources, FiniteModel } from '../runtime/packages/finite-control.js';
import type { TextModel } from '../runtime/packages/text-control.js';
import type { Choice } from '../runtime/packages/prepare-choice.js';
import type { PreparedRequest } from '../runtime/profiles/finite.js';
import type { CallForm, Prompt } from '../runtime/profiles/text.js';
import type { RowImage } from '../runtime/text/row-image.js';
import type { FiniteBody } from '../runtime/profiles/finite-request.js';
import type { LoadPlan, OpenedFile, OpenedSource } from '../runtime/parameters/load-plan.js';
import type { FoundCheckpoint } from '../runtime/packages/found-checkpoint.js';
import type { FilesPlace } from '../runtime/packages/imported-files.js';
import type { ModelDocument } from '../runtime/packages/model-document.js';

/** Addresses that every thread knows. */
export const SERVER = 'main:/server';
export const POOL = 'main:/pool';
/** Reads of checkpoints: its threads may wait for a disk, those of the pool compute. */
export const FILES = 'main:/files';
/** 'log.write': lines of the other threads. */
export const LOG = 'main:/log';

/** 'request.submit', an ask; answered with FiniteAnswer. */
export interface FiniteCall {
  readonly deployment: string;
  readonly requestId: string;
  readonly body: FiniteBody;
}

export interface FiniteAnswer {
  readonly generation: number;
  /** The row of each member: little-endian f32 bytes, in the order of the request. */
  readonly rows: readonly Uint8Array[];
  readonly units: number;
  readonly cohortSize: number;
  readonly queueMs: number;
  readonly prepareMs: number;
  readonly executeMs: number;
}

/** 'members.prepare', an ask to the generation's preparer. */
export interface PrepareMembers {
  readonly body: FiniteBody;
}
export type PreparedMember = PreparedRequest;

/**
 * 'choice.prepare', an ask to the generation's preparer; answered with ResolvedChoice. Then the
 * device has what the choice brought along, under `scope`.
 */
export interface PrepareChoice {
  readonly choice: Choice;
  readonly scope: string;
}

/** A choice whose sources and banks are on the device; its programs are to be compiled. */
export interface ResolvedChoice {
  /** Ids of the banks that each stage binds. */
  readonly stageBanks: readonly (readonly string[])[];
  readonly loaders: readonly {
    readonly executable: string;
    readonly declaration: StageDeclaration;
  }[];
  /** Null where the device has nothing of its own. */
  readonly sources: ChoiceSources | null;
}

/** A package as registered: where its document and references come from. */
export interface PackageLocation {
  readonly id: string;
  /** Folder from which references resolve. */
  readonly base: string;
  readonly document: ModelDocument;
  readonly packageRoots: readonly string[];
  readonly parameterRoots?: readonly string[];
  /** Where imported files are kept; absent: the user's cache folder. */
  readonly cacheDir?: string;
  /** Of a checkpoint that a package of the server's own serves. */
  readonly checkpoint?: FoundCheckpoint;
}

/** What preparation hands over: all that a generation needs, on whatever thread. */
export type PreparedModel = PreparedFinite | PreparedText;
export interface PreparedFinite extends FiniteModel, PreparedPackage {}
export interface PreparedText extends TextModel, PreparedPackage {
  /** Of programs, configuration and weights: what rows hold is good for the same one only. */
  readonly identity: string;
}

interface PreparedPackage {
  readonly document: ModelDocument;
  /** Where files that requests name are looked for. */
  readonly place: Omit<FilesPlace, 'document'>;
  readonly tokenizer: Uint8Array | null;
}

/** 'executable.load', an ask to the device queue; answered with nothing. */
export interface LoadExecutable {
  readonly id: string;
  /** Ids of registered banks, one for each of its parameters; none without. */
  readonly banks?: readonly string[];
  /** That the package set for the stage; all generations of a deployment keep to it together. */
  readonly workspaceLimit?: { readonly stage: string; readonly bytes: number } | null;
  /** Code of the kind that the device runs. */
  readonly module: WebAssembly.Module | null;
  readonly wgsl: object | null;
  readonly info: ExecutableInfo;
}

/**
 * 'banks.register', an ask to the device queue; answered with nothing. The device has the files of
 * the sources once it is asked: it has those closed that it refuses. 'banks.unregister' with
 * the scope gives all back, that of a generation also what its choices registered.
 */
export interface RegisterBanks {
  /** Of a generation or one of its choices; ids of banks start with it. */
  readonly scope: string;
  /** Scope whose sources plans count first: that of a choice's generation. */
  readonly parent?: string;
  readonly deployment: string;
  readonly sources: readonly OpenedSource[];
  readonly banks: readonly {
    readonly id: string;
    readonly plan: LoadPlan;
    readonly pinned: boolean;
  }[];
}

/**
 * 'files.keep', an ask to FILES before anybody else hears of the files: from its answer on they are
 * closed there, when whoever has them says so or when the device that they are for has ended.
 */
export interface KeepFiles {
  readonly device: string;
  /** As they will be registered. */
  readonly scope: string;
  readonly files: readonly OpenedFile[];
}

/**
 * To FILES, by the device: 'files.take', it has what the scope names and will say 'files.close';
 * 'files.drop', whoever opened files in the scope has ended, and what was not taken goes.
 */
export interface DropFiles {
  readonly device: string;
  readonly scope: string;
}

/** 'files.close' to FILES: nobody needs the file any more. */
export interface CloseFile {
  readonly device: string;
  readonly descriptor: number;
}

/** 'banks.warm' and 'banks.deactivate', asks to the device queue. */
export interface NameBanks {
  readonly ids: readonly string[];
}

/**
 * 'rows.register', an ask to the device queue; answered with nothing, or with why the rows can
 * never be there. 'rows.unregister' gives them up, with their bytes after their last use.
 */
export interface RegisterRows {
  /** Starts with the scope of a generation. */
  readonly id: string;
  readonly deployment: string;
  readonly storages: readonly { readonly key: string; readonly bytes: number }[];
  /** Ids of registered banks that are there as long as the rows are in use. */
  readonly banks: readonly string[];
  /** Bytes of each buffer that an epoch may need beside them. */
  readonly epochBuffers: readonly number[];
  readonly pinned: boolean;
}

/**
 * 'rows.use', an ask to the device queue; answered when the rows are there, and in use from then on
 * until 'rows.rest'. 'rows.withdraw' takes the ask back if it still waits. The device tells the
 * actor that registered them 'rows.wanted' when others wait for their room, which is the wish that
 * they come to rest, and 'rows.evicted' when they had to leave while they rested: before the answer
 * to a later ask, and with all that they held.
 */
export interface NameRows {
  readonly id: string;
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

/** What the operator wishes of sessions. */
export interface SessionRules {
  /** Those without a turn for so long are closed (--session-idle). */
  readonly idleMs?: number;
  /** What becomes of those whose contents had to go (--evicted-sessions). */
  readonly evicted?: EvictedSessions;
}

/** 'request.submit' to a model of retained text; answered as `op` says. */
export interface TextSubmit {
  readonly deployment: string;
  readonly requestId: string;
  readonly text: TextRequest;
}

export type TextRequest =
  /** Answered with TextAnswer; what is said meanwhile goes to STREAMS under the number. */
  | { readonly op: 'generate'; readonly body: TextBody; readonly stream: number | null }
  /** Answered with SessionAnswer, like the two that follow. */
  | { readonly op: 'open'; readonly image?: Uint8Array }
  | { readonly op: 'describe'; readonly session: string }
  | { readonly op: 'change'; readonly session: string; readonly change: SessionChange }
  /** Answered with the SessionAnswers of all that are open. */
  | { readonly op: 'sessions' }
  /** Answered with SavedRow. */
  | { readonly op: 'save'; readonly session: string }
  /** Answered with ids. */
  | { readonly op: 'tokenize'; readonly prompt: Prompt }
  /** Answered with text. */
  | { readonly op: 'detokenize'; readonly ids: readonly number[] };

export interface TextAnswer extends Omit<TextResult, 'model'> {
  /** Deltas that were sent to its stream. */
  readonly deltas: number;
}

export type SessionAnswer = Omit<SessionState, 'model'>;

/** What a session holds as bytes (`runtime/text/row-image.ts`). */
export interface SavedRow {
  readonly image: Uint8Array;
  readonly tokens: number;
}

/** Where what turns say goes, on the main thread. */
export const STREAMS = 'main:/streams';

/** 'text.deltas' to STREAMS, once an epoch: in the order in which they were said. */
export interface TextDeltas {
  readonly deltas: readonly { readonly stream: number; readonly delta: TextDelta }[];
}

/** 'text.taken', the answer: streams whose reader has taken one more. */
export interface DeltasTaken {
  readonly streams: readonly number[];
}

/** 'prompt.prepare', an ask to the preparer of a text model; answered with PreparedPrompt. */
export interface PreparePrompt {
  readonly prompt: Prompt;
  /** Tokens that the row holds already. */
  readonly held: number;
  /** How calls of tools are written is wanted, too. */
  readonly wantsForm: boolean;
}

export interface PreparedPrompt {
  readonly ids: readonly number[];
  readonly form: CallForm | null;
}

/** 'image.write', an ask to the preparer of a text model; answered with the bytes. */
export interface WriteImage {
  readonly row: RowImage;
}

/** 'image.read', the same the other way; answered with RowImage once all of it was checked. */
export interface ReadImage {
  readonly image: Uint8Array;
}
