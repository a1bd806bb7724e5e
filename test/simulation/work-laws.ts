/**
 * Laws about requests, submissions and compiles as actors deal with them: I2 (each submission has
 * one end), I3 (nothing is published after a cancel), I12 (one terminal a request, given by the
 * request), Q (a full queue, and no other, refuses), S (a missing stage is compiled once).
 */
import type { SubmitWork } from '../../actors/protocol.js';
import type { SpecializationInput } from '../../actors/model/specialization.js';
import type { FiniteCall } from '../../actors/protocol.js';
import { memberCount } from '../../runtime/profiles/finite-request.js';
import { threadOf, type Address } from '../../runtime/system/address.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import type { CohortLaws } from './cohort-laws.js';
import type { Losses } from './losses.js';
import type { Observation } from './observed-actor.js';
import type { Report } from './report.js';

interface Request {
  isCancelled: boolean;
  answers: number;
}

interface Submission {
  accepted: number;
  ends: number;
}

interface Stage {
  readonly name: string;
  phase: 'idle' | 'compiling' | 'ready' | 'evicted';
  /** Programs that it may still have compiled. */
  programs: number;
}

export class WorkLaws {
  readonly #report: Report;
  readonly #losses: Losses;
  readonly #cohorts: CohortLaws;
  readonly #requests = new Map<Address, Request>();
  /** By invocation, as the device sees them. */
  readonly #submissions = new Map<string, Submission>();
  /** Cohorts whose submission has no end that they know of. */
  readonly #onDevice = new Set<Address>();
  readonly #stages = new Map<Address, Stage>();
  /** States in which a finite request was cancelled. */
  readonly cancelledIn = new Set<string>();
  compiles = 0;

  constructor(parts: { report: Report; losses: Losses; cohorts: CohortLaws }) {
    this.#report = parts.report;
    this.#losses = parts.losses;
    this.#cohorts = parts.cohorts;
  }

