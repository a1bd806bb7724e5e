/**
 * One turn of a row: what shall be read, and what is said after it. Owned by the session that it is
 * a turn of; the generation's turn table moves it from epoch to epoch. Plain object, no messages.
 *
 * Holds: what is published is whole characters, ends before a stop text, and never shows a terminal
 * id. Tokens that come after the end of the turn (proposals that were accepted too far) are not of
 * it: `emit` says how many are.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { BoundTurn } from '../../runtime/packages/text-control.js';
import type { CallForm, SpanResult, TokenLikelihood } from '../../runtime/profiles/text.js';
import type { GrammarState } from '../../runtime/text/grammar/grammar-state.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { ScoredPrompt } from './scored-prompt.js';
import { ContentText } from '../../runtime/text/content-text.js';
import { StopText } from '../../runtime/text/stop-text.js';
import { TokenText } from '../../runtime/text/token-text.js';
import type { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import type { Address } from '../../runtime/system/address.js';
import type { SpelledToken, TextDelta, TextFinish, TextToken } from '../../http/text-serving.js';

export interface TurnInput {
  /** Told what becomes of it. */
  readonly session: Address;
  /** Where what it says goes; null: nobody reads along. */
  readonly stream: number | null;
  readonly arrivedMs: number;
  /** Ids to append, and to choose where they are scored. */
  readonly prompt: readonly number[];
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  readonly bound: BoundTurn;
  readonly seed: bigint;
  /** Whether each token's likelihood is wanted. */
  readonly details: boolean;
  readonly grammar: GrammarState | null;
  /** The likelihoods of the prompt are wanted, too. */
  readonly scored: ScoredPrompt | null;
  /** How calls of tools are written, where it may call some; null also where nobody says. */
  readonly form: CallForm | null;
  /** What its tokens give is wanted, each token's once. */
  readonly isCaptured: boolean;
  /** Null for packages without one: such a turn has ids and no text. */
  readonly tokenizer: Tokenizer | null;
  readonly terminal: ReadonlySet<number>;
}

/** What a turn makes of the tokens that an epoch gave it. */
export interface Emitted {
  /** Of the tokens given, those that are of the turn. */
  readonly kept: number;
  readonly delta: TextDelta | null;
  readonly finish: TextFinish | null;
}

/** Deltas that may be on the way to a reader. */
export const DELTAS_MAX = 32;

/** How it stands, for who asks why it waits. */
export interface TurnDetails {
  /** Null while it waits for one. */
  readonly row: number | null;
  /** Tokens of its row that were read, of those that it has. */
  readonly done: number;
  readonly tokens: number;
  /** Pages of its row. */
  readonly pages: number;
  readonly outputs: number;
  readonly isInFlight: boolean;
  readonly isStalled: boolean;
  readonly isAlone: boolean;
  /** Deltas sent to its reader, and those that were taken. */
  readonly sent: number;
  readonly taken: number;
  readonly sentMax: number;
}

export class Turn {
  readonly input: TurnInput;
  row: Row | null = null;
  /** Its row is its own, not that of a session. */
  isOwner = false;
  /** What its row shall hold again: it gave its row up while nobody read what it said. */
  parked: readonly number[] | null = null;
  /** Prompt tokens whose pages were there already. */
  cached = 0;
  startedMs = 0;
  firstTokenMs = 0;
  endedMs = 0;
  isInFlight = false;
  isWithdrawn = false;
  /**
   * An epoch for several failed: it has epochs of its own until its row was read beyond the span
   * that was in it, also while it reads again what came before. 0: none failed.
   */
  aloneTo = 0;
  /** Epoch that served it last. */
  servedIn = 0;
  /** No proposals are made for it. */
  isPlain = false;
  drafted = 0;
  accepted = 0;
  /** Deltas sent, and those that were taken. */
  sent = 0;
  taken = 0;
  readonly outputs: number[] = [];
  /** Of a sequence: what its spans gave, from its first token on up to a position of its row. */
  readonly captured: Uint8Array[] = [];
  capturedTo = 0;
  /** Tokens that its row was to hold when it came. */
  start = 0;
  finish: TextFinish | null = null;
  readonly #text: TokenText | null;
  readonly #stop: StopText;
  readonly #content: ContentText | null;
  /** Tokens of the prompt that are to be said. */
  #unsaid: TextToken[] = [];
  #whole = '';

  constructor(input: TurnInput) {
    this.input = input;
    this.#text = input.tokenizer === null ? null : new TokenText(input.tokenizer);
    this.#stop = new StopText(input.stop);
    const { scored, prompt, form } = input;
    this.#content = form === null ? null : new ContentText(form);
    if (scored !== null) this.#unsaid.push(scored.placed(this.#token(prompt[0]!, [])));
  }

  /** Ids that its row reads before it chooses any. */
  get appended(): readonly number[] {
    const { prompt, scored } = this.input;
    return scored === null ? prompt : prompt.slice(0, 1);
  }

  /** What it chooses is its prompt still. */
  get isScoring(): boolean {
    return this.input.scored?.isRead === false;
  }

