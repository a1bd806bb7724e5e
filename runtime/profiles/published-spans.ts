/**
 * What `publish_epoch` says of an epoch that retired: for each span how many of its tokens count
 * from now on, the token that was chosen after them, and how likely tokens were. Nothing of it is
 * used before all of it is checked.
 */
import { invalidReturn, TableReader } from './record-table.js';
import type { Span, SpanResult, TextGeometry, TokenLikelihood } from './text.js';

const SPAN_BYTES = 32;
const DETAIL_BYTES = 16;
/** Sums in f32 may end a little above certainty. */
const logprobMax = 1e-3;
const entry = 'publish_epoch';

export interface PublishedTables {
  /** Four i64 words a span: completed, selected or -1, offset and count of details. */
  readonly table: Uint8Array;
  /** Pairs of i64 id and f64 log probability. */
  readonly details: Uint8Array;
}

export function checkPublished(
  { table, details }: PublishedTables,
  spans: readonly Span[],
  { vocabulary }: Pick<TextGeometry, 'vocabulary'>,
): SpanResult[] {
  if (table.length !== spans.length * SPAN_BYTES) {
    throw invalidReturn(
      entry,
      `${table.length} bytes for ${spans.length} spans; four i64 words each expected`,
    );
  }
  const words = new TableReader(table, entry);
  return spans.map((span, index) => {
    const checked = new CheckedSpan({ span, index, vocabulary });
    const completed = checked.completed(words.take(`the completed tokens of span ${index}`));
    const selected = checked.selected(words.take(`the selected id of span ${index}`));
    const offset = words.take(`the offset of details of span ${index}`);
    const count = words.take(`the number of details of span ${index}`);
    return { completed, selected, details: checked.details(details, { offset, count, selected }) };
  });
}

interface DetailPlace {
  readonly offset: number;
  readonly count: number;
  readonly selected: number | null;
}

class CheckedSpan {
  readonly #span: Span;
  readonly #index: number;
  readonly #vocabulary: number;

  constructor(given: { span: Span; index: number; vocabulary: number }) {
    this.#span = given.span;
    this.#index = given.index;
    this.#vocabulary = given.vocabulary;
  }

  completed(value: number): number {
    const { ids, drafts } = this.#span;
    const least = ids.length - drafts;
    if (value >= least && value <= ids.length) return value;
    throw this.#broken(`${value} completed tokens; ${least} to ${ids.length} are possible`);
  }

  selected(id: number): number | null {
    const { selects, drafts, mask } = this.#span;
    if (!selects) {
      if (id === -1) return null;
      throw this.#broken(`the selected id ${id}, and the span selects nothing (-1 expected)`);
    }
    this.#checkId(id, 'the selected id');
    // With proposals the mask is of the first output, and this may be a later one.
    const isMasked = mask !== null && drafts === 0;
    if (isMasked && ((mask[id >>> 5]! >>> (id & 31)) & 1) === 0) {
      throw this.#broken(`the selected id ${id}, which its mask rules out`);
    }
    return id;
  }

  details(bytes: Uint8Array, { offset, count, selected }: DetailPlace): TokenLikelihood[] {
    if (count === 0) return [];
    if (selected === null) throw this.#broken('details without a selected id');
    if (this.#span.drafts > 0) throw this.#broken('details with proposals');
    if (offset < 0 || count < 0 || offset + count * DETAIL_BYTES > bytes.length) {
      throw this.#broken(
        `${count} details of ${DETAIL_BYTES} bytes from ${offset}; the details have ${bytes.length} bytes`,
      );
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset + offset, count * DETAIL_BYTES);
    const found = Array.from({ length: count }, (_, at) => this.#detail(view, at));
    if (found[0]!.id !== selected) {
      throw this.#broken(`details that begin with id ${found[0]!.id}; ${selected} was selected`);
    }
    for (let at = 2; at < count; at += 1) {
      if (found[at]!.logprob <= found[at - 1]!.logprob) continue;
      throw this.#broken(`detail ${at} that is likelier than the one before`);
    }
    return found;
  }

  #detail(view: DataView, at: number): TokenLikelihood {
    const id = Number(view.getBigInt64(at * DETAIL_BYTES, true));
    this.#checkId(id, `detail ${at} with id`);
    const logprob = view.getFloat64(at * DETAIL_BYTES + 8, true);
    if (logprob <= logprobMax) return { id, logprob };
    throw this.#broken(`detail ${at} with the log probability ${logprob}; at most 0 is possible`);
  }

  #checkId(id: number, what: string): void {
    if (id >= 0 && id < this.#vocabulary) return;
    throw this.#broken(`${what} ${id}; ids are 0 to ${this.#vocabulary - 1}`);
  }

  #broken(what: string) {
    return invalidReturn(entry, `for span ${this.#index}: ${what}`);
  }
}
