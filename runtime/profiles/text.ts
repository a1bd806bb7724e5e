/**
 * The contract of retained text: what `prepare` declares, and the record of a span. README.md in
 * this folder has the contract for package authors; this file is its types.
 */
import type { Profile } from './profile.js';
import { answerEntry, callFormEntry, draftEntry, promptEntry, rowEntries } from './text-entries.js';

export const text: Profile = {
  name: 'text',
  contract: 'text',
  route: '/v1/chat/completions',
  acceptable: [],
  entries: [...rowEntries, promptEntry],
  optional: [draftEntry, answerEntry, callFormEntry],
};

/** What `prepare` of a text or sequence package declared, checked. */
export interface TextGeometry {
  /** Rows that may be retained at once. */
  readonly rows: number;
  /** Most tokens and spans of an epoch. */
  readonly tokens: number;
  readonly spans: number;
  /** Most tokens of a row. */
  readonly context: number;
  readonly pageTokens: number;
  readonly pageBytes: number;
  readonly pages: number;
  /** 0: the package keeps nothing but pages. */
  readonly stateBytes: number;
  readonly states: number;
  readonly metadataBytes: number;
  readonly inputBytes: number;
  readonly residualBytes: number;
  /** Of one output. */
  readonly feedbackBytes: number;
  /** Most outputs of an epoch. */
  readonly outputs: number;
  /** Ids are below. */
  readonly vocabulary: number;
  /** Ids that end a turn. */
  readonly terminal: readonly number[];
}

/** One span of an epoch, as the server packs it. */
export interface Span {
  readonly row: number;
  /** Slot of the row's state; -1 without. */
  readonly state: number;
  /** Tokens that the row holds already. */
  readonly first: number;
  readonly ids: readonly number[];
  /** A token is wanted after the last one that is no proposal, and after each proposal. */
  readonly selects: boolean;
  /** How many of the last ids are proposals. */
  readonly drafts: number;
  /** Pages from position 0 to the span's last token. */
  readonly pages: readonly number[];
  /** The turn's bytes, of `bind_request`. */
  readonly bound: Uint8Array;
  /** Output tokens that the turn has had. */
  readonly counter: number;
  /** Its last output ids that `bind_request` asked to see, oldest first. */
  readonly history: readonly number[];
  /** Ids that may follow, a bit each; null: any. */
  readonly mask: Uint32Array | null;
  readonly seed: bigint;
}

/** A token of an output with how likely it was. */
export interface TokenLikelihood {
  readonly id: number;
  readonly logprob: number;
}

/** What an epoch that retired means for one of its spans. */
export interface SpanResult {
  /** Tokens of the span that count from now on. */
  readonly completed: number;
  /** The token that was chosen after them; null where none was wanted. */
  readonly selected: number | null;
  /** The selected token's first, then the likeliest in descending order; empty if not asked. */
  readonly details: readonly TokenLikelihood[];
}

/** What a turn asks of sampling; a field that is absent is what the package prefers. */
export interface SamplingOptions {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly repetitionPenalty?: number;
  readonly seed?: number;
  /** Likeliest tokens wanted beside each chosen one; absent: no details. */
  readonly topLogprobs?: number;
  readonly logitBias?: readonly (readonly [id: number, bias: number])[];
}

/** What clients know as the reason why a prompt is refused that no row holds. */
export const CONTEXT_EXCEEDED = 'context_length_exceeded';

/** What a turn appends to its row. */
export type Prompt =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tokens'; readonly ids: readonly number[] }
  /** JSON object as the package's template sees it. */
  | { readonly kind: 'chat'; readonly json: string };

/** Constraint on what a turn may say. */
export type Grammar = JsonGrammar | CallGrammar;

export type JsonGrammar =
  | { readonly kind: 'json' }
  /** A JSON Schema of the subset that the server knows; checked before the turn is accepted. */
  | { readonly kind: 'schema'; readonly schema: unknown };

/** Calls of functions, one at least. */
export interface CallGrammar {
  readonly kind: 'calls';
  readonly functions: readonly CalledFunction[];
  readonly isSingle: boolean;
  /** The package's; null before it is known. */
  readonly form: CallForm | null;
  /** What may be said instead; null: nothing. */
  readonly orElse: JsonGrammar | null;
}

/** A function that a turn may call. */
export interface CalledFunction {
  readonly name: string;
  /** JSON Schema of its arguments; null: any object. */
  readonly parameters: unknown;
  /** Where they stand in the request, for errors. */
  readonly place: string;
  /** A schema that cannot be held to is refused; otherwise its arguments are any object then. */
  readonly isStrict: boolean;
}

/** How a package writes a call: `begin` NAME `middle` ARGUMENTS `end`. */
export interface CallForm {
  readonly begin: string;
  readonly middle: string;
  readonly end: string;
  /** What stands between two calls; null: an answer has one. */
  readonly between: string | null;
  /** Arguments have no line breaks, and nothing comes before the first call. */
  readonly isOneLine: boolean;
  /** What may begin a call within an answer; `leads` only where white space alone came before. */
  readonly marks: readonly string[];
  readonly leads: readonly string[];
}
