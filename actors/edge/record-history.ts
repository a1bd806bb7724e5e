/**
 * The last records of all threads, for those who read along: one bounded list that every reader
 * goes through at its own pace. Nobody waits for a reader, and a reader costs nothing while it is
 * slow: what it comes too late for is counted as lost to it.
 */
import type { RecordEvent, RecordReader } from '../../http/observing.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';

/** Records of all threads together. */
const KEPT_MAX = 65_536;
/** Of one event: who is told more at once sees no more. Messages give way first. */
const SHOWN_MAX = 2_000;

/** Records collected at one time. */
export interface Collected {
  readonly records: readonly SystemRecord[];
  /** Records that gave way before they were collected. */
  readonly lost: number;
}

interface Entry extends Collected {
  readonly nowMs: number;
  /** Records there were before it, kept or not. */
  readonly before: number;
  /** And with it: its id as an event. */
  readonly id: number;
  /** Of the event, when somebody has asked for it. */
  text: string | null;
}

export class RecordHistory {
  readonly #keptMax: number;
  readonly #entries: Entry[] = [];
  #kept = 0;
  #last = 0;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(keptMax = KEPT_MAX) {
    this.#keptMax = keptMax;
  }

  add(nowMs: number, { records, lost }: Collected): void {
    const before = this.#last;
    this.#last += records.length + lost;
    if (this.#last === before) return;
    this.#entries.push({ nowMs, before, id: this.#last, lost, records, text: null });
    this.#kept += records.length;
    while (this.#kept > this.#keptMax && this.#entries.length > 1) {
      this.#kept -= this.#entries.shift()!.records.length;
    }
    this.#wake();
  }

  /** Oldest first, as far as they are kept. */
  get records(): readonly SystemRecord[] {
    return this.#entries.flatMap(({ records }) => records);
  }

  /** `from`: id of the last event that was read; null: from now on. */
  reader(from: number | null): RecordReader {
    let after = Math.min(from ?? this.#last, this.#last);
    let isOver = false;
    return {
      next: async () => {
        while (!isOver && !this.#isClosed) {
          const entry = this.#after(after);
          if (entry !== undefined) {
            const skipped = entry.before - after;
            after = entry.id;
            return eventOf(entry, skipped);
          }
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
        return null;
      },
      close: () => {
        isOver = true;
        this.#wake();
      },
    };
  }

  /** Every reader ends. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Readers are at the end as a rule. */
  #after(id: number): Entry | undefined {
    let at = this.#entries.length;
    while (at > 0 && this.#entries[at - 1]!.before >= id) at -= 1;
    return this.#entries[at];
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** All readers in time get one text; `skipped` records were gone before this one came. */
function eventOf(entry: Entry, skipped: number): RecordEvent {
  const { id } = entry;
  if (skipped > 0) return { id, text: textOf(entry, skipped) };
  entry.text ??= textOf(entry, 0);
  return { id, text: entry.text };
}

function textOf({ nowMs, lost, records: all }: Entry, skipped: number): string {
  const records = thinned(all);
  return JSON.stringify({ nowMs, lost: lost + skipped + all.length - records.length, records });
}

function thinned(records: readonly SystemRecord[]): readonly SystemRecord[] {
  if (records.length <= SHOWN_MAX) return records;
  const others = records.filter(({ type }) => type !== 'message');
  const room = Math.max(0, SHOWN_MAX - others.length);
  let messages = 0;
  return records
    .filter(({ type }) => type !== 'message' || (messages += 1) <= room)
    .slice(0, SHOWN_MAX);
}
