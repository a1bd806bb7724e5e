/**
 * Laws about sessions, turns and epochs, checked while they happen: I3 (nothing is said after a
 * cancel), I4 (a turn is in one epoch at a time, and in none when it is cancelled or its reader
 * does not read), I8 (at rest no row, checkpoint or submission is left in a store), I9 (a page that
 * some other row reads is never written), I12 (one answer an ask), K (who failed in company goes
 * alone).
 */
import { mayBeOneMembersFault } from '../../actors/policy/isolation.js';
import { STREAMS, type TextDeltas, type TextSubmit } from '../../actors/protocol.js';
import type { EpochInput } from '../../actors/serving/epoch.js';
import type { SessionAsk, SessionInput } from '../../actors/serving/session.js';
import type { Turn } from '../../actors/serving/turn.js';
import type { StatusRecord } from '../../runtime/base/errors.js';
import { threadOf, type Address } from '../../runtime/system/address.js';
import type { Cancel, Message } from '../../runtime/system/envelope.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { RowStore } from '../../runtime/text/row-store.js';
import type { Observation } from './observed-actor.js';
import type { Report } from './report.js';

interface Asked {
  readonly session: Address;
  readonly stream: number | null;
  isCancelled: boolean;
  answers: number;
}

export class TextLaws {
  readonly #report: Report;
  readonly #asks = new Map<string, Asked>();
  readonly #byStream = new Map<number, Asked>();
  /** Stores of the generations that live, by a session or an epoch of theirs. */
  readonly #stores = new Map<Address, RowStore>();
  readonly #epochs = new Map<Address, EpochInput>();
  /** Rows that were seen, as long as they are open. */
  readonly #rows = new Map<RowStore, Set<Row>>();
  /** Who failed in company and was not alone since. */
  readonly #doubted = new Map<Address, Turn>();
  epochsFormed = 0;
  spansShared = 0;
  draftsAccepted = 0;
  /** Times that all that rows held had to leave. */
  rowEvictions = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  threadLost(thread: string): void {
    for (const table of [this.#stores, this.#epochs, this.#doubted]) {
      for (const address of [...table.keys()])
        if (threadOf(address) === thread) table.delete(address);
    }
    for (const [id, { session }] of this.#asks)
      if (threadOf(session) === thread) this.#asks.delete(id);
  }

  observe(actor: Address, seen: Observation): void {
    if (seen.type === 'spawned' && seen.kind === 'session') {
      const { home, row } = seen.input as SessionInput;
      this.#stores.set(actor, home.store);
      if (row !== null) this.#see(home.store, row);
    } else if (seen.type === 'spawned' && seen.kind === 'epoch') {
      this.#formed(seen.child, seen.input as EpochInput);
    } else if (seen.type === 'handled') this.#handled(actor, seen.message);
    else if (seen.type === 'answered') this.#answered(actor, seen.ask.id, seen.status);
    else if (seen.type === 'told') this.#told(seen.to, seen.kind, seen.payload);
    else if (seen.type === 'stopped') {
      if (seen.reason.kind !== 'finished') this.#forget(actor);
      this.#stores.delete(actor);
      this.#epochs.delete(actor);
      this.#doubted.delete(actor);
    }
  }

  /** Whoever stops otherwise than by itself leaves its answers to the system. */
  #forget(session: Address): void {
    for (const [id, asked] of this.#asks) if (asked.session === session) this.#asks.delete(id);
  }

  /** Every session has expired, every turn has ended. */
  checkRest(): void {
    for (const [generation, store] of this.#stores) {
      const { rows, checkpoints, holds } = store.describe();
      if (rows + checkpoints + holds === 0) continue;
      const left = `${rows} rows, ${checkpoints} checkpoints, ${holds} submissions`;
      this.#report.add('I8', `${generation} has ${left} at rest`);
    }
    for (const [id, { session, answers }] of this.#asks) {
      if (answers === 0) this.#report.add('I12', `${session} never answers ${id}`);
    }
  }

  #see(store: RowStore, row: Row): void {
    const rows = this.#rows.get(store) ?? new Set();
    this.#rows.set(store, rows.add(row));
    for (const one of rows) if (!one.isOpen) rows.delete(one);
  }

  #handled(actor: Address, { kind, payload }: Message): void {
    if (kind === 'session.ask') {
      const { ask } = payload as SessionAsk;
      const { text } = ask.payload as TextSubmit;
      const stream = text.op === 'generate' ? text.stream : null;
      const asked = this.#asks.get(ask.id) ?? this.#meet(actor, ask.id, stream);
      if (stream !== null) this.#byStream.set(stream, asked);
    } else if (kind === 'cancel') {
      const { correlation } = payload as Cancel;
      const asked = this.#asks.get(correlation) ?? this.#meet(actor, correlation, null);
      if (asked.answers === 0) asked.isCancelled = true;
    } else if (kind === 'rows.evicted') {
      this.#evicted(actor);
    } else if (kind === 'work.failed' || kind === 'epoch.rejected') {
      const epoch = this.#epochs.get(actor);
      if (epoch !== undefined) this.#failed(epoch, (payload as { status: StatusRecord }).status);
    }
  }

