/**
 * The laws that readers can check, over their history: I6 (what is said is what the oracle says of
 * the row's ids alone, whatever shared its epochs), I12 (one terminal), C (a cancel is answered at
 * once), H (who reads is not held up by who does not: I11), E (an error is explained).
 */
import type { TextAnswer } from '../../actors/protocol.js';
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { HistoryContext } from './command-laws.js';
import { CONTEXT, saidAfter } from './text-package.js';
import type { TextEvent, TextTraffic } from './text-traffic.js';
import { PATIENCE_MS } from './traffic.js';

const END = 256;
/** Deltas on the way to a reader that does not read; the last two may come together. */
const HELD_MAX = 33;

/** A turn that ends so may never have met its session, which grows idle then. */
const mayHaveMissed: ReadonlySet<string> = new Set(['gone', 'cancelled', 'deadlineExceeded']);

export class TextHistoryLaws {
  readonly #context: HistoryContext;
  readonly #traffic: TextTraffic;
  readonly #idleMs: number;

  constructor(context: HistoryContext, traffic: TextTraffic, idleMs: number) {
    this.#context = context;
    this.#traffic = traffic;
    this.#idleMs = idleMs;
  }

  check(): void {
    const { history, streams } = this.#traffic;
    for (const event of history) this.#checkEvent(event);
    if (streams.heldMost <= HELD_MAX) return;
    this.#context.report.add('I11', `${streams.heldMost} deltas are held for one reader`);
  }

