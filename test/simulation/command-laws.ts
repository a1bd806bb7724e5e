/**
 * The laws of a run's history as far as operators go: a registration is answered with its own
 * version or with its own reason (V, E), a drain does not take longer than what was accepted (H),
 * and nothing is refused that should not be (E).
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { Reply } from '../../runtime/system/envelope.js';
import type { Losses } from './losses.js';
import type { Report } from './report.js';
import { flawOf, residenceOf } from './tiny-package.js';
import type { Flaw } from './tiny-programs.js';
import type { Drain, Event, Registration } from './traffic.js';

export interface HistoryContext {
  readonly history: readonly Event[];
  readonly losses: Losses;
  readonly report: Report;
  /** The device has less memory than some cohorts want. */
  readonly isTight: boolean;
  /** The longest that a message is on its way. */
  readonly travelMs: number;
  /** Turns of text may be accepted: sixty tokens, each an epoch. */
  readonly hasTexts: boolean;
}

/** All that is accepted in a run takes less, without losses; with turns of text, the other. */
const DRAIN_MS = 400;
const TEXT_DRAIN_MS = 900;

/** What a registration is told of a version with the flaw. */
const flawTexts: Readonly<Record<Flaw, RegExp>> = {
  none: /^$/,
  refuses: /refuses to prepare/,
  compiles: /bytes of workspace/,
  loads: /missing/,
};

export const nameOf = ({ step, sentMs, correlation }: Event): string => {
  const what = step.kind === 'call' ? JSON.stringify(step.inputs) : step.kind;
  return `${correlation} ${step.model} ${what} at ${sentMs}`;
};

/** Whether the server had said that it is ready. */
export function isReady(history: readonly Event[], sentMs: number): boolean {
  const [ready] = history.find(({ step }) => step.kind === 'await')?.replies ?? [];
  return ready?.reply.outcome === 'value' && ready.atMs <= sentMs;
}

export class CommandLaws {
  readonly #context: HistoryContext;

  constructor(context: HistoryContext) {
    this.#context = context;
  }

  check(event: Event, reply: Reply): void {
    const { step } = event;
    if (reply.outcome === 'value') {
      if (step.kind === 'register') this.#checkVersion(event, step);
      if (step.kind === 'drain') this.#checkDrain(event, step);
      return;
    }
    if (this.#isLenient(event)) return;
    const status = reply.status!;
    const isRight = this.#isExplained(event, status);
    if (!isRight) this.#add('E', event, `${status.code}: ${status.message}`);
  }

  #add(law: string, event: Event, detail: string): void {
    this.#context.report.add(law, `${nameOf(event)}: ${detail}`);
  }

  #checkVersion(event: Event, { version }: Registration): void {
    const { base } = (event.replies[0]!.reply.value as { location: { base: string } }).location;
    // Packages of folders have no version to tell by.
    if (base.startsWith('/')) return;
    const served = Number(base.split('/')[1]);
    if (served === version && flawOf(version) === 'none') return;
    this.#add('V', event, `version ${served} is said to serve instead of ${version}`);
  }

  #checkDrain(event: Event, { boundMs }: Drain): void {
    const tookMs = event.replies[0]!.atMs - event.sentMs;
    const mostMs = this.#context.hasTexts ? TEXT_DRAIN_MS : DRAIN_MS;
    if (tookMs < boundMs && tookMs < mostMs) return;
    if (this.#isLenient(event) || boundMs < mostMs) return;
    this.#add('H', event, `the drain takes ${tookMs.toFixed(0)} ms of ${boundMs}`);
  }

  #isLenient({ sentMs }: Event): boolean {
    const { losses, history } = this.#context;
    return losses.any('clock', 'driver', 'thread') || !isReady(history, sentMs);
  }

  #isExplained(event: Event, { code, message }: StatusRecord): boolean {
    const { step, sentMs } = event;
    if (code === 'cancelled' && event.leftMs < Infinity) return true;
    switch (step.kind) {
      case 'register': {
        const isFlaw = flawOf(step.version) !== 'none';
        if (isFlaw && flawTexts[flawOf(step.version)].test(message)) return true;
        if (message.includes('a later registration')) return this.#isFollowed(event, 'register');
        // A version that has its bank activated before it serves.
        const isWarm = residenceOf(step.version) !== 'needed';
        if (isWarm && / could not be activated: /.test(message)) {
          return this.#isBanksAnswer(event, { code, message });
        }
        return this.#isOvertaken(event, code);
      }
      case 'unregister':
        return code === 'notFound' || this.#isOvertaken(event, code);
      case 'warm':
      case 'deactivate':
        return this.#isBanksAnswer(event, { code, message });
      case 'drain':
        // A second drain may come when the server is gone.
        return this.#context.history.some(
          (other) => other.step.kind === 'drain' && other.sentMs < sentMs,
        );
      default:
        return false;
    }
  }

  /** Its bank was not read, did not fit, or has left with its version. */
  #isBanksAnswer(event: Event, { code, message }: StatusRecord): boolean {
    const { losses, isTight, history } = this.#context;
    if (message.includes('a checkpoint cannot be read')) return losses.any('read');
    if (message.includes('the device failed')) return losses.any('command');
    const isShort = isTight || losses.any('memory');
    if (code === 'resourceExhausted') return isShort && message.includes('--memory');
    return history.some((other) => {
      const isChange = ['register', 'unregister', 'drain'].includes(other.step.kind);
      const isIts = other.step.kind === 'drain' || other.step.model === event.step.model;
      return isChange && isIts && other.sentMs <= event.replies[0]!.atMs;
    });
  }

  /** The model, or the whole server, was on its way out, or had left. */
  #isOvertaken(event: Event, code: StatusRecord['code']): boolean {
    const expected = ['failedPrecondition', 'cancelled', 'unavailable', 'notFound'];
    if (!expected.includes(code)) return false;
    return this.#context.history.some(
      (other) =>
        other !== event &&
        other.sentMs <= event.replies[0]!.atMs &&
        (other.step.kind === 'drain' ||
          (other.step.kind === 'unregister' && other.step.model === event.step.model)),
    );
  }

  #isFollowed(event: Event, kind: string): boolean {
    return this.#context.history.some(
      (other) =>
        other !== event &&
        other.step.kind === kind &&
        other.step.model === event.step.model &&
        other.sentMs >= event.sentMs &&
        other.sentMs <= event.replies[0]!.atMs,
    );
  }
}
