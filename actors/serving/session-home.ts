/**
 * What a generation of retained text lends its sessions: control program, rows, turns, tokenizer.
 * Owned by the generation; sessions hold it for as long as they live, which is never longer.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { TextControl } from '../../runtime/packages/text-control.js';
import {
  CONTEXT_EXCEEDED,
  type CallForm,
  type Grammar,
  type TextGeometry,
} from '../../runtime/profiles/text.js';
import { GrammarState } from '../../runtime/text/grammar/grammar-state.js';
import { ProgramCache } from '../../runtime/text/grammar/program-cache.js';
import { TokenTable } from '../../runtime/text/grammar/token-table.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { RowStore } from '../../runtime/text/row-store.js';
import type { Tokenizer } from '../../runtime/tokenizer/tokenizer.js';
import type { TextBody } from '../../http/text-serving.js';
import type { PreparedPrompt, SessionAnswer } from '../protocol.js';
import type { RowOrder } from './row-transfer.js';
import { ScoredPrompt } from './scored-prompt.js';
import type { TurnInput } from './turn.js';
import type { TurnTable } from './turn-table.js';

export interface SessionHomeOptions {
  readonly model: string;
  readonly generation: number;
  readonly control: TextControl;
  readonly store: RowStore;
  readonly turns: TurnTable;
  readonly geometry: TextGeometry;
  readonly tokenizer: Tokenizer | null;
  /** Nothing is said, and what tokens give is captured. */
  readonly isSequence: boolean;
  readonly preparer: () => string;
  /** Sessions without a turn for so long are closed. */
  readonly idleMs: number;
  /** Makes a session of a row. */
  readonly open: (row: Row) => SessionAnswer;
  /** One more session may have a row. */
  readonly hasRoom: () => boolean;
  /** Nobody is there any more; the id is empty for the one turn of a request. */
  readonly closed: (id: string, address: string) => void;
  /** Whether an ask with this id was handed over and has not ended. */
  readonly isOpen: (ask: string) => boolean;
  readonly ended: (ask: string) => void;
  /** Has a row's contents moved when no epoch runs. */
  readonly move: (order: RowOrder) => void;
}

/** What a turn is to read, and whose it is. */
interface AskedIds extends PreparedPrompt {
  readonly requestId: string;
  /** Tokens that its row holds already. */
  readonly held: number;
}

interface Arrived {
  readonly stream: number | null;
  readonly arrivedMs: number;
}

export class SessionHome {
  readonly model: string;
  readonly generation: number;
  readonly control: TextControl;
  readonly store: RowStore;
  readonly turns: TurnTable;
  readonly geometry: TextGeometry;
  readonly idleMs: number;
  readonly isSequence: boolean;
  readonly preparer: () => string;
  readonly open: (row: Row) => SessionAnswer;
  readonly hasRoom: () => boolean;
  readonly closed: SessionHomeOptions['closed'];
  readonly isOpen: (ask: string) => boolean;
  readonly ended: (ask: string) => void;
  readonly move: (order: RowOrder) => void;
  /** Sessions that clients know: what they are just now, by id, oldest first. */
  readonly sessions = new Map<string, () => SessionAnswer>();
  readonly #options: SessionHomeOptions;
  readonly #terminal: ReadonlySet<number>;
  readonly #programs = new ProgramCache();
  #tokens: TokenTable | null = null;

  constructor(options: SessionHomeOptions) {
    this.#options = options;
    this.model = options.model;
    this.generation = options.generation;
    this.control = options.control;
    this.store = options.store;
    this.turns = options.turns;
    this.geometry = options.geometry;
    this.idleMs = options.idleMs;
    this.isSequence = options.isSequence;
    this.preparer = options.preparer;
    this.open = options.open;
    this.hasRoom = options.hasRoom;
    this.closed = options.closed;
    this.isOpen = options.isOpen;
    this.ended = options.ended;
    this.move = options.move;
    this.#terminal = new Set(options.geometry.terminal);
  }

