/**
 * Rows of models/tiny-text with the simplest bookkeeping that is right: pages in a scattered order,
 * never used again, every full page shared by a fork. After each epoch everything that any row
 * keeps is compared with a full replay of its ids, and what was chosen with all right choices.
 */
import * as assert from 'uvu/assert';
import type { BoundTurn } from '../../runtime/packages/text-control.js';
import type { SamplingOptions, Span, SpanResult } from '../../runtime/profiles/text.js';
import type { Move } from '../../runtime/text/moves.js';
import { logProbabilities, possibleChoices, shapedScores } from '../oracles/sampling.js';
import { emptyState, Replay, stateBytes } from '../oracles/tiny-text.js';
import type { EpochBench } from './epoch-bench.js';

/** Output ids that penalties look back on. */
const HISTORY = 64;

export interface Turn {
  readonly options: SamplingOptions;
  readonly seed: bigint;
  readonly mask?: Uint32Array | null;
}

export interface Row {
  readonly ordinal: number;
  readonly state: number;
  readonly turn: Turn & BoundTurn;
  readonly pages: readonly number[];
  /** All that it shall hold; `done` of them are computed. */
  readonly ids: readonly number[];
  readonly done: number;
  readonly outputs: readonly number[];
}

/** A part of a row in an epoch: at most `take` of its ids that wait, then proposals. */
export interface Part {
  readonly row: number;
  readonly take: number;
  readonly proposals?: readonly number[];
}

export class ScriptedRows {
  readonly rows: Row[] = [];
  readonly #bench: EpochBench;
  readonly #free: number[];
  #moves: Move[] = [];
  #states = 0;
  #ordinals = 0;

  constructor(bench: EpochBench) {
    this.#bench = bench;
    const { pages } = bench.geometry;
    // Every page once, far from its neighbours: 389 divides no number of pages here.
    this.#free = Array.from({ length: pages }, (_, at) => (at * 389 + 7) % pages);
  }

  /** Room for another row, or a fork or a mark of one. */
  get hasState(): boolean {
    return this.#states < this.#bench.geometry.states;
  }

