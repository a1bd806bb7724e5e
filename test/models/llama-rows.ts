/**
 * Rows of a Llama as a server would keep them, with the least bookkeeping: pages in a scattered
 * order, a row goes on where it was. Epochs are packed as the test says; logits come from the
 * residual.
 */
import type { BoundTurn } from '../../runtime/packages/text-control.js';
import type { SamplingOptions, Span, SpanResult } from '../../runtime/profiles/text.js';
import type { EpochBench } from './epoch-bench.js';

const RESULT_BYTES = 176;

export interface LlamaRow {
  readonly options: SamplingOptions;
  readonly seed: bigint;
  readonly turn: BoundTurn;
  readonly pages: number[];
  /** What the row holds, and what waits to be computed: ids from `done` on. */
  readonly ids: number[];
  done: number;
  readonly outputs: number[];
  mask: Uint32Array | null;
}

export interface RowPart {
  readonly row: LlamaRow;
  /** Waiting ids that the span takes. */
  readonly take: number;
  readonly proposals?: readonly number[];
  /** False: the span's last token is not the last of its prompt. */
  readonly selects?: boolean;
}

export interface PartResult extends SpanResult {
  /** After the last token that is no proposal, and after each proposal; empty without selection. */
  readonly logits: readonly Float32Array[];
}

export class LlamaRows {
  readonly #bench: EpochBench;
  #free: number[];
  uploadBytes = 0;

  constructor(bench: EpochBench) {
    this.#bench = bench;
    const { pages } = bench.geometry;
    this.#free = Array.from({ length: pages }, (_, at) => (at * 389 + 7) % pages);
  }

  open(ids: readonly number[], options: SamplingOptions = { temperature: 0 }, seed = 1n): LlamaRow {
    const turn = this.#bench.control.bind(options);
    const row = { options, seed, turn, pages: [], ids: [...ids], done: 0, outputs: [] };
    return { ...row, mask: null };
  }

  close(row: LlamaRow): void {
    this.#free.push(...row.pages);
    row.pages.length = 0;
  }

  /** One epoch; what is chosen waits as the row's next id. */
  epoch(parts: readonly RowPart[]): PartResult[] {
    const spans = parts.map((part) => this.#span(part));
    const { plan, results, residual } = this.#bench.run(spans);
    this.uploadBytes = plan.uploadBytes;
    let output = 0;
    return parts.map((part, index) => {
      const { selects, drafts } = spans[index]!;
      const first = output;
      output += selects ? drafts + 1 : 0;
      const logits = Array.from({ length: output - first }, (_, at) => {
        return this.#logits(residual, first + at);
      });
      this.#advance(part, results[index]!);
      return { ...results[index]!, logits };
    });
  }

  #span({ row, take, proposals = [], selects = true }: RowPart): Span {
    const ids = [...row.ids.slice(row.done, row.done + take), ...proposals];
    const end = row.done + ids.length;
    while (row.pages.length * this.#bench.geometry.pageTokens < end) {
      row.pages.push(this.#free.shift()!);
    }
    return {
      row: 0,
      state: -1,
      first: row.done,
      ids,
      selects,
      drafts: proposals.length,
      pages: row.pages.slice(0, Math.ceil(end / this.#bench.geometry.pageTokens)),
      bound: row.turn.bound,
      counter: row.outputs.length,
      history: row.outputs.slice(Math.max(0, row.outputs.length - row.turn.history)),
      mask: row.mask,
      seed: row.seed,
    };
  }

  #advance({ row, take, proposals = [] }: RowPart, { completed, selected }: SpanResult): void {
    const accepted = proposals.slice(0, completed - take);
    row.done += completed;
    const chosen = [...accepted, ...(selected === null ? [] : [selected])];
    // A prompt that is not whole yet has no output.
    if (row.done - accepted.length < row.ids.length) return;
    row.ids.push(...chosen);
    row.outputs.push(...chosen);
  }

  #logits(residual: Uint8Array, output: number): Float32Array {
    const { outputs, vocabulary } = this.#bench.geometry;
    const stride = Math.ceil(vocabulary / 4) * 4;
    const at = Math.ceil((outputs * RESULT_BYTES) / 256) * 256 + output * stride * 4;
    return new Float32Array(residual.slice(at, at + vocabulary * 4).buffer);
  }
}