  threadLost(thread: string): void {
    if (thread === 'device') this.#submissions.clear();
    for (const table of [this.#requests, this.#stages]) {
      for (const address of [...table.keys()])
        if (threadOf(address) === thread) table.delete(address);
    }
    for (const cohort of this.#onDevice) {
      if (threadOf(cohort) === thread) this.#onDevice.delete(cohort);
    }
  }

  observe(actor: Address, seen: Observation): void {
    switch (seen.type) {
      case 'started':
        if (seen.kind === 'finiteRequest') {
          this.#requests.set(actor, { isCancelled: false, answers: 0 });
        } else if (seen.kind === 'specialization') {
          const { key, tasks, choice } = (seen.input as SpecializationInput).use;
          // A choice brings programs along that fill its banks.
          const programs = choice === null ? tasks.length : Infinity;
          const name = `${actor.slice(0, actor.indexOf('/specializations/'))} ${key}`;
          this.#stages.set(actor, { name, phase: 'idle', programs });
        }
        return;
      case 'handled':
        return this.#handled(actor, seen.message);
      case 'told':
        return this.#told(actor, seen);
      case 'asked':
        if (seen.kind === 'task.run') this.#compile(actor);
        return;
      case 'answered':
        return this.#answered(actor, seen);
      case 'stopped':
        return this.#stopped(actor, seen.reason.kind);
    }
  }

  checkRest(): void {
    for (const [invocation, { ends }] of this.#submissions) {
      if (ends !== 1) this.#report.add('I2', `${invocation} was ended ${ends} times`);
    }
    for (const cohort of this.#onDevice) this.#report.add('I2', `${cohort} waits for its work`);
    for (const request of this.#requests.keys()) this.#report.add('I12', `${request} never ends`);
  }

  #handled(actor: Address, message: Message): void {
    const { kind, payload } = message;
    if (kind === 'cancel') {
      const request = this.#requests.get(actor);
      if (request !== undefined && request.answers === 0) request.isCancelled = true;
    } else if (kind === 'work.submit') {
      const { invocation } = (payload as SubmitWork).submission;
      if (this.#submissions.has(invocation)) this.#report.add('I2', `${invocation} comes twice`);
      this.#submissions.set(invocation, { accepted: 0, ends: 0 });
    } else if (kind === 'work.retired' || kind === 'work.failed') {
      this.#onDevice.delete(actor);
    } else if (kind === 'compiled' || kind === 'placed') {
      const stage = this.#stages.get(actor);
      if (stage === undefined || stage.phase === 'idle' || stage.phase === 'evicted') return;
      const isValue = (payload as Reply).outcome === 'value';
      if (!isValue) stage.phase = 'idle';
      else if (kind === 'placed') stage.phase = 'ready';
    }
  }

  #told(
    actor: Address,
    { to, kind, payload }: Extract<Observation, { to: Address; kind: string }>,
  ): void {
    if (kind === 'work.submit') this.#onDevice.add(actor);
    // From its eviction on nobody finds it: the next one that asks compiles anew.
    const leaving = kind === 'specialization.evict' ? this.#stages.get(to) : undefined;
    if (leaving !== undefined) leaving.phase = 'evicted';
    if (kind !== 'work.accepted' && kind !== 'work.retired' && kind !== 'work.failed') return;
    const { invocation } = payload as { invocation: string };
    const submission = this.#submissions.get(invocation);
    if (submission === undefined) {
      this.#report.add('I2', `${kind} of ${invocation}, which was never submitted`);
    } else if (kind === 'work.accepted') {
      submission.accepted += 1;
      if (submission.accepted > 1 || submission.ends > 0) {
        this.#report.add('I2', `${invocation} is accepted again or too late`);
      }
    } else {
      submission.ends += 1;
      if (submission.ends > 1) this.#report.add('I2', `${invocation} ends again: ${kind}`);
      if (kind === 'work.retired' && submission.accepted === 0) {
        this.#report.add('I2', `${invocation} retired and was never accepted`);
      }
    }
  }

  #compile(actor: Address): void {
    this.compiles += 1;
    const stage = this.#stages.get(actor);
    if (stage === undefined || stage.phase === 'evicted') return;
    for (const other of this.#stages.values()) {
      const isThere = other.phase !== 'idle' && other.phase !== 'evicted';
      if (other !== stage && other.name === stage.name && isThere) {
        this.#report.add('S', `${stage.name} is compiled while it is ${other.phase}`);
      }
    }
    if (stage.programs === 0) this.#report.add('S', `${stage.name} is compiled again`);
    stage.programs -= 1;
    stage.phase = 'compiling';
  }

  #answered(actor: Address, { ask, status }: Extract<Observation, { type: 'answered' }>): void {
    const request = this.#requests.get(actor);
    if (request !== undefined) {
      request.answers += 1;
      if (request.answers > 1) this.#report.add('I12', `${actor} answers again`);
      if (request.isCancelled && status === null) {
        this.#report.add('I3', `${actor} publishes rows after it was cancelled`);
      }
    } else if (ask.kind === 'request.submit' && actor.includes('/models/')) {
      const isQueue = status?.code === 'resourceExhausted';
      const { body } = ask.payload as FiniteCall;
      if (body === undefined) return;
      if (isQueue && !this.#cohorts.isFull(actor, memberCount(body))) {
        this.#report.add('Q', `${actor} refuses a call though its queue is not full`);
      }
    }
  }

  #stopped(actor: Address, reason: string): void {
    const request = this.#requests.get(actor);
    this.#requests.delete(actor);
    this.#stages.delete(actor);
    if (reason !== 'finished') {
      this.#onDevice.delete(actor);
      return;
    }
    if (request !== undefined && request.answers === 0) {
      this.#report.add('I12', `${actor} ended without an answer`);
    }
    if (this.#onDevice.delete(actor) && !this.#losses.any('driver', 'thread')) {
      this.#report.add('I2', `${actor} ended while the device holds its work`);
    }
  }
}
