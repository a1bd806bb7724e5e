/**
 * Records as a Chrome trace (`chrome://tracing`, Perfetto): a process for each thread, a track for
 * each actor, a slice for each turn, an instant for each transition, dead letter, start and stop,
 * and an arrow from each turn to the turns of the messages that it sent.
 */
import { threadOf, pathOf, type Address } from './address.js';
import type { SystemRecord } from './recorder.js';

export interface TraceEvent {
  readonly name: string;
  readonly ph: 'X' | 'i' | 's' | 'f' | 'M';
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly id?: string;
  readonly bp?: 'e';
  readonly s?: 't';
  readonly cat?: string;
  readonly args?: object;
}

export function chromeTrace(records: readonly SystemRecord[]): { traceEvents: TraceEvent[] } {
  const tracks = new Tracks();
  const traceEvents: TraceEvent[] = [];
  const turns = new Map<string, { pid: number; tid: number; ts: number }>();
  for (const record of records) {
    if (record.type === 'message') {
      const { startMs, endMs, id, cause, from, to, kind, role, lane } = record;
      const place = { ...tracks.of(to), ts: startMs * 1000 };
      turns.set(id, place);
      const dur = Math.max(1, (endMs - startMs) * 1000);
      traceEvents.push({
        name: kind,
        ph: 'X',
        ...place,
        dur,
        args: { id, cause, from, role, lane },
      });
      const sender = cause === null ? undefined : turns.get(cause);
      if (sender === undefined) continue;
      traceEvents.push({ name: kind, ph: 's', ...sender, id, cat: 'message' });
      traceEvents.push({ name: kind, ph: 'f', ...place, id, cat: 'message', bp: 'e' });
    } else {
      const { actor, atMs, name, args } = instant(record);
      traceEvents.push({ name, ph: 'i', ...tracks.of(actor), ts: atMs * 1000, s: 't', args });
    }
  }
  return { traceEvents: [...tracks.names, ...traceEvents] };
}

interface Instant {
  readonly actor: Address;
  readonly atMs: number;
  readonly name: string;
  readonly args: object;
}

function instant(record: Exclude<SystemRecord, { type: 'message' }>): Instant {
  switch (record.type) {
    case 'transition':
      return { ...record, name: `${record.from} → ${record.to}`, args: { event: record.event } };
    case 'unexpected':
      return { ...record, name: `unexpected ${record.event}`, args: { state: record.state } };
    case 'spawn':
      return { ...record, name: 'start', args: { incarnation: record.incarnation } };
    case 'stop':
      return { ...record, name: `stop: ${record.reason.kind}`, args: record.reason };
    case 'deadLetter': {
      const { letter } = record;
      const { to: actor, atMs, reason } = letter;
      return { actor, atMs, name: `dead letter: ${reason}`, args: letter };
    }
  }
}

/** Numbers of threads and actors, and the events that name them. */
class Tracks {
  readonly names: TraceEvent[] = [];
  readonly #threads = new Map<string, number>();
  readonly #actors = new Map<Address, { pid: number; tid: number }>();

  of(actor: Address): { pid: number; tid: number } {
    const known = this.#actors.get(actor);
    if (known !== undefined) return known;
    const place = { pid: this.#thread(threadOf(actor)), tid: this.#actors.size + 1 };
    this.#actors.set(actor, place);
    this.#name('thread_name', place, pathOf(actor));
    return place;
  }

  #thread(thread: string): number {
    const known = this.#threads.get(thread);
    if (known !== undefined) return known;
    const pid = this.#threads.size + 1;
    this.#threads.set(thread, pid);
    this.#name('process_name', { pid, tid: 0 }, thread);
    return pid;
  }

  #name(what: string, place: { pid: number; tid: number }, name: string): void {
    this.names.push({ name: what, ph: 'M', ts: 0, ...place, args: { name } });
  }
}
