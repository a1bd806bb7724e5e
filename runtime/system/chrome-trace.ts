/**
 * Records as a Chrome trace (`chrome://tracing`, Perfetto): a process for each thread, a track for
 * each actor, a slice for each turn, an instant for each transition, dead letter, start and stop,
 * and an arrow from each turn to the turns of the messages that it sent. A device is a process of
 * its own: its queue with a slice for each work from acceptance to retirement, arrows from the turn
 * that submitted it and to the turn that hears of its end, and its memory as a counter.
 */
import { pathOf, threadOf, type Address } from './address.js';
import type { MemoryRecord, SystemRecord, WorkRecord } from './recorder.js';

export interface TraceEvent {
  readonly name: string;
  readonly ph: 'X' | 'i' | 's' | 'f' | 'M' | 'C';
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

type Place = Pick<TraceEvent, 'pid' | 'tid'>;
type MessageRecord = Extract<SystemRecord, { type: 'message' }>;

export function chromeTrace(records: readonly SystemRecord[]): { traceEvents: TraceEvent[] } {
  return { traceEvents: [...chromeEvents(records)] };
}

/** Names of tracks come when their first event does. Records in any order. */
export function* chromeEvents(records: readonly SystemRecord[]): Iterable<TraceEvent> {
  const writer = new TraceWriter(records);
  for (const record of records) {
    const events = [...writer.eventsOf(record)];
    yield* writer.newNames();
    yield* events;
  }
}

class TraceWriter {
  readonly #tracks = new Tracks();
  /** Turns by the message that they handled and by who did: a message may be sent on. */
  readonly #turns = new Map<string, MessageRecord>();
  /** The last turn so far that handled a message. */
  readonly #hops = new Map<string, MessageRecord>();
  /** The turn in which a device said that a work has ended. */
  readonly #ends = new Map<string, MessageRecord>();
  /** By device: when the last work of each of its tracks was over. */
  readonly #lanes = new Map<Address, number[]>();

  constructor(records: readonly SystemRecord[]) {
    for (const record of records) {
      if (record.type !== 'message') continue;
      this.#turns.set(turnKey(record.id, record.to), record);
      if (endings.has(record.kind)) this.#ends.set(record.to, record);
    }
  }

  newNames(): TraceEvent[] {
    return this.#tracks.newNames();
  }

  *eventsOf(record: SystemRecord): Iterable<TraceEvent> {
    if (record.type === 'message') yield* this.#message(record);
    else if (record.type === 'work') yield* this.#work(record);
    else if (record.type === 'memory') yield* this.#memory(record);
    else yield this.#instant(record);
  }

  *#message(record: MessageRecord): Iterable<TraceEvent> {
    const { startMs, endMs, id, cause, from, to, kind, role, lane } = record;
    const place = { ...this.#tracks.of(to), ts: startMs * 1000 };
    const dur = Math.max(1, (endMs - startMs) * 1000);
    yield { name: kind, ph: 'X', ...place, dur, args: { id, cause, from, role, lane } };
    const sender =
      this.#hops.get(id) ?? (cause === null ? undefined : this.#turns.get(turnKey(cause, from)));
    this.#hops.set(id, record);
    if (sender === undefined) return;
    const start = { ...this.#tracks.of(sender.to), ts: sender.startMs * 1000 };
    const flow = { name: kind, id: turnKey(id, to), cat: 'message' };
    yield { ...flow, ph: 's', ...start };
    yield { ...flow, ph: 'f', ...place, bp: 'e' };
  }

  /** Works that overlap lie on tracks of their own, the part that ran inside. */
  *#work(record: WorkRecord): Iterable<TraceEvent> {
    const { device, invocation, acceptedMs, startedMs, retiredMs } = record;
    if (retiredMs === null) return;
    const track = this.#tracks.ofDevice(device, this.#lane(record.device, acceptedMs, retiredMs));
    const { failed, commands, uploadBytes, readbackBytes } = record;
    const args = { failed, commands, uploadBytes, readbackBytes };
    yield { ...slice(invocation, acceptedMs, retiredMs), ...track, cat: 'work', args };
    if (startedMs !== null) yield { ...slice('running', startedMs, retiredMs), ...track };
    const heard = this.#ends.get(invocation);
    if (heard === undefined) return;
    const fence = { name: 'fence', cat: 'fence', id: `${invocation} fence` } as const;
    const end = { ...this.#tracks.of(heard.to), ts: heard.startMs * 1000 };
    // Bound to the slice that it lies in.
    yield { ...fence, ph: 's', ...track, ts: Math.max(acceptedMs, retiredMs - 1e-3) * 1000 };
    yield { ...fence, ph: 'f', ...end, bp: 'e' };
  }

  /** The first track of the device that is free by then. */
  #lane(device: Address, fromMs: number, toMs: number): string {
    const ends = this.#lanes.get(device) ?? [];
    this.#lanes.set(device, ends);
    let lane = ends.findIndex((end) => end <= fromMs);
    if (lane < 0) lane = ends.length;
    ends[lane] = toMs;
    return lane === 0 ? 'queue' : `queue, at the same time ${lane + 1}`;
  }

