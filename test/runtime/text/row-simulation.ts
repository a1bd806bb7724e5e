/**
 * A row store under a device that remembers for every place what was computed there: the whole
 * history of ids before it. Each row and each checkpoint has its own copy of its ids beside the
 * store's, and whatever is computed is checked against those, token by token.
 */
import * as assert from 'uvu/assert';
import type { TextGeometry } from '../../../runtime/profiles/text.js';
import { RowStore } from '../../../runtime/text/row-store.js';
import type { Checkpoint, Hold, Row } from '../../../runtime/text/row-store.js';

export interface SimulatedRow {
  readonly row: Row;
  ids: number[];
  isInFlight: boolean;
}

interface SimulatedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly kind: string;
  readonly ids: readonly number[];
}

interface SimulatedSpan {
  readonly of: SimulatedRow;
  readonly first: number;
  readonly ids: readonly number[];
  readonly pages: readonly number[];
  readonly completed: number;
  readonly drafts: number;
  readonly selected: number | null;
  /** Its contents come from outside: nothing is read. */
  readonly isFilled: boolean;
  /** What it read was what it should have been. */
  isSound: boolean;
}

interface Submission {
  readonly hold: Hold;
  readonly spans: SimulatedSpan[];
  readonly pages: Set<number>;
  readonly states: Set<number>;
}

const TRASH = -1;

export class RowSimulation {
  readonly geometry: TextGeometry;
  readonly store: RowStore;
  readonly rows: SimulatedRow[] = [];
  readonly checkpoints: SimulatedCheckpoint[] = [];
  readonly flights: Submission[] = [];
  readonly #pages: number[][];
  readonly #states: number[];
  readonly #histories = new Map<string, number>();

