/**
 * All turns of a generation and the rows that they are turns of: which spans the next epoch has,
 * and what its result means for each turn. Owned by the generation, on its model thread; tells
 * sessions what becomes of their turns, and whoever reads along what was said.
 *
 * Holds: a turn is in one epoch at a time; a stalled turn is in no epoch. The oldest turn always
 * gets on: who gives it pages is in `turn-rows.ts`.
 */
import { assert, StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { TextControl } from '../../runtime/packages/text-control.js';
import type { Span, SpanResult, TextGeometry } from '../../runtime/profiles/text.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { Hold } from '../../runtime/text/row-store.js';
import { chooseSpans, speaks } from '../policy/epoch-scheduler.js';
import type { ChosenSpan, SpanCandidate } from '../policy/epoch-scheduler.js';
import { PromptShare } from '../policy/prompt-share.js';
import type { Emitted, Turn } from './turn.js';
import { TurnDoor } from './turn-door.js';
import { TurnRows, type TurnRowsHost } from './turn-rows.js';
import { mixOf, wantedOf } from './turn-spans.js';

/** What the table needs of its generation. */
export interface TurnTableHost extends TurnRowsHost {
  readonly control: TextControl;
  readonly geometry: TextGeometry;
  readonly now: () => number;
  /** Tells a session. */
  readonly tell: (turn: Turn, kind: string, payload: object) => void;
  readonly publish: (turn: Turn, emitted: Emitted) => void;
  /** What was published is on its way from now on. */
  readonly flush: () => void;
  /** Tokens that are proposed for a turn with this row, at most so many. */
  readonly propose: (turn: Turn, most: number) => readonly number[];
  /** That failed. */
  readonly unproposed: (turn: Turn, status: StatusRecord) => void;
}

/** One turn's place in an epoch. */
export interface TurnSpan {
  readonly turn: Turn;
  readonly span: Span;
}

/** What one epoch takes: its spans, and the hold on whatever their rows give up meanwhile. */
export interface EpochWork {
  readonly spans: readonly TurnSpan[];
  readonly hold: Hold;
}

const DRAFTS_MAX = 4;

interface Candidate extends SpanCandidate {
  readonly turn: Turn;
  readonly proposals: readonly number[];
}

export class TurnTable {
  readonly #host: TurnTableHost;
  /** Oldest first. */
  readonly #turns: Turn[] = [];
  /** Those that somebody reads along, by stream. */
  readonly #streams = new Map<number, Turn>();
  readonly rows: TurnRows;
  readonly door = new TurnDoor();
  readonly #share: PromptShare;
  #epochs = 0;

  constructor(host: TurnTableHost) {
    this.#host = host;
    this.#share = new PromptShare(host.geometry.tokens);
    this.rows = new TurnRows(host, this.#turns);
  }

  /** Oldest first. */
  get all(): readonly Turn[] {
    return this.#turns;
  }

  /** Turns that wait for a row. */
  get waiting(): number {
    return this.#turns.filter((turn) => turn.row === null && !turn.isStalled).length;
  }

  /** Throws where its row cannot hold what it shall read. `row` is null for one of its own. */
  queue(turn: Turn, row: Row | null): void {
    // As if served when it came: who came earlier goes first.
    turn.servedIn = this.#epochs;
    turn.isOwner = row === null;
    if (row !== null) this.#attach(turn, row);
    this.#turns.push(turn);
    this.door.came(turn);
    const { stream } = turn.input;
    if (stream !== null) this.#streams.set(stream, turn);
    // It adds nothing, and nothing is wanted of it.
    if (row?.done === row?.ids.length && row !== null) this.#finish(turn, turn.close());
  }

  #attach(turn: Turn, row: Row): void {
    const { store } = this.#host;
    const { parked, wantsToken } = turn;
    const ids = parked ?? turn.appended;
    if (wantsToken && row.ids.length + ids.length === 0) {
      throw new StatusError('invalidArgument', 'nothing can follow a row without tokens', {
        param: 'prompt',
      });
    }
    const start = row.ids.length;
    // What was published of a sequence was captured for others.
    const cached = store.append(row, ids, turn.input.isCaptured ? start : Infinity);
    if (parked === null) {
      turn.cached = cached;
      turn.start = start;
      turn.capturedTo = start;
    }
    turn.parked = null;
    // A turn that adds nothing reads the last token again: what follows it is not kept.
    if (row.done === row.ids.length && wantsToken) store.stepBack(row);
    turn.row = row;
    this.rows.forget(row);
  }

  /** False: an epoch that was accepted still has it, and its session is told when it is over. */
  withdraw(turn: Turn): boolean {
    turn.isWithdrawn = true;
    if (turn.isInFlight) return false;
    this.#takeBack(turn);
    this.#drop(turn);
    return true;
  }

  #drop(turn: Turn): void {
    const at = this.#turns.indexOf(turn);
    if (at >= 0) this.#turns.splice(at, 1);
    if (turn.input.stream !== null) this.#streams.delete(turn.input.stream);
  }

  /** Some turn could go on if the rows were there. */
  get wantsRows(): boolean {
    return this.#turns.some((turn) => !turn.isStalled);
  }

  /** The rows cannot be had: whoever would go on fails. */
  failReady(status: StatusRecord): void {
    for (const turn of [...this.#turns]) if (!turn.isStalled) this.#fail(turn, status);
  }

  /** All that rows held is gone; of sessions, those that may not read theirs again end. */
  evictRows(): void {
    for (const turn of [...this.#turns]) {
      const { row, isOwner, input } = turn;
      if (row === null || isOwner || !this.rows.lose(row, input.session)) continue;
      this.#fail(turn, this.rows.lossOf(row)!);
    }
    this.rows.loseIdle();
    this.#host.store.evict();
  }

  /** The next epoch; null when nobody can go on. What it takes is in flight from now on. */
  next(): EpochWork | null {
    this.#epochs += 1;
    this.#openRows();
    const ready = this.#turns.filter((turn) => this.#isReady(turn));
    const alone = ready.filter((turn) => turn.isAlone).slice(0, 1);
    let taken = this.#choose(alone);
    // Where one that goes alone has no room, others must get on to give it some.
    if (taken.length === 0) taken = this.#choose(ready.filter((turn) => !turn.isAlone));
    if (taken.length === 0) return null;
    for (const { turn } of taken) this.#enter(turn);
    this.#share.begin(mixOf(taken), this.#host.now());
    return { spans: taken, hold: this.#host.store.hold(taken.map(({ turn }) => turn.row!)) };
  }

  #choose(turns: readonly Turn[]): readonly TurnSpan[] {
    const { tokens, spans, outputs } = this.#host.geometry;
    const candidates = turns.map((turn) => this.#candidate(turn));
    const promptTokens = this.#share.tokensBeside(candidates.filter(speaks).length);
    const limits = { tokens, spans, outputs, promptTokens };
    const kept = new Set<Turn>();
    const room = (candidate: Candidate, count: number): number => {
      const found = this.#room(candidate, count, kept);
      if (found > 0) kept.add(candidate.turn);
      return found;
    };
    // The oldest has room before those who speak take what is left.
    if (candidates.length > 0) this.#room(candidates[0]!, 1, kept);
    return chooseSpans(candidates, limits, room).map((chosen) => this.#spanOf(chosen));
  }

  #isReady(turn: Turn): boolean {
    return turn.row !== null && !turn.isInFlight && this.door.lets(turn);
  }

  #openRows(): void {
    for (const turn of [...this.#turns]) {
      if (turn.row !== null || !this.door.lets(turn)) continue;
      const row = this.rows.open(turn);
      if (row === null) return;
      try {
        this.#attach(turn, row);
      } catch (error) {
        this.#host.store.close(row);
        this.#fail(turn, toStatus(error));
      }
    }
  }

  #candidate(turn: Turn): Candidate {
    const row = turn.row!;
    // A row that has read nothing takes up what others have read before what is left is counted.
    if (row.done === 0) {
      this.#host.store.reserve(row, 1);
      if (turn.startedMs === 0) turn.cached = row.done;
    }
    const wanted = wantedOf(turn);
    const isDecode = turn.outputs.length > 0 && wanted === 1;
    const proposals = isDecode ? this.#propose(turn) : [];
    const { servedIn, wantsToken: selects } = turn;
    return { turn, wanted, isDecode, servedIn, drafts: proposals.length, proposals, selects };
  }

  /** What fits the rest of the turn. */
  #propose(turn: Turn): readonly number[] {
    const { details, grammar } = turn.input;
    const room = this.#host.geometry.context - turn.row!.ids.length - 1;
    const most = Math.min(DRAFTS_MAX, turn.tokensLeft - 1, room);
    if (details || grammar !== null || turn.isAlone || turn.isPlain || most <= 0) return [];
    try {
      return this.#host.propose(turn, most);
    } catch (error) {
      // Nobody needs proposals: a program that fails at them is not asked again for this turn.
      turn.isPlain = true;
      this.#host.unproposed(turn, toStatus(error));
      return [];
    }
  }

  #enter(turn: Turn): void {
    turn.isInFlight = true;
    turn.servedIn = this.#epochs;
    if (turn.startedMs > 0) return;
    turn.startedMs = this.#host.now();
    this.#host.tell(turn, 'turn.started', {});
  }

  /** How many of so many tokens there are pages for, those of the least needy included. */
  #room({ turn, wanted, proposals }: Candidate, count: number, kept: ReadonlySet<Turn>): number {
    const { store } = this.#host;
    const row = turn.row!;
    const isSpilled = wantedOf(turn) !== wanted;
    // Its pages went to an older turn since it was looked at: it reads its row again.
    if (isSpilled && count > wanted) return 0;
    if (count > wanted) store.proposed(row, proposals.slice(0, count - wanted));
    let found = store.reserve(row, count);
    // Proposals are not worth anybody's pages.
    while (found === 0 && count <= wanted && this.rows.makeRoom(turn, kept)) {
      found = store.reserve(row, count);
    }
    return found;
  }

  #spanOf({ candidate, tokens, drafts }: ChosenSpan<Candidate>): TurnSpan {
    const { store, geometry } = this.#host;
    const { turn, proposals } = candidate;
    const row = turn.row!;
    store.proposed(row, proposals.slice(0, drafts));
    const count = store.reserve(row, tokens + drafts);
    // Fewer than chosen where there is a place for a state since: it ends where that is kept.
    assert(count > 0, `row ${row.ordinal} to have room`);
    const { bound, seed } = turn.input;
    const ids = row.ids.slice(row.done, row.done + count);
    const selects = row.done + count === row.ids.length && turn.wantsToken;
    const pages = Math.ceil((row.done + count) / geometry.pageTokens);
    const span: Span = {
      row: row.ordinal,
      state: row.state,
      first: row.done,
      ids,
      selects,
      drafts: Math.max(0, count - tokens),
      pages: row.pages.slice(0, pages),
      bound: bound.bound,
      counter: turn.outputs.length,
      history: bound.history === 0 ? [] : turn.outputs.slice(-bound.history),
      mask: selects ? turn.mask() : null,
      seed,
    };
    return { turn, span };
  }

  /** Its epoch has retired: the row advances, and the turn with it. Before the hold settles. */
  commit({ turn, span }: TurnSpan, result: SpanResult, captured: Uint8Array | null): void {
    const { completed, selected, details } = result;
    const row = turn.row!;
    turn.isInFlight = false;
    const proven = span.ids.length - span.drafts;
    const accepted = span.ids.slice(proven, completed);
    // False: its row lost what it had meanwhile, and reads itself again.
    if (!this.#host.store.commit(row, completed, selected)) return this.#goOn(turn);
    if (span.first + completed >= turn.aloneTo) turn.aloneTo = 0;
    turn.drafted += span.drafts;
    turn.accepted += accepted.length;
    if (captured !== null && span.first >= turn.capturedTo) {
      turn.captured.push(captured);
      turn.capturedTo = span.first + completed;
    }
    if (turn.isWithdrawn) return this.#settle(turn);
    if (!span.selects) return this.#read(turn);
    if (turn.firstTokenMs === 0 && !turn.isScoring) turn.firstTokenMs = this.#host.now();
    const ids = selected === null ? accepted : [...accepted, selected];
    try {
      this.#said(turn, ids, turn.emit(ids, { details }));
    } catch (error) {
      this.#fail(turn, toStatus(error));
    }
  }

  #goOn(turn: Turn): void {
    if (turn.isWithdrawn) this.#settle(turn);
  }

  /** A part of its prompt was read; a turn that says nothing ends with the last. */
  #read(turn: Turn): void {
    const row = turn.row!;
    if (row.done < row.ids.length || turn.wantsToken) return;
    this.#finish(turn, turn.close());
  }

  #said(turn: Turn, ids: readonly number[], emitted: Emitted): void {
    const row = turn.row!;
    const surplus = ids.length - emitted.kept;
    if (surplus > 0) this.#host.store.rewind(row, row.ids.length - surplus);
    if (emitted.finish !== null) return this.#finish(turn, emitted);
    if (row.ids.length >= this.#host.geometry.context) {
      this.#host.publish(turn, emitted);
      return this.#finish(turn, turn.close());
    }
    const wasStalled = turn.isStalled;
    this.#host.publish(turn, emitted);
    if (turn.isStalled && !wasStalled) this.#host.tell(turn, 'turn.stalled', {});
  }

  #finish(turn: Turn, emitted: Emitted): void {
    this.#host.publish(turn, emitted);
    turn.endedMs = this.#host.now();
    if (turn.startedMs === 0) turn.startedMs = turn.endedMs;
    this.#drop(turn);
    this.#host.tell(turn, 'turn.ended', {});
  }

  #fail(turn: Turn, status: StatusRecord): void {
    this.#takeBack(turn);
    this.#drop(turn);
    this.#host.tell(turn, 'turn.failed', { status });
  }

  /** Nobody has what the tokens of a sequence gave: as if they had never come. */
  #takeBack({ input, row, start }: Turn): void {
    if (input.isCaptured && row !== null) this.#host.store.rewind(row, start);
  }

  #settle(turn: Turn): void {
    this.#takeBack(turn);
    this.#drop(turn);
    this.#host.tell(turn, 'turn.settled', {});
  }

  /**
   * An epoch failed: nothing of it counts. Who shared it runs once more alone where it may have
   * been one member's fault; whoever was alone, or cannot be helped, fails.
   */
  fail({ spans, hold }: EpochWork, status: StatusRecord, isShared: boolean): void {
    // Of an epoch whose results broke the contract some may have been committed.
    const open = spans.filter(({ turn }) => turn.isInFlight);
    this.#share.forget();
    this.#host.store.fail(hold);
    for (const { turn, span } of open) {
      turn.isInFlight = false;
      const end = span.first + span.ids.length - span.drafts;
      if (turn.isWithdrawn) this.#settle(turn);
      else if (isShared && spans.length > 1) turn.aloneTo = Math.max(turn.aloneTo, end);
      else this.#fail(turn, status);
    }
  }

  /** What was committed is said before anybody hears that its turn is over. */
  flush(): void {
    this.#share.end(this.#host.now());
    this.#host.flush();
  }

  /** The reader of a stream took one more delta. */
  took(stream: number): void {
    const turn = this.#streams.get(stream);
    if (turn === undefined) return;
    const wasStalled = turn.isStalled;
    turn.taken += 1;
    if (wasStalled && !turn.isStalled) this.#host.tell(turn, 'turn.resumed', {});
  }
}