  *#memory({ atMs, device, budget, reserved, byOwner }: MemoryRecord): Iterable<TraceEvent> {
    const track = this.#tracks.ofDevice(device, 'memory');
    const totals: Record<string, number> = { reserved };
    for (const { kind, bytes } of byOwner) totals[kind] = (totals[kind] ?? 0) + bytes;
    yield { name: `bytes of ${budget}`, ph: 'C', ...track, ts: atMs * 1000, args: totals };
  }

  #instant(record: InstantRecord): TraceEvent {
    const { actor, atMs, name, args } = instant(record);
    return { name, ph: 'i', ...this.#tracks.of(actor), ts: atMs * 1000, s: 't', args };
  }
}

const slice = (name: string, fromMs: number, toMs: number) =>
  ({ name, ph: 'X', ts: fromMs * 1000, dur: Math.max(1, (toMs - fromMs) * 1000) }) as const;

const turnKey = (id: string, actor: Address): string => `${id} ${actor}`;

/** What the submitter of a work is told at its end. */
const endings: ReadonlySet<string> = new Set(['work.retired', 'work.failed']);

type InstantRecord = Exclude<SystemRecord, { type: 'message' | 'work' | 'memory' }>;

interface Instant {
  readonly actor: Address;
  readonly atMs: number;
  readonly name: string;
  readonly args: object;
}

function instant(record: InstantRecord): Instant {
  switch (record.type) {
    case 'transition':
      return { ...record, name: `${record.from} → ${record.to}`, args: { event: record.event } };
    case 'unexpected':
      return { ...record, name: `unexpected ${record.event}`, args: { state: record.state } };
    case 'spawn':
      return { ...record, name: 'start', args: { incarnation: record.incarnation } };
    case 'stop':
      return { ...record, name: `stop: ${record.reason.kind}`, args: record.reason };
    case 'asked':
      return { ...record, name: `asked: ${record.label}`, args: { message: record.message } };
    case 'deadLetter': {
      const { letter } = record;
      const { to: actor, atMs, reason } = letter;
      return { actor, atMs, name: `dead letter: ${reason}`, args: letter };
    }
  }
}

/** Numbers of threads, actors and devices, and the events that name them. */
class Tracks {
  #names: TraceEvent[] = [];
  readonly #processes = new Map<string, number>();
  readonly #tracks = new Map<string, Place>();

  /** Those that are new since it was called last. */
  newNames(): TraceEvent[] {
    const names = this.#names;
    this.#names = [];
    return names;
  }

  of(actor: Address): Place {
    return this.#track(actor, threadOf(actor), pathOf(actor));
  }

  ofDevice(device: Address, part: string): Place {
    return this.#track(`${device} ${part}`, `device ${device}`, part);
  }

  #track(key: string, process: string, name: string): Place {
    const known = this.#tracks.get(key);
    if (known !== undefined) return known;
    const place = { pid: this.#process(process), tid: this.#tracks.size + 1 };
    this.#tracks.set(key, place);
    this.#name('thread_name', place, name);
    return place;
  }

  #process(name: string): number {
    const known = this.#processes.get(name);
    if (known !== undefined) return known;
    const pid = this.#processes.size + 1;
    this.#processes.set(name, pid);
    this.#name('process_name', { pid, tid: 0 }, name);
    return pid;
  }

  #name(what: string, place: Place, name: string): void {
    this.#names.push({ name: what, ph: 'M', ts: 0, ...place, args: { name } });
  }
}
