/**
 * Cause and effect among records: which turn made a transition, which turn sent the message of that
 * turn, and what a turn led to, on whatever thread. A turn is recorded when it ends; what its actor
 * did meanwhile and does not name it waits here for it.
 */
import { actorOf } from './wire.js';
import type { TurnRecord, WireRecord } from './wire.js';

export interface Entry {
  readonly record: WireRecord;
  /** Counts all records since the console was opened. */
  readonly seq: number;
  /** The turn in which it happened; of a turn itself. */
  turn: string | null;
}

export class Causes {
  readonly #turns = new Map<string, TurnRecord>();
  readonly #effects = new Map<string, string[]>();
  readonly #within = new Map<string, Entry[]>();
  /** By actor: what happened since its last turn ended. */
  readonly #open = new Map<string, Entry[]>();

  add(entry: Entry): void {
    const { record } = entry;
    const actor = actorOf(record);
    if (actor === null || record.type === 'deadLetter') return;
    if (record.type === 'transition' && record.cause) {
      entry.turn = record.cause;
      push(this.#within, record.cause, entry);
      return;
    }
    if (record.type !== 'message') {
      push(this.#open, actor, entry);
      return;
    }
    entry.turn = record.id;
    this.#turns.set(record.id, record);
    if (record.cause !== null) push(this.#effects, record.cause, record.id);
    const made = (this.#open.get(actor) ?? []).filter(({ record: inner }) => {
      return inner.type !== 'message' && 'atMs' in inner && inner.atMs >= record.startMs;
    });
    for (const inner of made) inner.turn = record.id;
    for (const inner of made) push(this.#within, record.id, inner);
    this.#open.delete(actor);
  }

  /** Forgets what is older than the entries that are kept. */
  keepOnly(entries: readonly Entry[]): void {
    for (const map of [this.#turns, this.#effects, this.#within, this.#open]) map.clear();
    for (const entry of entries) this.add(entry);
  }

  turn(id: string | null): TurnRecord | null {
    return id === null ? null : (this.#turns.get(id) ?? null);
  }

  /** The turn that sent the message which began this one; null when it is not known. */
  causeOf(turn: TurnRecord): TurnRecord | null {
    return this.turn(turn.cause);
  }

  effectsOf(id: string): TurnRecord[] {
    return (this.#effects.get(id) ?? []).map((effect) => this.#turns.get(effect)!);
  }

  /** What happened in a turn: transitions, starts, stops, unexpected events. */
  within(id: string): readonly Entry[] {
    return this.#within.get(id) ?? [];
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