  /** Ids that may be chosen next; null: any. */
  mask(): Uint32Array | null {
    const { scored, grammar } = this.input;
    return this.isScoring ? scored!.mask() : (grammar?.mask() ?? null);
  }

  get isStalled(): boolean {
    return this.sent - this.taken >= DELTAS_MAX;
  }

  get isAlone(): boolean {
    return this.aloneTo > 0;
  }

  details(): TurnDetails {
    const { row, sent, taken, isInFlight, isStalled, isAlone } = this;
    return {
      row: row?.ordinal ?? null,
      done: row?.done ?? 0,
      tokens: row?.ids.length ?? this.input.prompt.length,
      pages: row?.pages.length ?? 0,
      outputs: this.outputs.length,
      isInFlight,
      isStalled,
      isAlone,
      sent,
      taken,
      sentMax: DELTAS_MAX,
    };
  }

  /** A token is wanted when its row has been read. */
  get wantsToken(): boolean {
    return this.isScoring || this.input.maxTokens !== 0;
  }

  /** Everything that was published. */
  get text(): string {
    return this.#whole;
  }

  /** Of a sequence: all that was captured. */
  get output(): Uint8Array {
    const whole = new Uint8Array(this.captured.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of this.captured) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  /** Proposals make no sense beyond these. */
  get tokensLeft(): number {
    const { maxTokens } = this.input;
    return maxTokens === null ? Infinity : maxTokens - this.outputs.length;
  }

  emit(ids: readonly number[], { details }: Pick<SpanResult, 'details'>): Emitted {
    if (this.isScoring) return this.#score(ids[0]!, details);
    const tokens: TextToken[] = [];
    let text = '';
    let kept = 0;
    let finish: TextFinish | null = null;
    for (const id of ids) {
      kept += 1;
      const next = this.#take(id);
      text += next.text;
      if (next.isShown) tokens.push(this.#token(id, details));
      finish = next.finish;
      if (finish !== null) break;
    }
    if (finish !== null) text += this.#rest(finish);
    this.#whole += text;
    this.finish = finish;
    return { kept, delta: this.#delta(text, tokens), finish };
  }

  /** A token of the prompt is none of the answer. */
  #score(id: number, details: readonly TokenLikelihood[]): Emitted {
    const { maxTokens } = this.input;
    const scored = this.input.scored!;
    scored.advance();
    this.#unsaid.push(scored.placed(this.#token(id, details)));
    if (scored.isRead && maxTokens === 0) this.finish = 'length';
    return { kept: 1, delta: this.#delta('', []), finish: this.finish };
  }

  #delta(text: string, tokens: readonly TextToken[]): TextDelta | null {
    const prompt = this.#unsaid;
    if (text === '' && tokens.length === 0 && prompt.length === 0) return null;
    this.#unsaid = [];
    const content = this.#content?.push(text) ?? '';
    return {
      text,
      tokens,
      ...(prompt.length === 0 ? {} : { prompt }),
      ...(content === '' ? {} : { content }),
    };
  }

  /** It ends though it has more to say: its row is full, or nothing was to be said. */
  close(): Emitted {
    this.finish = 'length';
    const text = this.#rest('length');
    this.#whole += text;
    return { kept: 0, delta: this.#delta(text, []), finish: 'length' };
  }

  #take(id: number): { text: string; isShown: boolean; finish: TextFinish | null } {
    const { terminal, maxTokens, grammar } = this.input;
    this.outputs.push(id);
    if (terminal.has(id)) return { text: '', isShown: false, finish: 'stop' };
    if (grammar !== null) this.#advance(grammar, id);
    const { text, isStopped } = this.#stop.push(this.#text?.push(id) ?? '');
    if (isStopped) return { text, isShown: true, finish: 'stop' };
    if (grammar?.isComplete === true && grammar.isExhausted) {
      return { text, isShown: true, finish: 'stop' };
    }
    const isLong = maxTokens !== null && this.outputs.length >= maxTokens;
    return { text, isShown: true, finish: isLong ? 'length' : null };
  }

  #advance(grammar: GrammarState, id: number): void {
    grammar.advance(id);
    if (!grammar.isStuck) return;
    throw new StatusError(
      'internal',
      `no token of the model can go on with what ${grammar.asker} asks for`,
      { param: grammar.asker },
    );
  }

  /** What was held back because it might have become something else. */
  #rest(finish: TextFinish): string {
    if (finish === 'stop' && this.#stop.isStopped) return '';
    const { text, isStopped } = this.#stop.push(this.#text?.end() ?? '');
    return isStopped ? text : text + this.#stop.end();
  }

  #token(id: number, details: readonly TokenLikelihood[]): TextToken {
    const [own, ...others] = this.input.details ? details : [];
    return {
      logprob: own?.logprob ?? null,
      top: others.map(({ id: token, logprob }) => ({ logprob, ...this.#spelled(token) })),
      ...this.#spelled(id),
    };
  }

  #spelled(id: number): SpelledToken {
    const { tokenizer } = this.input;
    const text = tokenizer?.tokenText(id) ?? '';
    if (tokenizer === null || !text.includes('\ufffd')) return { id, text };
    return { id, text, bytes: [...tokenizer.tokenBytes(id)] };
  }
}