  open(ids: readonly number[], turn: Turn): number {
    const state = this.#takeState();
    this.#moves.push({ kind: 'clear', state });
    const bound = this.#bench.control.bind(turn.options);
    const place = { ordinal: (this.#ordinals += 1), state, turn: { ...turn, ...bound } };
    return this.rows.push({ ...place, pages: [], ids, done: 0, outputs: [] }) - 1;
  }

  /** A row that goes on from there: full pages in common, the last one copied if partial. */
  fork(index: number): number {
    const row = this.rows[index]!;
    const state = this.#takeState();
    this.#copyState(row.state, state);
    const pages = this.#frontier(row.pages, row.done);
    return this.rows.push({ ...row, ordinal: (this.#ordinals += 1), state, pages }) - 1;
  }

  /** What a row is now, to be had again. */
  mark(index: number): Row {
    const row = this.rows[index]!;
    const state = this.#takeState();
    this.#copyState(row.state, state);
    return { ...row, state, pages: this.#frontier(row.pages, row.done) };
  }

  rewind(index: number, mark: Row): void {
    const { ordinal, state } = this.rows[index]!;
    this.#copyState(mark.state, state);
    this.rows[index] = { ...mark, ordinal, state, pages: this.#frontier(mark.pages, mark.done) };
  }

  append(index: number, ids: readonly number[]): void {
    const row = this.rows[index]!;
    this.rows[index] = { ...row, ids: [...row.ids, ...ids] };
  }

  epoch(parts: readonly Part[]): readonly SpanResult[] {
    const spans = parts.map((part) => this.#span(part));
    const { results } = this.#bench.run(spans, this.#moves);
    this.#moves = [];
    parts.forEach((part, at) => this.#commit(part.row, spans[at]!, results[at]!));
    this.rows.forEach((_, index) => this.#compare(index));
    return results;
  }

  #takeState(): number {
    this.#states += 1;
    return this.#states - 1;
  }

  #copyState(from: number, to: number): void {
    this.#moves.push({ kind: 'state', from, to, bytes: this.#bench.geometry.stateBytes });
  }

  #frontier(pages: readonly number[], done: number): number[] {
    const { pageTokens, pageBytes } = this.#bench.geometry;
    const kept = pages.slice(0, Math.ceil(done / pageTokens));
    if (done % pageTokens === 0) return kept;
    const from = kept.pop()!;
    const to = this.#free.pop()!;
    this.#moves.push({ kind: 'page', from, to, bytes: pageBytes });
    return [...kept, to];
  }

  #span({ row: index, take, proposals = [] }: Part): Span {
    const row = this.rows[index]!;
    const own = row.ids.slice(row.done, row.done + take);
    const ids = [...own, ...proposals];
    const wanted = Math.ceil((row.done + ids.length) / this.#bench.geometry.pageTokens);
    const pages = [...row.pages];
    while (pages.length < wanted) pages.push(this.#free.pop()!);
    this.rows[index] = { ...row, pages };
    const { bound, history, seed, mask = null } = row.turn;
    return {
      row: row.ordinal,
      state: row.state,
      first: row.done,
      ids,
      selects: row.done + own.length === row.ids.length,
      drafts: proposals.length,
      pages,
      bound,
      counter: row.outputs.length,
      history: history === 0 ? [] : row.outputs.slice(-history),
      mask,
      seed,
    };
  }

  #commit(index: number, span: Span, result: SpanResult): void {
    const row = this.rows[index]!;
    const own = span.ids.length - span.drafts;
    const accepted = span.ids.slice(own, result.completed);
    const chosen = result.selected === null ? [] : [...accepted, result.selected];
    if (span.selects) checkChoices(row, span, result);
    else assert.equal(result, { completed: own, selected: null, details: [] });
    const ids = [...row.ids, ...chosen];
    const outputs = [...row.outputs, ...chosen];
    this.rows[index] = { ...row, ids, outputs, done: row.done + result.completed };
  }

  #compare(index: number): void {
    const { ids, done, pages, state } = this.rows[index]!;
    if (done === 0) return;
    const replay = new Replay(ids.slice(0, done));
    const kept = Buffer.concat(pages.map((page) => this.#bench.page(page)));
    const expected = replay.pageBytes();
    assert.ok(kept.subarray(0, expected.length).equals(expected), `the pages of row ${index}`);
    const last = stateBytes(replay.states.at(-1) ?? emptyState);
    assert.equal(this.#bench.state(state), last, `the state of row ${index}`);
  }
}

/** What was chosen behind the span's own tokens and behind each proposal that was accepted. */
function checkChoices({ ids, turn, outputs }: Row, span: Span, result: SpanResult): void {
  const own = span.ids.length - span.drafts;
  const proposals = span.ids.slice(own);
  const accepted = result.completed - own;
  const { options, seed, mask = null } = turn;
  for (let at = 0; at <= accepted; at += 1) {
    const known = [...ids, ...proposals.slice(0, at)];
    const scores = new Replay(known).scoresAt(known.length - 1);
    const history = [...outputs, ...proposals.slice(0, at)].slice(-HISTORY);
    const shaped = shapedScores(scores, options, { history, mask: at === 0 ? mask : null });
    const draw = { seed, counter: outputs.length + at };
    const possible = possibleChoices(shaped, options, draw);
    const chosen = at < accepted ? proposals[at]! : result.selected!;
    assert.ok(possible.includes(chosen), `${chosen} instead of ${possible.join(' or ')}`);
    if (at === accepted && at < proposals.length) assert.is.not(chosen, proposals[at]);
    if (at === accepted) checkDetails(scores, options, result);
  }
}

function checkDetails(
  scores: readonly number[],
  { topLogprobs }: SamplingOptions,
  { details, selected }: SpanResult,
): void {
  if (topLogprobs === undefined) {
    assert.equal(details, []);
    return;
  }
  const exact = logProbabilities(scores);
  const likeliest = [...exact.keys()].sort((a, b) => exact[b]! - exact[a]! || a - b);
  const expected = [selected!, ...likeliest.slice(0, topLogprobs)];
  assert.equal(
    details.map(({ id }) => id),
    expected,
  );
  for (const { id, logprob } of details) {
    assert.ok(Math.abs(logprob - exact[id]!) < 2e-5 * (1 + Math.abs(logprob)), `${logprob}`);
  }
}
