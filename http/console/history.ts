/**
 * Records in order with a cursor, and the picture at the cursor: the one state of the console, live
 * or from a file. Bounded: beyond `recordsMax` the oldest give way and are counted in `dropped`.
 *
 * Holds: the picture is that of a console which saw exactly the records before the cursor.
 */
import { Causes } from './causes.js';
import type { Entry } from './causes.js';
import { Picture } from './picture.js';
import type { Before } from './picture.js';
import { timeOf } from './wire.js';
import type { MemoryRecord, TransitionRecord, Tree, WireRecord } from './wire.js';
import { WorkLog } from './work-log.js';

export interface TransitionEntry extends Entry {
  readonly record: TransitionRecord;
}

/** What stepping stops at; turns and samples of memory lie between. */
const isStep = ({ record }: Entry): boolean =>
  record.type !== 'message' && record.type !== 'memory';

export class History {
  readonly picture = new Picture();
  readonly causes = new Causes();
  readonly works = new WorkLog();
  entries: Entry[] = [];
  /** Records before it have happened. */
  cursor = 0;
  /** Whether the cursor goes with what comes. */
  isFollowing = true;
  /** Left for want of room here, and lost on the way here. */
  dropped = 0;
  lost = 0;
  /** Grows when records come. */
  version = 0;
  readonly #recordsMax: number;
  #before: (Before | null)[] = [];
  #seq = 0;
  /** The first time that was heard of: moments are shown from there on. */
  originMs = 0;
  /** The last time that was heard of. */
  #nowMs = 0;

  constructor(recordsMax = 60_000) {
    this.#recordsMax = recordsMax;
  }

  add(records: readonly WireRecord[]): void {
    if (records.length === 0) return;
    this.#begin(timeOf(records[0]!));
    for (const record of records) {
      const entry: Entry = { record, seq: this.#seq++, turn: null };
      this.entries.push(entry);
      this.causes.add(entry);
      this.works.add(record);
      this.#nowMs = Math.max(this.#nowMs, timeOf(record));
    }
    this.version += 1;
    if (this.isFollowing) this.seek(this.entries.length);
    this.#trim();
  }

  /** The tree as it is now; ignored by those who look at the past. */
  look(tree: Tree): void {
    if (!this.isFollowing) return;
    this.#begin(tree.nowMs);
    this.#nowMs = Math.max(this.#nowMs, tree.nowMs);
    this.picture.look(tree);
  }

  follow(): void {
    this.isFollowing = true;
    this.seek(this.entries.length);
  }

  /** When the first record that is kept, and the last that is known, were made. */
  get span(): { readonly fromMs: number; readonly toMs: number } {
    const first = this.entries[0];
    return { fromMs: first === undefined ? this.#nowMs : timeOf(first.record), toMs: this.#nowMs };
  }

  /** The moment that the picture shows. */
  get nowMs(): number {
    if (this.isFollowing) return this.#nowMs;
    const last = this.entries[Math.max(0, this.cursor - 1)];
    return last === undefined ? 0 : timeOf(last.record);
  }

  seek(to: number): void {
    const target = Math.min(this.entries.length, Math.max(0, to));
    while (this.cursor < target) {
      this.#before[this.cursor] = this.picture.apply(this.entries[this.cursor]!.record);
      this.cursor += 1;
    }
    while (this.cursor > target) {
      this.cursor -= 1;
      const before = this.#before[this.cursor];
      if (before) this.picture.restore(before);
    }
  }

  /** To just after the next record that changed something, of one actor or of any. */
  stepForward(actor: string | null = null): void {
    for (let at = this.cursor; at < this.entries.length; at += 1) {
      if (this.#stops(at, actor)) return this.seek(at + 1);
    }
    this.seek(this.entries.length);
  }

  stepBack(actor: string | null = null): void {
    for (let at = this.cursor - 2; at >= 0; at -= 1) {
      if (this.#stops(at, actor)) return this.seek(at + 1);
    }
    this.seek(0);
  }

  /** When the next record was made; null at the end. */
  nextMs(): number | null {
    const next = this.entries[this.cursor];
    return next === undefined ? null : timeOf(next.record);
  }

  /** Over all that follows and is not later. */
  advance(atMs: number): void {
    for (let next = this.nextMs(); next !== null && next <= atMs; next = this.nextMs()) {
      this.seek(this.cursor + 1);
    }
  }

  /** To the last record that is not later. */
  seekTime(atMs: number): void {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (timeOf(this.entries[middle]!.record) <= atMs) low = middle + 1;
      else high = middle;
    }
    this.seek(low);
  }

  /** What has happened, latest first. */
  *backward(): Generator<Entry> {
    for (let at = this.cursor - 1; at >= 0; at -= 1) yield this.entries[at]!;
  }

  /** The last sample of each device's memory. */
  memory(): MemoryRecord[] {
    const found = new Map<string, MemoryRecord>();
    let read = 0;
    for (const { record } of this.backward()) {
      // Samples come every so often; one that is very far away says nothing about now.
      if ((read += 1) > 20_000) break;
      if (record.type === 'memory' && !found.has(record.device)) found.set(record.device, record);
    }
    return [...found.values()].sort((left, right) => left.device.localeCompare(right.device));
  }

  /** The last transitions up to the cursor, latest first; of one actor, or of all. */
  transitions(actor: string | null, countMax: number): TransitionEntry[] {
    const found: TransitionEntry[] = [];
    for (const entry of this.backward()) {
      const { record } = entry;
      if (record.type !== 'transition' || (actor !== null && record.actor !== actor)) continue;
      found.push(entry as TransitionEntry);
      if (found.length === countMax) break;
    }
    return found;
  }

  #begin(atMs: number): void {
    if (this.#nowMs === 0 || atMs < this.originMs) this.originMs = atMs;
  }

  #stops(at: number, actor: string | null): boolean {
    const entry = this.entries[at]!;
    if (!isStep(entry)) return false;
    return actor === null || ('actor' in entry.record && entry.record.actor === actor);
  }

  #trim(): void {
    const excess = this.entries.length - this.#recordsMax;
    // A fifth at a time: the index of causes is made anew each time.
    if (excess <= this.#recordsMax / 5) return;
    this.entries = this.entries.slice(excess);
    this.#before = this.#before.slice(excess);
    this.cursor = Math.max(0, this.cursor - excess);
    this.dropped += excess;
    this.causes.keepOnly(this.entries);
  }
}