  constructor(geometry: TextGeometry) {
    this.geometry = geometry;
    this.store = new RowStore(geometry);
    this.#pages = Array.from({ length: geometry.pages }, () =>
      new Array<number>(geometry.pageTokens).fill(TRASH),
    );
    this.#states = new Array<number>(geometry.states).fill(TRASH);
  }

  /** All that was computed goes: nothing is left in any place. */
  evict(): void {
    while (this.flights.length > 0) this.retire();
    this.store.evict();
    for (const page of this.#pages) page.fill(TRASH);
    this.#states.fill(TRASH);
    const { pagesFree, snapshots } = this.store.describe();
    assert.equal([pagesFree, snapshots], [this.geometry.pages, 0]);
  }

  open(kind: string): SimulatedRow | null {
    const row = this.store.open(kind);
    return row === null ? null : this.#enter(row, []);
  }

  fork(of: SimulatedRow): SimulatedRow | null {
    const before = this.store.describe();
    const row = this.store.fork(of.row);
    const { pagesUsed, copiedBytes } = this.store.describe();
    assert.is(pagesUsed, before.pagesUsed, 'a fork takes no page');
    assert.ok(copiedBytes - before.copiedBytes <= this.geometry.stateBytes);
    return row === null ? null : this.#enter(row, of.ids);
  }

  append(of: SimulatedRow, ids: readonly number[]): void {
    if (of.ids.length + ids.length > this.geometry.context) {
      assert.throws(() => this.store.append(of.row, ids), /holds at most/);
      return;
    }
    const before = of.row.done;
    const found = this.store.append(of.row, ids);
    assert.is(of.row.done, before + found);
    of.ids = [...of.ids, ...ids];
  }

  /** A span of at most `wanted` tokens of a row, of which `cut` are left out again. */
  reserve(of: SimulatedRow, wanted: number, cut: number): SimulatedSpan | null {
    const before = new Set(of.row.pages);
    const reserved = this.store.reserve(of.row, wanted);
    const { done: first, pages, drafts, ids } = of.row;
    assert.ok(reserved <= wanted && first + reserved <= ids.length);
    const { pageTokens } = this.geometry;
    for (const page of pages.slice(Math.floor(first / pageTokens))) {
      const isNew = !before.has(page);
      const isBusy = this.flights.some((flight) => flight.pages.has(page));
      assert.not(isNew && isBusy && reserved > 0, `page ${page} is still in use (I1)`);
    }
    const count = drafts > 0 ? reserved : Math.max(Math.min(1, reserved), reserved - cut);
    if (count === 0) return null;
    const end = first + count;
    const isLast = end === ids.length;
    const taken = Math.min(drafts, Math.max(0, count - 1));
    const completed = count - (taken > 0 ? cut % (taken + 1) : 0);
    return {
      of,
      first,
      ids: ids.slice(first, end),
      pages: pages.slice(0, Math.ceil(end / pageTokens)),
      completed,
      drafts,
      selected: (isLast && cut % 2 === 0) || drafts > 0 ? cut % 2 : null,
      isFilled: false,
      isSound: true,
    };
  }

  submit(spans: SimulatedSpan[]): void {
    for (const span of spans) this.#checkWritable(span);
    const hold = this.store.hold(spans.map(({ of }) => of.row));
    const flight: Submission = { hold, spans, pages: new Set(), states: new Set() };
    for (const move of hold.moves) {
      if (move.kind === 'page') flight.pages.add(move.from).add(move.to);
      else if (move.kind === 'state') flight.states.add(move.from).add(move.to);
    }
    for (const { of, pages } of spans) {
      of.isInFlight = true;
      for (const page of pages) flight.pages.add(page);
      flight.states.add(of.row.state);
    }
    this.flights.push(flight);
  }

  /** The oldest submission runs and retires. */
  retire(): void {
    const flight = this.flights.shift();
    if (flight === undefined) return;
    this.#move(flight);
    for (const span of flight.spans) this.#compute(span);
    for (const span of flight.spans) this.#commit(span);
    this.store.settle(flight.hold);
  }

  /** The oldest submission fails: whatever it was to write is anything. */
  fail(): void {
    const flight = this.flights.shift();
    if (flight === undefined) return;
    for (const move of flight.hold.moves) {
      if (move.kind === 'page') this.#pages[move.to]!.fill(TRASH);
      else this.#states[move.kind === 'state' ? move.to : move.state] = TRASH;
    }
    for (const span of flight.spans) this.#spoil(span);
    const lost = this.store.fail(flight.hold);
    for (const row of lost) assert.is(row.done, 0);
  }

  /** A row from outside with the ids of another, filled with what those stand for. */
  install(of: SimulatedRow): boolean {
    const { done, kind } = of.row;
    const row = done === 0 ? null : this.store.open(kind);
    if (row === null) return false;
    if (!this.store.install(row, of.ids, done)) {
      this.store.close(row);
      return false;
    }
    const made = this.#enter(row, of.ids);
    const ids = row.ids.slice(0, done);
    const pages = row.pages.slice();
    const rest = { completed: done, drafts: 0, selected: null, isSound: true };
    this.submit([{ of: made, first: 0, ids, pages, isFilled: true, ...rest }]);
    return true;
  }

  checkIds(): void {
    for (const { row, ids } of this.rows) {
      assert.equal(row.ids.slice(0, row.ids.length - row.drafts), ids);
    }
  }

  #enter(row: Row, ids: readonly number[]): SimulatedRow {
    for (const { spans } of this.flights) {
      const isBusy = spans.some(({ of }) => of.row.ordinal === row.ordinal);
      assert.not(isBusy, `row ${row.ordinal} is still in use (I1)`);
    }
    const entered = { row, ids: [...ids], isInFlight: false };
    this.rows.push(entered);
    return entered;
  }

  #checkWritable({ of, first, pages }: SimulatedSpan): void {
    const { pageTokens } = this.geometry;
    const written = pages.slice(Math.floor(first / pageTokens));
    for (const { row } of this.rows) {
      if (row === of.row) continue;
      const held = new Set(row.pages);
      for (const page of written) assert.not(held.has(page), `page ${page} is shared (I9)`);
    }
  }

  #move({ hold }: Submission): void {
    for (const move of hold.moves) {
      if (move.kind === 'page') this.#pages[move.to] = [...this.#pages[move.from]!];
      else if (move.kind === 'state') this.#states[move.to] = this.#states[move.from]!;
      else this.#states[move.state] = 0;
    }
  }

  #compute(span: SimulatedSpan): void {
    const { of, first, ids, pages, completed, isFilled } = span;
    const { kind, state } = of.row;
    const { pageTokens } = this.geometry;
    const histories = this.#historiesOf([...of.ids.slice(0, first), ...ids]);
    const cell = (position: number): number => this.#history(kind, histories[position]!);
    const placeOf = (position: number): number[] =>
      this.#pages[pages[Math.floor(position / pageTokens)]!]!;
    for (let position = 0; position < first && !isFilled; position++) {
      span.isSound &&= placeOf(position)[position % pageTokens] === cell(position);
    }
    if (state >= 0 && !isFilled)
      span.isSound &&= this.#states[state] === (histories[first - 1] ?? 0);
    ids.forEach((_, index) => {
      const position = first + index;
      placeOf(position)[position % pageTokens] = cell(position);
    });
    if (state >= 0) this.#states[state] = histories[first + completed - 1]!;
  }

  #commit({ of, first, ids, completed, drafts, selected, isSound }: SimulatedSpan): void {
    of.isInFlight = false;
    if (!of.row.isOpen) return;
    if (!this.store.commit(of.row, completed, selected)) return;
    assert.ok(isSound, `row ${of.row.ordinal} computed on what it should not have`);
    if (drafts > 0) of.ids = [...of.ids, ...ids.slice(of.ids.length - first, completed)];
    if (selected !== null && of.ids.length < this.geometry.context) of.ids.push(selected);
  }

  #spoil({ of, first, ids, pages }: SimulatedSpan): void {
    const { pageTokens } = this.geometry;
    of.isInFlight = false;
    ids.forEach((_, index) => {
      const position = first + index;
      this.#pages[pages[Math.floor(position / pageTokens)]!]![position % pageTokens] = TRASH;
    });
    if (of.row.state >= 0) this.#states[of.row.state] = TRASH;
  }

  #historiesOf(ids: readonly number[]): number[] {
    const histories: number[] = [];
    for (const id of ids) histories.push(this.#history(histories.at(-1) ?? 0, id));
    return histories;
  }

  /** One number for each pair of what was before and what follows. */
  #history(before: number | string, id: number): number {
    const key = `${before}/${id}`;
    const known = this.#histories.get(key);
    if (known !== undefined) return known;
    this.#histories.set(key, this.#histories.size + 1);
    return this.#histories.size;
  }
}
