/**
 * Whether what serves gets on: asks every thread that hosts models or a device for its pulse, and
 * says what has made no progress for too long while something waits for it. Runs from the start of
 * the server, so the answer is there when somebody asks.
 *
 * Holds: a thread that does not answer is asked no second time; who is slow and gets on is never
 * blamed. Preparation threads are not watched: they may take long over one package.
 */
import type { Ports, TimerId } from '../../runtime/base/ports.js';
import type { ActorPulse } from '../../runtime/system/describe.js';
import type { Topology } from '../../runtime/threads/topology.js';
import type { DevicePulse } from '../model/device-queue.js';
import type { GenerationPulse } from '../model/generation-base.js';
import { Stillness } from './stillness.js';

/** Between two questions. */
const PERIOD_MS = 500;
/** With two periods and what a question takes, red within five seconds. */
export const STUCK_MS = 3_000;

/** Who is looked at. */
export interface Watched {
  /** Threads that host models. */
  readonly model: readonly string[];
  readonly devices: readonly { readonly name: string; readonly thread: string }[];
}

export interface ProgressWatchOptions {
  readonly topology: Pick<Topology, 'pulse'>;
  readonly watched: Watched;
  readonly ports: Pick<Ports, 'clock' | 'timers'>;
}

type Pulse = DevicePulse | GenerationPulse;

export class ProgressWatch {
  readonly #options: ProgressWatchOptions;
  readonly #threads: readonly string[];
  /** Questions without an answer: when they were asked. */
  readonly #asked = new Map<string, number>();
  readonly #pulses = new Map<string, readonly ActorPulse[]>();
  readonly #stillness = new Stillness();
  #reasons: readonly string[] = [];
  readonly #waiting = new Set<(reasons: readonly string[]) => void>();
  #timer: TimerId | null = null;
  #dueMs = 0;

  constructor(options: ProgressWatchOptions) {
    this.#options = options;
    const { model, devices } = options.watched;
    this.#threads = [...model, ...devices.map(({ thread }) => thread)];
  }

  start(): void {
    const { clock, timers } = this.#options.ports;
    this.#dueMs = clock.now() + PERIOD_MS;
    this.#timer = timers.start(PERIOD_MS, () => {
      this.#look();
      this.start();
    });
  }

  stop(): void {
    if (this.#timer !== null) this.#options.ports.timers.cancel(this.#timer);
    this.#timer = null;
  }

  /** What is stuck, one sentence each; empty while everything gets on. */
  get reasons(): readonly string[] {
    return this.#reasons;
  }

  /** What `answer` gives, or what is stuck, as soon as something is. */
  async orStuck(answer: Promise<readonly string[]>): Promise<readonly string[]> {
    let wake: (reasons: readonly string[]) => void = () => {};
    const stuck = new Promise<readonly string[]>((resolve) => (wake = resolve));
    this.#waiting.add(wake);
    try {
      return this.#reasons.length > 0 ? this.#reasons : await Promise.race([answer, stuck]);
    } finally {
      this.#waiting.delete(wake);
    }
  }

  #look(): void {
    const nowMs = this.#options.ports.clock.now();
    // Answers lie in this thread's own queue while it is late itself.
    const lateMs = nowMs - this.#dueMs;
    if (lateMs > PERIOD_MS) this.#forgive(lateMs);
    this.#reasons = [...this.#stuckThreads(nowMs), ...this.#stuckActors(nowMs)];
    for (const thread of this.#threads) if (!this.#asked.has(thread)) this.#ask(thread);
    if (this.#reasons.length > 0) for (const wake of this.#waiting) wake(this.#reasons);
  }

  #forgive(lateMs: number): void {
    for (const [thread, askedMs] of this.#asked) this.#asked.set(thread, askedMs + lateMs);
    this.#stillness.forgive(lateMs);
  }

  #ask(thread: string): void {
    const { topology, ports } = this.#options;
    this.#asked.set(thread, ports.clock.now());
    void topology.pulse(thread).then((pulses) => {
      this.#asked.delete(thread);
      // A thread that has ended is somebody else's to tell.
      this.#pulses.set(thread, pulses ?? []);
    });
  }

  #stuckThreads(nowMs: number): string[] {
    return [...this.#asked].flatMap(([thread, askedMs]) => {
      const silentMs = nowMs - askedMs;
      if (silentMs < STUCK_MS) return [];
      return [`thread ${thread} has not answered for ${seconds(silentMs)} s: it is stuck or busy`];
    });
  }

  #stuckActors(nowMs: number): string[] {
    const silent = new Set(this.#asked.keys());
    const pulses = [...this.#pulses].flatMap(([thread, list]) =>
      // What a silent thread said last says nothing of now.
      silent.has(thread) && nowMs - this.#asked.get(thread)! > PERIOD_MS ? [] : list,
    );
    const known = pulses.map(({ address, pulse }) => ({ address, pulse: pulse as Pulse }));
    const devices = known.flatMap(({ pulse }) => (pulse.what === 'device' ? [pulse] : []));
    const onDevice = new Set(devices.flatMap(({ invocations }) => invocations));
    const seen = new Set<string>();
    const reasons = known.flatMap(({ address, pulse }) => {
      seen.add(address);
      const still = (progress: string | null) => this.#stillness.since(address, progress, nowMs);
      return pulse.what === 'device'
        ? deviceReason(this.#deviceAt(address), pulse, still(deviceProgress(pulse)))
        : schedulerReason(pulse, still(schedulerProgress(pulse, onDevice)), onDevice);
    });
    this.#stillness.keep(seen);
    return reasons;
  }

  /** Named where there are several. */
  #deviceAt(address: string): string {
    const { devices } = this.#options.watched;
    const at = devices.find(({ thread }) => address.startsWith(`${thread}:`));
    return devices.length < 2 || at === undefined ? 'the device' : `the device '${at.name}'`;
  }
}

/** Null while nothing waits. */
function deviceProgress({ open, progress }: DevicePulse): string | null {
  return open === 0 ? null : progress;
}

function deviceReason(device: string, { open }: DevicePulse, stillMs: number): string[] {
  if (stillMs < STUCK_MS) return [];
  return [`${device} has made no progress for ${seconds(stillMs)} s: ${open} invocations wait`];
}

/** Null while it has nothing to do, or what it has formed waits for the device or a compiler. */
function schedulerProgress(pulse: GenerationPulse, onDevice: ReadonlySet<string>): string | null {
  const { ready, formed, inFlight, hasRoom, compiling } = pulse;
  const lost = inFlight.filter((id) => !onDevice.has(id));
  const isForming = ready > 0 && hasRoom;
  const isBehind = lost.length > 0 && compiling === 0;
  return isForming || isBehind ? `${formed} ${lost.join(' ')}` : null;
}

function schedulerReason(
  { model, ready, inFlight, hasRoom }: GenerationPulse,
  stillMs: number,
  onDevice: ReadonlySet<string>,
): string[] {
  if (stillMs < STUCK_MS) return [];
  const text = `the scheduler of model ${model} has made no progress for ${seconds(stillMs)} s`;
  if (ready > 0 && hasRoom) return [`${text}: ${ready} inputs or turns are ready, and none starts`];
  const lost = inFlight.filter((id) => !onDevice.has(id));
  return [`${text}: ${lost.join(', ')} neither ended nor came to the device`];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
