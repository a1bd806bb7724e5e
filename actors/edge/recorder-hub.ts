/**
 * Collects what all threads record: pulls from each thread's ring over the control plane and hands
 * it on to the history that consoles read, and to a trace file. On while somebody wants it.
 *
 * Holds: a thread that does not answer is asked no second time and delays nobody; a thread that was
 * started anew records, too. Off, no thread records and nothing runs here.
 */
import type { Ports, TimerId } from '../../runtime/base/ports.js';
import { RingRecorder, type RecordBatch } from '../../runtime/system/ring-recorder.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import type { ActorSystem } from '../../runtime/system/system.js';
import type { Topology } from '../../runtime/threads/topology.js';
import { RecordHistory, type Collected } from './record-history.js';

/** Between two collections. */
const PERIOD_MS = 100;
const MAIN_RECORDS_MAX = 65_536;

/** Where records go besides the history. */
export interface RecordSink {
  write(nowMs: number, collected: Collected): void;
}

export interface RecorderHubOptions {
  readonly system: ActorSystem;
  readonly topology: Pick<Topology, 'names' | 'record' | 'batch'>;
  readonly ports: Pick<Ports, 'clock' | 'timers'>;
}

export class RecorderHub {
  readonly history = new RecordHistory();
  readonly #options: RecorderHubOptions;
  /** Who wants it on. */
  readonly #wishes = new Set<string>();
  readonly #sinks = new Set<RecordSink>();
  /** Threads that have been asked and have not answered. */
  readonly #asked = new Map<string, Promise<void>>();
  #collected: RecordBatch[] = [];
  #timer: TimerId | null = null;

  constructor(options: RecorderHubOptions) {
    this.#options = options;
  }

  get isRecording(): boolean {
    return this.#wishes.size > 0;
  }

  /** `wish` names who wants it; it is off when nobody does. Threads that answer have begun then. */
  async want(wish: string, isOn: boolean): Promise<void> {
    const { system, topology } = this.#options;
    const was = this.isRecording;
    if (!isOn && was) await this.flush();
    if (isOn) this.#wishes.add(wish);
    else this.#wishes.delete(wish);
    if (was === this.isRecording) return;
    this.#stopTimer();
    system.recorder = this.isRecording ? new RingRecorder(MAIN_RECORDS_MAX) : null;
    const told = topology.names.map((name) =>
      topology.record(name, this.isRecording).catch(() => undefined),
    );
    if (this.isRecording) this.#timer = this.#startTimer();
    await Promise.race([Promise.all(told), this.#patience()]);
  }

  add(sink: RecordSink): void {
    this.#sinks.add(sink);
  }

  /** What the threads have now, too; for the end of a recording. */
  async flush(): Promise<void> {
    this.#pull();
    await Promise.race([Promise.all(this.#asked.values()), this.#patience()]);
    this.#handOn();
  }

  async close(): Promise<void> {
    for (const wish of [...this.#wishes]) await this.want(wish, false);
    this.history.close();
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#options.ports.timers.cancel(this.#timer);
    this.#timer = null;
  }

  #startTimer(): TimerId {
    return this.#options.ports.timers.start(PERIOD_MS, () => {
      if (!this.isRecording) return;
      this.#timer = this.#startTimer();
      this.#handOn();
      this.#pull();
    });
  }

  #pull(): void {
    for (const name of this.#options.topology.names) {
      if (!this.#asked.has(name)) this.#asked.set(name, this.#ask(name));
    }
  }

  async #ask(name: string): Promise<void> {
    const { topology } = this.#options;
    try {
      const batch = await topology.batch(name);
      if (batch !== null) this.#collected.push(batch);
      else if (this.isRecording) await topology.record(name, true);
    } catch {
      // The thread has ended: its successor is asked next time.
    }
    this.#asked.delete(name);
  }

  /** Records of threads are put in the order in which they happened. */
  #handOn(): void {
    const { system, ports } = this.#options;
    const { recorder } = system;
    if (recorder instanceof RingRecorder) this.#collected.push(recorder.take());
    const batches = this.#collected.splice(0);
    const records = batches.flatMap((batch) => batch.records);
    const lost = batches.reduce((sum, batch) => sum + batch.lost, 0);
    if (records.length + lost === 0) return;
    records.sort((left, right) => timeOf(left) - timeOf(right));
    const nowMs = ports.clock.now();
    this.history.add(nowMs, { records, lost });
    for (const sink of this.#sinks) sink.write(nowMs, { records, lost });
  }

  #patience(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.ports.timers.start(PERIOD_MS * 5, resolve);
    });
  }
}

/** When it happened; of what lasts, when it was over. */
export function timeOf(record: SystemRecord): number {
  switch (record.type) {
    case 'message':
      return record.startMs;
    case 'deadLetter':
      return record.letter.atMs;
    case 'work':
      return record.retiredMs ?? record.acceptedMs;
    default:
      return record.atMs;
  }
}
