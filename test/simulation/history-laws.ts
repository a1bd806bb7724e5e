/**
 * The laws that a caller can check, over the history of a run: I6 (a row equals the isolated
 * oracle, bit for bit), I12 (exactly one terminal), H (nobody waits for ever), V (a request sent
 * after a registration was answered is served by that version or a later one), E (an error is
 * explained by the input, by what the caller did, or by what was lost).
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { Reply } from '../../runtime/system/envelope.js';
import type { LostThing } from './losses.js';
import { CommandLaws, isReady, nameOf, type HistoryContext } from './command-laws.js';
import { expected, failureOf, kindOf } from './tiny-package.js';
import { PATIENCE_MS, rowsOf, type Call, type Event, type Registration } from './traffic.js';

export class HistoryLaws {
  readonly #context: HistoryContext;
  readonly #commands: CommandLaws;

  constructor(context: HistoryContext) {
    this.#context = context;
    this.#commands = new CommandLaws(context);
  }

  check(): void {
    for (const event of this.#context.history) this.#checkEvent(event);
  }

  #add(law: string, event: Event, detail: string): void {
    this.#context.report.add(law, `${nameOf(event)}: ${detail}`);
  }

  #checkEvent(event: Event): void {
    const { step, replies } = event;
    if (replies.length !== 1) {
      this.#add('I12', event, `${replies.length} terminals`);
      return;
    }
    const { reply } = replies[0]!;
    if (step.kind === 'call') this.#checkLeft(event);
    if (reply.outcome === 'timeout') this.#checkTimeout(event);
    else if (step.kind === 'call') {
      if (reply.outcome === 'value') this.#checkValue(event, step, reply);
      else this.#checkError(event, step, reply);
    } else this.#commands.check(event, reply);
  }

  #checkTimeout(event: Event): void {
    const { step, replies } = event;
    const deadlineMs = step.kind === 'call' ? step.deadlineMs : event.sentMs + PATIENCE_MS;
    const isHurried = deadlineMs < event.sentMs + PATIENCE_MS / 2;
    if (!isHurried) this.#add('H', event, 'nobody answers it');
    else if (replies[0]!.atMs < deadlineMs) this.#add('H', event, 'it times out early');
  }

  /** The cancel is on its way, then whatever was published before it came. */
  #checkLeft(event: Event): void {
    const [{ atMs, reply }] = event.replies as [Event['replies'][number]];
    const lateMs = atMs - event.leftMs;
    if (lateMs <= 3 * this.#context.travelMs || this.#lost('clock')) return;
    if (reply.outcome !== 'value' && this.#lost('driver', 'thread')) return;
    this.#add('C', event, `${reply.outcome} arrives ${lateMs.toFixed(1)} ms after it left`);
  }

  #checkValue(event: Event, call: Call, reply: Reply): void {
    if (call.asked === undefined) this.#checkRows(event, call, reply);
    else {
      const fault = call.asked.fault(reply.value);
      if (fault !== null) this.#add('I6', event, fault);
    }
  }

  #checkRows(event: Event, call: Call, reply: Reply): void {
    const rows = rowsOf(reply);
    const versions = new Set(rows.map(([version]) => version!));
    if (rows.length !== call.inputs.length || versions.size !== 1) {
      this.#add('I6', event, `${rows.length} rows of versions ${[...versions].join(', ')}`);
      return;
    }
    const [version] = versions;
    call.inputs.forEach((text, i) => {
      const want = expected(text, call.model, version!);
      const [, ...got] = rows[i]!;
      if (want === 'fails' || want.length !== got.length || want.some((v, k) => v !== got[k])) {
        this.#add('I6', event, `row ${i} is ${got.join(' ')}, alone it is ${String(want)}`);
      }
    });
    const known = this.#registrations(call.model);
    const least = known.findLast(
      ({ step: { version: of }, replies: [answer] }) =>
        answer?.reply.outcome === 'value' &&
        (answer.reply.value as { location?: { base: string } }).location?.base ===
          `${call.model}/${of}` &&
        answer.atMs <= event.sentMs,
    );
    const at = known.findIndex(({ step }) => step.version === version);
    const from = least === undefined ? 0 : known.indexOf(least);
    if (at < from || known[at]!.sentMs > event.replies[0]!.atMs) {
      this.#add('V', event, `version ${version} answers, ${known[from]?.step.version} is due`);
    }
  }

  #registrations(model: string): (Event & { readonly step: Registration })[] {
    return this.#context.history.filter(
      (event): event is Event & { readonly step: Registration } =>
        event.step.kind === 'register' && event.step.model === model,
    );
  }

  #checkError(event: Event, call: Call, reply: Reply): void {
    const status = reply.status!;
    const { code, message } = status;
    if (call.inputs.some((text) => failureOf(text) === code)) return;
    if (code === 'cancelled' && event.leftMs < Infinity) return;
    const isLate = event.replies[0]!.atMs >= call.deadlineMs;
    if ((code === 'deadlineExceeded' || code === 'cancelled') && isLate) return;
    if (code === 'resourceExhausted') {
      if (message.includes('--max-queue')) return;
      const isShort = this.#context.isTight || this.#lost('memory');
      if (message.includes('--memory') && isShort) return;
    }
    if (code === 'internal' && message.includes('the device failed') && this.#lost('command'))
      return;
    if (this.#isUnread(call, status)) return;
    if (code === 'unavailable' || code === 'notFound') {
      this.#checkDown(event, status);
      return;
    }
    this.#add('E', event, `${reply.outcome} ${code}: ${message}`);
  }

  /** A read for this very model failed, for its bank or for its letters. */
  #isUnread({ model }: Call, { message }: StatusRecord): boolean {
    if (!message.includes('a checkpoint cannot be read') || !this.#lost('read')) return false;
    const bank = / of (\w+) could not be activated/.exec(message);
    return bank === null ? kindOf(model) === 'packed' : bank[1] === model;
  }

  /** The model was not there, or something was lost. */
  #checkDown(event: Event, { code, message }: StatusRecord): void {
    if (this.#lost('driver', 'thread') || !isReady(this.#context.history, event.sentMs)) return;
    const { model } = event.step;
    const [answer] = event.replies;
    // What was accepted before a removal or a drain finishes, unless the drain's time is up.
    const isExplained = this.#context.history.some(({ step, sentMs }) => {
      const isBefore = sentMs <= event.sentMs;
      if (step.kind === 'unregister') return step.model === model && isBefore;
      return step.kind === 'drain' && (isBefore || sentMs + step.boundMs <= answer!.atMs);
    });
    const serving = this.#registrations(model).some(
      ({ replies: [ready] }) => ready?.reply.outcome === 'value' && ready.atMs <= event.sentMs,
    );
    if (isExplained || !serving) return;
    this.#add('E', event, `${code} though ${model} serves: ${message}`);
  }

  #lost(...things: readonly LostThing[]): boolean {
    return this.#context.losses.any(...things);
  }
}
