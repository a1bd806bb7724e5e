/**
 * The seam between encoding (http) and lifecycle (actors) for retained text, beside `Serving`:
 * plain data, rejections are `StatusError`s.
 */
import type { Grammar, Prompt, SamplingOptions } from '../runtime/profiles/text.js';
import type { CallOptions } from './serving.js';

/** One generation of text: a prompt that is appended to a row, and what shall follow it. */
export interface TextCall {
  readonly requestId: string;
  readonly model: string;
  readonly body: TextBody;
}

export interface TextBody {
  /** What the caller takes the model for; absent: either. */
  readonly profile?: 'text' | 'sequence';
  readonly prompt: Prompt;
  /** A retained session; null: a row of its own that ends with the turn. */
  readonly session: string | null;
  /** Most output tokens; null: as many as the row can hold. 0: the prompt is read, no more. */
  readonly maxTokens: number | null;
  /** Texts that end the turn; what is published stops before them. */
  readonly stop: readonly string[];
  readonly sampling: SamplingOptions;
  readonly grammar: Grammar | null;
  /** With `topLogprobs`, for a row of its own: tokens of the prompt are said as well. */
  readonly isPromptScored?: boolean;
  /** The prompt offers tools: the answer is parsed by the package when it has ended. */
  readonly hasTools: boolean;
}

export interface SpelledToken {
  readonly id: number;
  /** What it stands for by itself. */
  readonly text: string;
  /** Where that has parts of characters. */
  readonly bytes?: readonly number[];
}

/** What one output token added: text is whole characters, and may lag behind the tokens. */
export interface TextToken extends SpelledToken {
  readonly logprob: number | null;
  /** Of a token of a prompt: characters of its text that come before. */
  readonly offset?: number;
  readonly top: readonly (SpelledToken & { readonly logprob: number })[];
}

export interface TextDelta {
  readonly text: string;
  readonly tokens: readonly TextToken[];
  /** With tools: text that is no part of a call, known before the answer is whole. */
  readonly content?: string;
  /** Tokens of a prompt that is scored; the first of all has no log probability. */
  readonly prompt?: readonly TextToken[];
}

export type TextFinish = 'stop' | 'length';

export interface TextResult {
  readonly model: string;
  readonly generation: number;
  readonly finish: TextFinish;
  /** Tokens that the prompt added to the row. */
  readonly promptTokens: number;
  /** Of those, the ones whose pages were there already. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Drafted tokens that were proposed, and those accepted. */
  readonly drafted: number;
  readonly accepted: number;
  /** The package's reading of the whole answer when tools were offered; null otherwise. */
  readonly chat: string | null;
  /** Of a sequence: what its tokens gave, one after another; null for text. The caller owns it. */
  readonly captured: Uint8Array | null;
  readonly timings: TextTimings;
}

/** Milliseconds: until the first span was packed, to the first token, from there to the last. */
export interface TextTimings {
  readonly queueMs: number;
  readonly promptMs: number;
  readonly generateMs: number;
}

export interface TextOptions extends CallOptions {
  /**
   * Called in order, before the call resolves. The turn makes no more output than its credit allows
   * while what the sink returned is pending: it resolves when the sink takes more.
   */
  readonly onDelta: (delta: TextDelta) => void | Promise<void>;
}

/**
 * What becomes of idle sessions whose contents had to go because others needed the memory: they
 * read their text again with the next turn; only those do whose contents this server has computed
 * itself and not restored; or none does, and they are gone.
 */
export type EvictedSessions = 'replay' | 'replay-own' | 'refuse';

/** A retained row, by the name that its client knows. */
export interface SessionState {
  readonly id: string;
  readonly model: string;
  readonly state: 'idle' | 'running';
  readonly tokens: number;
  /** By name, with the tokens that each holds. */
  readonly checkpoints: readonly { readonly id: string; readonly tokens: number }[];
  readonly context: number;
  /** Of an append to a sequence, in its answer only: what its tokens gave. */
  readonly captured?: Uint8Array;
}

export type SessionChange =
  /** Tokens are read into the row; nothing is generated. */
  | { readonly op: 'append'; readonly prompt: Prompt }
  | { readonly op: 'fork' }
  /** Keeps the first `tokens` tokens. */
  | { readonly op: 'rewind'; readonly tokens: number }
  | { readonly op: 'checkpoint' }
  | { readonly op: 'restore'; readonly checkpoint: string }
  | { readonly op: 'close' };

export interface OpenOptions extends CallOptions {
  /**
   * Name of a saved session that it shall hold: `notFound`, `dataLoss` where the file is damaged,
   * `failedPrecondition` where it is of another model.
   */
  readonly restore?: string;
}

export interface SavedSession {
  readonly name: string;
  readonly tokens: number;
  /** Of the file. */
  readonly bytes: number;
}

export interface TextServing {
  /** Generates; rejects as `infer` does, also after deltas were given. */
  generate(call: TextCall, options: TextOptions): Promise<TextResult>;
  /** A row that outlives its turns; `resourceExhausted` with `retryAfterS` when all are taken. */
  openSession(model: string, options: OpenOptions): Promise<SessionState>;
  session(id: string): Promise<SessionState>;
  /** Those of a model that are open, oldest first. */
  sessions(model: string): Promise<readonly SessionState[]>;
  /** Ends one whose id has reached nobody; nothing is said of it. */
  dropSession(id: string): void;
  /**
   * `failedPrecondition` (409) while a turn runs, `gone` (410) when it was lost with its
   * generation. The answer is the changed session (a new checkpoint is its last), of a fork the new
   * one.
   */
  changeSession(id: string, change: SessionChange, options: CallOptions): Promise<SessionState>;
  /**
   * Keeps what a session holds in a file of this name, in place of an older one: ids, and what is
   * computed of them. `invalidArgument` for other names than plain ones, or without a folder.
   */
  saveSession(id: string, name: string, options: CallOptions): Promise<SavedSession>;
  tokenize(model: string, prompt: Prompt, options: CallOptions): Promise<readonly number[]>;
  detokenize(model: string, ids: readonly number[], options: CallOptions): Promise<string>;
}