  #add(law: string, { op, session, correlation, sentMs }: TextEvent, detail: string): void {
    this.#context.report.add(law, `${correlation} ${op} ${session} at ${sentMs}: ${detail}`);
  }

  #checkEvent(event: TextEvent): void {
    const { replies } = event;
    if (replies.length !== 1) return this.#add('I12', event, `${replies.length} terminals`);
    const [{ reply, atMs }] = replies as [TextEvent['replies'][number]];
    const lateMs = atMs - event.leftMs;
    const { losses } = this.#context;
    const isLost =
      losses.any('clock') || (reply.outcome !== 'value' && losses.any('driver', 'thread'));
    if (lateMs > 3 * this.#context.travelMs && !isLost) {
      this.#add('C', event, `${reply.outcome} arrives ${lateMs.toFixed(1)} ms after it left`);
    }
    if (reply.outcome === 'timeout') this.#checkTimeout(event);
    else if (reply.outcome === 'value') {
      if (event.op === 'generate') this.#checkSaid(event, reply.value as TextAnswer);
    } else this.#checkError(event, reply.status!);
    if (event.stream !== null) this.#checkStream(event);
  }

  #checkTimeout(event: TextEvent): void {
    const { sentMs, deadlineMs, replies } = event;
    if (deadlineMs >= sentMs + PATIENCE_MS) this.#add('H', event, 'nobody answers it');
    else if (replies[0]!.atMs < deadlineMs) this.#add('H', event, 'it times out early');
  }

  /** All that the turn says, if nobody cuts it short. */
  #whole({ before, prompt, step }: TextEvent): readonly number[] {
    const ids = [...before, ...prompt];
    return saidAfter(ids).slice(0, Math.min(step!.maxTokens ?? CONTEXT, CONTEXT));
  }

  #checkSaid(event: TextEvent, answer: TextAnswer): void {
    const whole = this.#whole(event);
    const { outputTokens, finish, promptTokens, cachedTokens } = answer;
    if (outputTokens !== whole.length) {
      this.#add('I6', event, `${outputTokens} tokens, alone ${whole.length}`);
    }
    const due = whole.at(-1) === END ? 'stop' : 'length';
    if (finish !== due) this.#add('I6', event, `it ends by ${finish}, alone by ${due}`);
    const { prompt, before } = event;
    if (promptTokens !== prompt.length || cachedTokens > before.length + prompt.length) {
      this.#add('I6', event, `${promptTokens} tokens of prompt, ${cachedTokens} of them cached`);
    }
  }

  /** What was said: all of it with an answer, the beginning of it without. */
  #checkStream(event: TextEvent): void {
    const { tokens } = this.#traffic.streams.said(event.stream!);
    const whole = this.#whole(event).filter((id) => id !== END);
    const isWhole = event.replies[0]!.reply.outcome === 'value';
    const due = isWhole ? whole : whole.slice(0, tokens.length);
    if (tokens.length !== due.length || due.some((id, i) => id !== tokens[i])) {
      this.#add('I6', event, `it says ${tokens.join(' ')}, alone ${due.join(' ')}`);
    }
  }

  #checkError(event: TextEvent, status: StatusRecord): void {
    const { code, message } = status;
    const { step, prompt, before, session } = event;
    const room = session === null ? CONTEXT : CONTEXT - before.length;
    if (code === 'cancelled' && event.leftMs < Infinity) return;
    const isLate = event.replies[0]!.atMs >= event.deadlineMs;
    if ((code === 'cancelled' || code === 'deadlineExceeded') && isLate) return;
    if (code === 'invalidArgument' && before.length + prompt.length === 0) return;
    const said = step === null || event.op !== 'generate' ? 0 : (step.maxTokens ?? 1);
    if (code === 'outOfRange' && prompt.length + said > room) return;
    if (code === 'failedPrecondition' && session !== null && this.#isCrowded(event)) return;
    if (code === 'resourceExhausted') {
      if (this.#isFull(event, message)) return;
      if (message.includes('--memory') && this.#context.losses.any('memory')) return;
    }
    if (code === 'internal' && message.includes('the device failed')) {
      if (this.#context.losses.any('command')) return;
    }
    if (code === 'gone' && this.#isGone(event)) return;
    if ((code === 'unavailable' || code === 'notFound' || code === 'gone') && this.#isDown(event)) {
      return;
    }
    this.#add('E', event, `${code}: ${message}`);
  }

  /** Another caller of the session was not answered when this one came. */
  #isCrowded({ session, sentMs, replies }: TextEvent): boolean {
    return this.#traffic.history.some((other) => {
      const [answer] = other.replies;
      const isMet = other.sentMs <= replies[0]!.atMs && (answer?.atMs ?? Infinity) >= sentMs;
      return other.session === session && isMet;
    });
  }

  #isFull({ op }: TextEvent, message: string): boolean {
    if (message.includes('--max-queue')) return true;
    return (op === 'open' || op === 'fork') && message.includes('all rows');
  }

  /** It was closed by its client, or was idle for too long. */
  #isGone({ session, sentMs, replies }: TextEvent): boolean {
    const uses = this.#traffic.history.filter((other) => other.session === session);
    const isClosed = uses.some(({ op, sentMs: at }) => op === 'close' && at <= replies[0]!.atMs);
    const turns = uses.filter(({ op, sentMs: at, replies: [answer] }) => {
      const isTurn = op === 'generate' || op === 'append';
      return isTurn && at < sentMs && !mayHaveMissed.has(answer?.reply.status?.code ?? '');
    });
    const { atMs } = replies[0]!;
    const last = turns.at(-1);
    const isIdle = atMs - (last?.replies[0]?.atMs ?? 0) > this.#idleMs / 2;
    // While all stand still an answer is not heard, and the session that gave it grows idle.
    const hasStood = this.#context.losses.stoodStill(last?.sentMs ?? 0, atMs);
    return isClosed || isIdle || hasStood;
  }

  /** The model was not there, has changed, or something was lost. */
  #isDown({ sentMs, replies, session, model }: TextEvent): boolean {
    if (this.#context.losses.any('driver', 'thread')) return true;
    const { history } = this.#context;
    const [answer] = replies;
    const changes = history.filter(({ step, sentMs: at }) => {
      const isIts = step.kind === 'register' || step.kind === 'unregister';
      return at <= answer!.atMs && (step.kind === 'drain' || (isIts && step.model === model));
    });
    const serving = changes.find(
      ({ step, replies: [ready] }) => step.kind === 'register' && ready?.reply.outcome === 'value',
    );
    const isNew = serving === undefined || serving.replies[0]!.atMs > sentMs;
    // A replacement takes sessions away, and requests never.
    const others = changes.filter(({ step }) => session !== null || step.kind !== 'register');
    return isNew || others.length > (session === null ? 0 : 1);
  }
}