  /** Nothing is in flight on rows that leave, and no turn that is read is in the middle of one. */
  #evicted(generation: Address): void {
    this.rowEvictions += 1;
    for (const epoch of this.#epochs.keys()) {
      if (!epoch.startsWith(`${generation}/`)) continue;
      this.#report.add('I1', `the rows of ${generation} leave under ${epoch}`);
    }
  }

  #meet(session: Address, id: string, stream: number | null): Asked {
    const asked = { session, stream, isCancelled: false, answers: 0 };
    if (session.includes('/sessions/') || session.includes('/turns/')) this.#asks.set(id, asked);
    return asked;
  }

  #answered(actor: Address, id: string, status: StatusRecord | null): void {
    const asked = this.#asks.get(id);
    if (asked === undefined) return;
    asked.answers += 1;
    if (asked.answers > 1) this.#report.add('I12', `${actor} answers ${id} again`);
    const isTurn = [...this.#byStream.values()].includes(asked);
    if (isTurn && asked.isCancelled && status === null) {
      this.#report.add('I3', `${actor} answers ${id} after it was cancelled`);
    }
  }

  #told(to: Address, kind: string, payload: unknown): void {
    if (to === STREAMS && kind === 'text.deltas') {
      for (const { stream } of (payload as TextDeltas).deltas) {
        const asked = this.#byStream.get(stream);
        if (asked !== undefined && (asked.isCancelled || asked.answers > 0)) {
          this.#report.add('I3', `${asked.session} speaks after its end, in stream ${stream}`);
        }
      }
    } else if (kind === 'turn.failed' && this.#isDoubted(to)) {
      const { code } = (payload as { status: StatusRecord }).status;
      const isFault = mayBeOneMembersFault({ code, message: '' });
      if (isFault) this.#report.add('K', `${to} fails in company`);
    }
  }

  /**
   * A turn that was cancelled is not tried again: what fails after it is another of its session.
   */
  #isDoubted(session: Address): boolean {
    const turn = this.#doubted.get(session);
    return turn !== undefined && !turn.isWithdrawn;
  }

  #failed({ work: { spans } }: EpochInput, status: StatusRecord): void {
    if (spans.length === 1 || !mayBeOneMembersFault(status)) return;
    for (const { turn } of spans) this.#doubted.set(turn.input.session, turn);
  }

  #formed(epoch: Address, input: EpochInput): void {
    const { work, store } = input;
    const { spans } = work;
    this.epochsFormed += 1;
    if (spans.length > 1) this.spansShared += spans.length;
    const add = (law: string, detail: string): void => this.#report.add(law, `${epoch}: ${detail}`);
    for (const { work: other, store: place } of this.#epochs.values()) {
      if (place === store && other !== work) add('I4', 'another epoch is in flight');
    }
    this.#epochs.set(epoch, input);
    for (const { turn } of spans) {
      const { session } = turn.input;
      this.#see(store, turn.row!);
      if (turn.isWithdrawn) add('C', `${session} was cancelled`);
      if (turn.isStalled) add('I4', `the reader of ${session} does not read`);
      if (this.#doubted.get(session) === turn && spans.length > 1)
        add('K', `${session} in company`);
      this.#doubted.delete(session);
    }
    if (new Set(spans.map(({ turn }) => turn)).size < spans.length) add('I4', 'a turn twice');
    this.#checkPages(input, add);
  }

  /** What is written now, nobody else reads: neither a row nor another span. */
  #checkPages({ work, store }: EpochInput, add: (law: string, detail: string) => void): void {
    for (const { turn, span } of work.spans) {
      const pageTokens = 4;
      const written = new Set(span.pages.slice(Math.floor(span.first / pageTokens)));
      for (const row of this.#rows.get(store) ?? []) {
        if (row === turn.row || !row.isOpen) continue;
        const read = row.pages.slice(0, Math.ceil(row.done / pageTokens));
        const shared = read.filter((page) => written.has(page));
        if (shared.length === 0) continue;
        add('I9', `row ${span.row} writes page ${shared.join(', ')} of row ${row.ordinal}`);
      }
    }
  }
}
