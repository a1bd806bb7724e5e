/**
 * The smallest server of retained text: the row store that the real one has, and models/tiny-text
 * on the local device. Everything that a submission leaves behind is compared with a full replay.
 */
import * as assert from 'uvu/assert';
import type { BoundTurn } from '../../runtime/packages/text-control.js';
import type { Span, SpanResult } from '../../runtime/profiles/text.js';
import { RowStore } from '../../runtime/text/row-store.js';
import type { Checkpoint, Row } from '../../runtime/text/row-store.js';
import { highest, Replay, stateBytes } from '../oracles/tiny-text.js';
import type { EpochBench } from './epoch-bench.js';

/** How many tokens each row takes, and whether proposals follow; by place in the list of rows. */
export interface Takes {
  readonly counts: readonly number[];
  readonly drafts: number;
  readonly fails: boolean;
}

export class RetainedRows {
  readonly store: RowStore;
  readonly rows: Row[] = [];
  readonly checkpoints: Checkpoint[] = [];
  /** Greedy tokens that came out, over all rows. */
  chosen = 0;
  readonly #bench: EpochBench;
  readonly #turn: BoundTurn;

  constructor(bench: EpochBench) {
    this.#bench = bench;
    this.#turn = bench.control.bind({});
    this.store = new RowStore(bench.geometry);
  }

  open(ids: readonly number[]): void {
    const row = this.store.open();
    if (row === null) return;
    this.store.append(row, ids);
    this.rows.push(row);
  }

  fork(row: Row): void {
    const fork = this.store.fork(row);
    if (fork !== null) this.rows.push(fork);
  }

  close(row: Row): void {
    this.rows.splice(this.rows.indexOf(row), 1);
    this.store.close(row);
  }

  /** One submission of as many rows as an epoch has spans. */
  epoch(takes: Takes): void {
    let room = this.#bench.geometry.tokens;
    const spans = new Map<Row, Span>();
    for (const [at, row] of this.rows.entries()) {
      const wanted = Math.min(takes.counts[at % takes.counts.length]!, room);
      const span = spans.size < this.#bench.geometry.spans && this.#span(row, wanted, takes.drafts);
      if (!span) continue;
      room -= span.ids.length;
      spans.set(row, span);
    }
    if (spans.size === 0) return;
    const hold = this.store.hold([...spans.keys()]);
    const { results } = this.#bench.run([...spans.values()], hold.moves);
    if (takes.fails) {
      // It ran, late enough to have changed everything that it could.
      this.store.fail(hold);
      return;
    }
    [...spans].forEach(([row, span], at) => this.#commit(row, span, results[at]!));
    this.store.settle(hold);
  }

  #span(row: Row, wanted: number, drafts: number): Span | null {
    if (wanted === 0 || row.done === row.ids.length) return null;
    const isDecode = row.done === row.ids.length - 1;
    const proposals = isDecode ? this.#bench.control.draft(row.ids, drafts) : [];
    if (proposals.length > 0) this.store.proposed(row, proposals);
    const count = this.store.reserve(row, wanted + row.drafts);
    if (count === 0) return null;
    const end = row.done + count;
    const own = row.ids.length - row.drafts;
    return {
      row: row.ordinal,
      state: row.state,
      first: row.done,
      ids: row.ids.slice(row.done, end),
      selects: end >= own,
      drafts: Math.max(0, end - own),
      pages: row.pages.slice(0, Math.ceil(end / this.#bench.geometry.pageTokens)),
      bound: this.#turn.bound,
      counter: 0,
      history: [],
      mask: null,
      seed: 0n,
    };
  }

  #commit(row: Row, span: Span, { completed, selected }: SpanResult): void {
    const known = [...row.ids.slice(0, span.first), ...span.ids.slice(0, completed)];
    const replay = new Replay(known);
    if (selected !== null) {
      this.chosen += 1;
      assert.is(selected, highest(replay.scoresAt(known.length - 1)));
    }
    for (let at = span.ids.length - span.drafts; at < completed; at += 1) {
      this.chosen += 1;
      assert.is(span.ids[at], highest(replay.scoresAt(span.first + at - 1)));
    }
    assert.ok(this.store.commit(row, completed, selected));
    assert.is(row.done, known.length);
    const pages = Buffer.concat(row.pages.map((page) => this.#bench.page(page)));
    const expected = replay.pageBytes();
    assert.ok(pages.subarray(0, expected.length).equals(expected), `pages of row ${row.ordinal}`);
    assert.equal(this.#bench.state(row.state), stateBytes(replay.states.at(-1)!));
  }
}
