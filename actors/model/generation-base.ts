/**
 * What every generation does, whatever its contract: keeps a preparer on a preparation thread, has
 * banks that shall be there before the first request activated, tells its deployment how it stands,
 * and gives the device back what was loaded for it. Hosts of `generation.machine.ts` extend it.
 */
import { StatusError, type StatusRecord } from '../../runtime/base/errors.js';
import { wrongProfile } from '../../runtime/profiles/profiles.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import type { Effect, MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import { type Backoff, backoffMs } from '../policy/backoff.js';
import type { NameBanks, PreparedModel, SessionRules } from '../protocol.js';
import type { Context } from './generation.machine.js';

const RETRY_AFTER_S = 1;
/** Of large checkpoints on slow disks. */
const WARM_DEADLINE_MS = 30 * 60_000;
/** Between attempts to start a lost preparer anew: its thread is soon back. */
const PREPARER_BACKOFF: Backoff = { initialMs: 50, maxMs: 5_000, steadyMs: 30_000 };

export interface GenerationInput<Prepared extends PreparedModel = PreparedModel> {
  readonly prepared: Prepared;
  readonly deployment: string;
  readonly device: string;
  /** Takes its preparer. */
  readonly preparationThread: string;
  /** Members that may wait (--max-queue). */
  readonly waitingMax: number;
  readonly sessions?: SessionRules;
}

/** Answer to 'generation.describe'. */
export interface GenerationSummary {
  readonly requests: number;
  readonly waiting: number;
  readonly cohorts: number;
  readonly specializations: number;
  readonly cohortsFormed: number;
  readonly membersServed: number;
}

/** Whether its scheduler gets on, for who watches over it. */
export interface GenerationPulse {
  readonly what: 'generation';
  readonly model: string;
  /** Members or turns that could be in the next cohort or epoch. */
  readonly ready: number;
  /** Cohorts or epochs that were ever formed; more can be in flight while `hasRoom`. */
  readonly formed: number;
  readonly hasRoom: boolean;
  /** Addresses of those in flight, which are the ids of their invocations. */
  readonly inFlight: readonly string[];
  /** Specializations that are being made: what is in flight may wait for them. */
  readonly compiling: number;
}

export abstract class GenerationBase<Prepared extends PreparedModel = PreparedModel> {
  protected readonly self: ActorSelf;
  protected readonly input: GenerationInput<Prepared>;
  protected preparer = '';
  readonly #preparerKind: string;
  #preparerLosses = 0;
  #preparerLostMs = 0;

  /** `preparerKind` is the kind of actor that prepares its requests. */
  constructor(self: ActorSelf, input: GenerationInput<Prepared>, preparerKind: string) {
    this.self = self;
    this.input = input;
    this.#preparerKind = preparerKind;
  }

  abstract loadControl(): void;
  abstract accept(ask: Message): void;
  abstract releaseStages(): void;
  abstract details(): object;
  abstract pulse(): GenerationPulse;
  abstract describe(): GenerationSummary;

  /** Has banks that shall be there before the first request activated; false: none shall. */
  protected warm(): boolean {
    const { prepared, device } = this.input;
    const { pin, warmup } = prepared.document.deployment;
    const { banks: ids } = prepared.parameters;
    if (ids.length === 0 || !(pin || warmup)) return false;
    const deadlineMs = this.self.now() + WARM_DEADLINE_MS;
    this.self.ask(device, 'banks.warm', { ids } satisfies NameBanks, {
      deadlineMs,
      as: 'banks.warmed',
    });
    return true;
  }

  warmed(reply: Reply): MachineEvent {
    if (reply.outcome === 'value') return { type: 'control.loaded' };
    return { type: 'control.refused', status: reply.status };
  }

  startPreparer(): void {
    const { prepared, preparationThread, device } = this.input;
    const name = `preparers/${prepared.id}@${prepared.generation}`;
    const input = { prepared, device };
    this.preparer = this.self.spawnOn(preparationThread, name, this.#preparerKind, input);
    this.self.watch(this.preparer);
  }

  awaitPreparer(): void {
    const now = this.self.now();
    if (now - this.#preparerLostMs > PREPARER_BACKOFF.steadyMs) this.#preparerLosses = 0;
    this.#preparerLostMs = now;
    this.#preparerLosses += 1;
    const delayMs = backoffMs(PREPARER_BACKOFF, this.#preparerLosses);
    this.self.startTimer('preparer', delayMs, 'preparer.due');
  }

  announce(kind: string, status: StatusRecord | null): void {
    const { generation } = this.input.prepared;
    this.self.tell(this.input.deployment, kind, { generation, status });
  }

  refuse(ask: Message, hasPreparer: boolean): void {
    const { id } = this.input.prepared;
    this.self.replyError(ask, {
      code: 'unavailable',
      message: hasPreparer
        ? `model ${id} is being replaced or removed and takes no new requests`
        : `model ${id} has lost its preparation thread, which is being started anew`,
      retryAfterS: RETRY_AFTER_S,
    });
  }

  /** `what` waits there. */
  protected queueFull(waiting: number, what: string): StatusError {
    const { prepared, waitingMax } = this.input;
    return new StatusError(
      'resourceExhausted',
      `the queue of model ${prepared.id} is full: ${waiting} ${what}, at most ${waitingMax} may ` +
        '(--max-queue)',
      { retryAfterS: RETRY_AFTER_S },
    );
  }

  /** Counted as a request, and over at once. */
  protected refuseProfile(ask: Message, asked: string): void {
    const { id, document } = this.input.prepared;
    this.self.replyError(ask, wrongProfile(id, document.profile, asked).status);
    this.self.tell(this.self.address, 'request.ended', { request: '' });
  }

  /** Gives back what preparation loaded; `loaded` are programs that came later. */
  protected release(loaded: Iterable<string>): void {
    const { prepared, device } = this.input;
    const cold = prepared.stages.map((stage) => stage.executable);
    const { scope, loaders } = prepared.parameters;
    // Those of its choices, too; before the programs that load them.
    this.self.tell(device, 'banks.unregister', { scope });
    for (const id of [...cold, ...loaders, ...loaded]) {
      this.self.tell(device, 'executable.unload', { id });
    }
    this.self.tell(this.preparer, 'preparer.retire', {});
  }
}

/** Effects that are the same for every contract; those that are not must be given beside them. */
export function generationEffects(host: GenerationBase): Readonly<Record<string, Effect>> {
  const announce =
    (kind: string): Effect =>
    (_event, context) =>
      host.announce(kind, (context as Context).failure);
  return {
    startPreparer: () => host.startPreparer(),
    startBackoff: () => host.awaitPreparer(),
    loadControl: () => host.loadControl(),
    announceLoaded: () => host.announce('generation.loaded', null),
    announceFailed: announce('generation.failed'),
    announceRetired: () => host.announce('generation.retired', null),
    announceLost: announce('generation.lost'),
    acceptRequest: (_event, _context, message) => host.accept(message),
    refuseRequest: (_event, context, message) =>
      host.refuse(message, (context as Context).preparer),
    releaseStages: () => host.releaseStages(),
  };
}

/** What every generation tells of itself, and what the death of its preparer means to it. */
export function generationFace(
  host: GenerationBase,
): Pick<MachineHost, 'details' | 'pulse' | 'down' | 'asks'> {
  return {
    details: () => host.details(),
    pulse: () => host.pulse(),
    down: (_address, _status, reason) =>
      reason.kind === 'finished' ? null : { type: 'preparer.lost' },
    asks: { 'generation.describe': () => host.describe() },
  };
}
