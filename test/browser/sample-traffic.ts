/**
 * Records as a server makes them for requests of a small model, without a server: two requests a
 * cohort, one submission each, on three threads. Times and names are given, so a test knows them.
 */
import type { MemoryRecord, Tree, TreeActor, WireRecord } from '../../http/console/wire.js';

export const GENERATION = 'model-0:/models/tiny@1';
const SERVER = 'main:/server';
const DEVICE = 'device:/device';
const budget = 256 * 2 ** 20;

export class SampleTraffic {
  readonly records: WireRecord[] = [];
  #nowMs: number;
  #cohorts = 0;
  #requests = 0;
  #turns = 0;

  constructor(startMs = 5000) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** Gives the addresses of two requests that one cohort has served. */
  cohort(runMs = 3): readonly string[] {
    const requests = [this.request(), this.request()];
    this.#cohorts += 1;
    const cohort = `${GENERATION}/cohorts/${this.#cohorts}`;
    const start = this.turn('members.offered', requests[0]!, GENERATION);
    this.#spawn(cohort, GENERATION);
    const prepared = this.turn('batch.prepared', cohort, cohort, start);
    this.move(cohort, 'preparing', 'admitting', 'batch.prepared', prepared);
    for (const request of requests) {
      const joined = this.turn('member.joined', cohort, request, prepared);
      this.move(request, 'waiting', 'inCohort', 'member.joined', joined);
    }
    const submitted = this.turn('work.submit', cohort, DEVICE, prepared);
    const acceptedMs = this.#nowMs;
    const work = { device: DEVICE, invocation: cohort, commands: 4 };
    const sizes = { uploadBytes: 4096, readbackBytes: 1024, failed: false };
    this.#keep({ type: 'work', ...work, ...sizes, acceptedMs, startedMs: null, retiredMs: null });
    this.memory(3 * 2 ** 20);
    const accepted = this.turn('work.accepted', DEVICE, cohort, submitted);
    this.move(cohort, 'admitting', 'executing', 'work.accepted', accepted);
    this.pass(0.4);
    const startedMs = this.#nowMs;
    this.pass(runMs);
    const retiredMs = this.#nowMs;
    this.#keep({ type: 'work', ...work, ...sizes, acceptedMs, startedMs, retiredMs });
    this.memory(0);
    const retired = this.turn('work.retired', DEVICE, cohort, submitted);
    this.move(cohort, 'executing', 'retired', 'work.retired', retired);
    for (const request of requests) this.#deliver(request, cohort, retired);
    this.#stop(cohort);
    return requests;
  }

  /** One that is prepared and waits. */
  request(): string {
    this.#requests += 1;
    const address = `${GENERATION}/requests/req-${this.#requests}`;
    const asked = this.turn('request.submit', SERVER, GENERATION);
    this.#spawn(address, GENERATION);
    this.pass(0.2);
    const prepared = this.turn(
      'members.prepared',
      'preparation-0:/preparers/tiny@1',
      address,
      asked,
    );
    this.move(address, 'preparing', 'waiting', 'members.prepared', prepared);
    return address;
  }

  cancel(address: string): void {
    const turn = this.turn('request.cancel', 'main:/edge', address);
    this.move(address, 'waiting', 'settling', 'request.cancel', turn);
  }

  /** A message and its turn; gives the id. */
  turn(kind: string, from: string, to: string, cause: string | null = null): string {
    this.#turns += 1;
    const id = `m-${this.#turns}`;
    const startMs = this.#nowMs;
    this.pass(0.1);
    const what = { id, cause, from, to, kind, role: 'tell', lane: 'data' };
    this.#keep({ type: 'message', ...what, startMs, endMs: this.#nowMs });
    return id;
  }

  move(actor: string, from: string, to: string, event: string, cause: string): void {
    this.#keep({ type: 'transition', atMs: this.#nowMs, actor, cause, from, to, event });
  }

  memory(reserved: number): void {
    const byOwner: MemoryRecord['byOwner'] = [
      { kind: 'bank', deployment: 'tiny', bytes: 48 * 2 ** 20 },
      { kind: 'generation', deployment: 'tiny', bytes: 9 * 2 ** 20 },
      { kind: 'invocation', deployment: 'tiny', bytes: reserved },
    ];
    const resident = 57 * 2 ** 20;
    const atMs = this.#nowMs;
    this.#keep({ type: 'memory', atMs, device: DEVICE, budget, resident, reserved, byOwner });
  }

  /** The trace file of all that happened. */
  file(header: object = {}): string {
    const lines = [{ loomTrace: 1, startMs: 0, threads: [], ...header }, ...this.records];
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #deliver(request: string, cohort: string, cause: string): void {
    const turn = this.turn('member.collected', cohort, request, cause);
    this.move(request, 'inCohort', 'done', 'member.collected', turn);
    this.#stop(request);
  }

  #spawn(actor: string, parent: string): void {
    this.#keep({ type: 'spawn', atMs: this.#nowMs, actor, parent, incarnation: 0 });
  }

  #stop(actor: string): void {
    this.#keep({ type: 'stop', atMs: this.#nowMs, actor, reason: { kind: 'finished' } });
  }

  #keep(record: WireRecord): void {
    this.records.push(record);
  }
}

/** A server that serves `tiny`, with so many requests that wait. */
export function sampleTree(nowMs: number, requests: number): Tree {
  const actor = (
    address: string,
    parent: string | null,
    kind: string,
    state: string,
  ): TreeActor => ({
    address,
    parent,
    thread: address.slice(0, address.indexOf(':')),
    kind,
    state,
    mailbox: 0,
    oldestMs: null,
  });
  return {
    nowMs,
    threads: ['main', 'device', 'model-0'].map((name) => ({ name, answers: true })),
    actors: [
      actor(SERVER, null, 'server', 'ready'),
      actor(`${SERVER}/deployments/tiny`, SERVER, 'deployment', 'serving'),
      actor(DEVICE, null, 'deviceQueue', 'ready'),
      actor(`${DEVICE}/banks/1`, DEVICE, 'bank', 'resident'),
      actor(GENERATION, `${SERVER}/deployments/tiny`, 'generation', 'active'),
      ...Array.from({ length: requests }, (_, index) => ({
        ...actor(`${GENERATION}/requests/load-${index}`, GENERATION, 'finiteRequest', 'waiting'),
        mailbox: index % 7,
        oldestMs: index % 7 === 0 ? null : index % 5000,
      })),
    ],
  };
}