  /** Throws what is wrong with the request. */
  turnOf(
    body: TextBody,
    { ids, form, requestId, held }: AskedIds,
    { stream, arrivedMs }: Arrived,
    session: string,
  ): TurnInput {
    this.#checkLength(ids.length, held, body);
    const { sampling } = body;
    const seed = sampling.seed ?? seedOf(requestId);
    return {
      session,
      stream,
      arrivedMs,
      prompt: ids,
      maxTokens: this.isSequence ? 0 : body.maxTokens,
      stop: body.stop,
      bound: this.control.bind({ ...sampling, seed }),
      seed: BigInt(seed),
      details: sampling.topLogprobs !== undefined,
      grammar: body.grammar === null ? null : this.#grammar(body.grammar, form),
      isCaptured: this.isSequence,
      scored: this.#scored(ids, body),
      form: body.hasTools ? form : null,
      tokenizer: this.#options.tokenizer,
      terminal: this.#terminal,
    };
  }

  #scored(ids: readonly number[], { sampling, session, isPromptScored }: TextBody) {
    const isScored = isPromptScored === true && session === null && !this.isSequence;
    if (!isScored || sampling.topLogprobs === undefined) return null;
    return new ScoredPrompt(ids, this.geometry.vocabulary, this.#options.tokenizer);
  }

  /** A row holds what it held, the prompt, and what shall be said. */
  #checkLength(asked: number, held: number, { session, maxTokens }: TextBody): void {
    const { context, pages, pageTokens } = this.geometry;
    const { model } = this.#options;
    const most = Math.min(context, pages * pageTokens);
    if (asked === 0 && session === null) {
      throw new StatusError('invalidArgument', 'the prompt has no tokens', { param: 'prompt' });
    }
    const least = maxTokens ?? (this.isSequence ? 0 : 1);
    if (held + asked + least <= most) return;
    const before = held === 0 ? '' : ` after the ${held} that the session holds`;
    const said = maxTokens === null ? '' : ` and ${maxTokens} of output`;
    const param = held + asked >= most ? 'prompt' : 'max_tokens';
    throw new StatusError(
      'outOfRange',
      `the prompt has ${asked} tokens${before}${said}; a row of model ${model} holds ${most}`,
      { param, reason: CONTEXT_EXCEEDED },
    );
  }

  #grammar(grammar: Grammar, form: CallForm | null): GrammarState {
    const { tokenizer, model } = this.#options;
    const isCalls = grammar.kind === 'calls';
    if (isCalls && form === null) {
      throw new StatusError(
        'invalidArgument',
        `the package of model ${model} does not say how calls are written (call_form): no tool can be required, and no response_format held to beside tools`,
        { param: grammar.orElse === null ? 'tool_choice' : 'response_format' },
      );
    }
    if (tokenizer === null) {
      throw new StatusError('invalidArgument', `model ${model} has no tokenizer for a format`, {
        param: isCalls ? 'tool_choice' : 'response_format',
      });
    }
    const { vocabulary, terminal } = this.geometry;
    this.#tokens ??= new TokenTable(tokenizer, { vocabulary, terminal });
    // Where nothing ends a turn, calls that may go on would never end.
    const isSingle = isCalls && (grammar.isSingle || terminal.length === 0);
    const asked = isCalls ? { ...grammar, isSingle, form } : grammar;
    return new GrammarState(this.#programs.programOf(asked), this.#tokens);
  }

  noRow(): StatusError {
    const { rows } = this.geometry;
    return new StatusError(
      'resourceExhausted',
      `all rows of model ${this.#options.model} that sessions may have are taken (rows: ${rows}); close one of those that GET /v1/sessions lists`,
      { retryAfterS: 1 },
    );
  }

  giveBack(row: Row): void {
    this.turns.rows.forget(row);
    this.store.close(row);
  }
}

/** The same for the same request: 53 bits of FNV-1a over its name. */
function seedOf(requestId: string): number {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < requestId.length; i += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(requestId.charCodeAt(i))) * 0x100000001b3n);
  }
  return Number(hash >> 11n);
}
