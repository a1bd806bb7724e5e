/**
 * The actor of a retained row, or of the one turn of a request that keeps nothing: hosts
 * `session.machine.ts`, has prompts prepared on another thread, makes turns of what is asked, and
 * answers it. The row lies in the generation's store.
 */
import { toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Cancel, Message, Reply } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { Prompt } from '../../runtime/profiles/text.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { RowImage } from '../../runtime/text/row-image.js';
import type { SessionChange, TextBody } from '../../http/text-serving.js';
import type {
  PreparedPrompt,
  PreparePrompt,
  SessionAnswer,
  TextAnswer,
  TextSubmit,
} from '../protocol.js';
import { KeptRow } from './kept-row.js';
import { RowCopy } from './row-copy.js';
import { type Context, machine } from './session.machine.js';
import type { SessionHome } from './session-home.js';
import { Turn, type TurnDetails } from './turn.js';

export interface SessionInput {
  /** As clients name it; empty for the one turn of a request. */
  readonly id: string;
  /** Null for the one turn of a request: it gets a row when one is free. */
  readonly row: Row | null;
  readonly home: SessionHome;
}

/** 'session.ask': an ask that was handed over to the session. */
export interface SessionAsk {
  readonly ask: Message;
}

/** What it tells of itself to who asks why it waits. */
export interface SessionDetails {
  /** Null between turns. */
  readonly requestId: string | null;
  readonly model: string;
  readonly preparer: string;
  readonly turn: TurnDetails | null;
}

/** 'prompt.ready': what the turn is to read, or of a copy what was kept. */
interface PromptReady {
  readonly prompt?: PreparedPrompt;
  readonly image?: RowImage;
}

const CANCELLED: StatusRecord = { code: 'cancelled', message: 'the request was cancelled' };

/** A turn and who asked for it. */
interface Asked {
  readonly ask: Message;
  readonly body: TextBody;
  /** Instead of a turn: its row is kept, or filled with what was kept. */
  readonly copy: RowCopy | null;
  readonly stream: number | null;
  readonly arrivedMs: number;
  /** Answered with the session, not with what was said. */
  readonly isChange: boolean;
  turn: Turn | null;
}

class SessionHost {
  readonly #self: ActorSelf;
  readonly #input: SessionInput;
  readonly #kept: KeptRow;
  /** Asks that were cancelled before they were looked at. */
  readonly #cancelled = new Set<string>();
  #asked: Asked | null = null;
  /** Something was answered. */
  #isKnown = false;

  constructor(self: ActorSelf, input: SessionInput) {
    this.#self = self;
    this.#input = input;
    this.#kept = new KeptRow(input);
    if (input.row !== null) input.home.sessions.set(input.id, () => this.describe());
  }

  /** What an ask is to the machine. */
  requested(ask: Message): MachineEvent | null {
    const { text } = ask.payload as TextSubmit;
    if (text.op === 'generate' || text.op === 'save' || text.op === 'open') {
      return { type: 'turn.begin' };
    }
    if (text.op !== 'change') {
      this.#self.reply(ask, this.describe());
      this.#over(ask);
      return null;
    }
    if (text.change.op === 'close') return { type: 'session.close' };
    return { type: text.change.op === 'append' ? 'turn.begin' : 'session.change' };
  }

  /** A cancel overtakes the ask that it is of; one that is late is of no turn. */
  cancelled({ correlation }: Cancel): MachineEvent | null {
    if (this.#asked?.ask.id === correlation) return { type: 'turn.cancel' };
    if (this.#input.home.isOpen(correlation)) this.#cancelled.add(correlation);
    return null;
  }

  prepare(ask: Message): void {
    if (this.#cancelled.has(ask.id)) this.#self.tell(this.#self.address, 'turn.cancel', {});
    this.#asked = this.#askedOf(ask);
    if (this.#asked.copy !== null) return this.#asked.copy.prepare();
    const held = this.#input.row?.ids.length ?? 0;
    const { prompt: asked, hasTools: wantsForm } = this.#asked.body;
    const prompt: PreparePrompt = { prompt: asked, held, wantsForm };
    const deadlineMs = ask.deadline ?? Number.MAX_SAFE_INTEGER;
    const { preparer } = this.#input.home;
    this.#self.ask(preparer(), 'prompt.prepare', prompt, { deadlineMs, as: 'prompt' });
  }

  #askedOf(ask: Message): Asked {
    const { text } = ask.payload as TextSubmit;
    const { row, home } = this.#input;
    const shared = { ask, arrivedMs: this.#self.now(), stream: null, copy: null, turn: null };
    if (text.op === 'generate') {
      const { body, stream } = text;
      return { ...shared, body, stream, isChange: false };
    }
    if (text.op === 'change') {
      const { prompt } = text.change as Extract<SessionChange, { op: 'append' }>;
      return { ...shared, body: silentBody(prompt, this.#input.id), isChange: true };
    }
    const copy = new RowCopy(this.#self, { home, row: row! }, ask);
    return { ...shared, body: silentBody(nothing, this.#input.id), copy, isChange: true };
  }

  /** What becomes of the row's copy; of none that is under way, nothing. */
  copied(event: (copy: RowCopy) => MachineEvent | null): MachineEvent | null {
    const copy = this.#asked?.copy ?? null;
    return copy === null ? null : event(copy);
  }

  prompted(reply: Reply): MachineEvent {
    if (reply.status !== null) return { type: 'prompt.refused', status: reply.status };
    return { type: 'prompt.ready', prompt: reply.value };
  }

  queue({ prompt, image }: PromptReady): void {
    const { home, row } = this.#input;
    const asked = this.#asked!;
    try {
      this.#kept.check();
      if (asked.copy !== null) return asked.copy.queue(image ?? null);
      const { requestId } = asked.ask.payload as TextSubmit;
      const held = row?.ids.length ?? 0;
      const given = { requestId, held, ...prompt! };
      const turn = new Turn(home.turnOf(asked.body, given, asked, this.#self.address));
      home.turns.queue(turn, row);
      asked.turn = turn;
      this.#self.tell(this.#self.parent, 'members.offered', {});
    } catch (error) {
      this.#self.tell(this.#self.address, 'turn.failed', { status: toStatus(error) });
    }
  }

  withdraw(): void {
    const { turn, copy } = this.#asked!;
    const isFree = copy?.withdraw() ?? (turn === null || this.#input.home.turns.withdraw(turn));
    if (isFree) this.#self.tell(this.#self.address, 'turn.settled', {});
  }

  deliver(): void {
    const { ask, isChange, copy } = this.#asked!;
    this.#isKnown = true;
    const saved = copy?.saved ?? null;
    if (saved !== null) {
      return this.#self.reply(ask, saved, { transfer: [saved.image.buffer as ArrayBuffer] });
    }
    if (isChange) return this.#self.reply(ask, this.#changedBy(this.#asked!));
    try {
      this.#self.reply(ask, this.#answer());
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
  }

  /** An append to a sequence is answered with its output, too. */
  #changedBy({ turn }: Asked): SessionAnswer {
    const state = this.#kept.describe('idle');
    const isOutput = this.#input.home.isSequence && turn !== null;
    return isOutput ? { ...state, captured: turn.output } : state;
  }

  #answer(): TextAnswer {
    const { turn: made, body, arrivedMs } = this.#asked!;
    const turn = made!;
    const { home } = this.#input;
    const begunMs = turn.startedMs;
    const spokeMs = turn.firstTokenMs || turn.endedMs;
    return {
      generation: home.generation,
      finish: turn.finish!,
      promptTokens: turn.input.prompt.length,
      cachedTokens: turn.cached,
      outputTokens: turn.outputs.length,
      drafted: turn.drafted,
      accepted: turn.accepted,
      chat: body.hasTools && home.control.hasChat ? home.control.answerChat(turn.text) : null,
      captured: home.isSequence ? turn.output : null,
      timings: {
        queueMs: begunMs - arrivedMs,
        promptMs: spokeMs - begunMs,
        generateMs: turn.endedMs - spokeMs,
      },
      deltas: turn.sent,
    };
  }

  refuse(ask: Message, what: string): void {
    this.#self.replyError(ask, {
      code: 'failedPrecondition',
      message: `session ${this.#input.id} is in the middle of a turn; ${what} when that is over`,
      retryAfterS: 1,
    });
    this.#over(ask);
  }

  /** Answered: the generation need not wait for it. */
  #over({ id }: Message): void {
    this.#cancelled.delete(id);
    this.#input.home.ended(id);
    this.#self.tell(this.#self.parent, 'request.ended', {});
  }

  fail(status: StatusRecord): void {
    this.#self.replyError(this.#asked!.ask, status);
  }

  change(ask: Message): void {
    const { text } = ask.payload as { text: { change: SessionChange } };
    try {
      this.#self.reply(ask, this.#kept.change(text.change));
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
    this.#over(ask);
  }

  describe(): SessionAnswer {
    return this.#kept.describe(this.#asked === null ? 'idle' : 'running');
  }

  answerClosed(ask: Message): void {
    this.#self.reply(ask, this.describe());
    this.#over(ask);
  }

  details(): SessionDetails {
    const { home } = this.#input;
    const asked = this.#asked;
    return {
      requestId: asked === null ? null : (asked.ask.payload as TextSubmit).requestId,
      model: home.model,
      preparer: home.preparer(),
      turn: asked?.turn?.details() ?? null,
    };
  }

  startIdle(): void {
    const { row, home } = this.#input;
    if (row === null) return;
    home.turns.rows.rest(row, this.#self.address);
    this.#self.startTimer('idle', home.idleMs, 'session.expired');
  }

  cancelIdle(): void {
    this.#self.cancelTimer('idle');
  }

  endTurn(): void {
    const { row } = this.#input;
    // The row of a request that keeps nothing goes with its turn.
    const used = this.#asked?.turn?.row ?? null;
    if (row === null && used !== null) this.#input.home.giveBack(used);
    const { ask, copy } = this.#asked!;
    this.#asked = null;
    // Nobody knows the id of a session whose opening failed.
    if (copy?.opensSession === true && !this.#isKnown) {
      this.#self.tell(this.#self.address, 'session.expired', {});
    }
    this.#over(ask);
  }

  closeRow(): void {
    const { row, home, id } = this.#input;
    this.#kept.dropCheckpoints();
    home.sessions.delete(id);
    if (row !== null) home.giveBack(row);
    home.closed(id, this.#self.address);
  }
}

const askOf = ({ payload }: Message): Message => (payload as SessionAsk).ask;

const nothing: Prompt = { kind: 'tokens', ids: [] };

/** Tokens are read, and nothing is said. */
function silentBody(prompt: Prompt, session: string): TextBody {
  return {
    prompt,
    session,
    maxTokens: 0,
    stop: [],
    sampling: {},
    grammar: null,
    hasTools: false,
  };
}

export const session = machineActor(
  machine,
  (self: ActorSelf, input: SessionInput): MachineHost => {
    const host = new SessionHost(self, input);
    const failure = (context: unknown): StatusRecord =>
      (context as Context).failure ?? toStatus(new Error('the turn failed without a reason'));
    return {
      input: { isRetained: input.row !== null },
      details: () => host.details(),
      replies: {
        prompt: (reply) => host.prompted(reply),
        'image.read': (reply) => host.copied((copy) => copy.checked(reply)),
        'image.write': (reply) => host.copied((copy) => copy.written(reply)),
      },
      messages: {
        'session.ask': (message) => host.requested(askOf(message)),
        cancel: ({ payload }) => host.cancelled(payload as Cancel),
        'row.read': ({ payload }) =>
          host.copied((copy) => copy.read((payload as { bytes: Uint8Array }).bytes)),
        'row.written': () => host.copied((copy) => copy.ended(null)),
        'row.failed': ({ payload }) =>
          host.copied((copy) => copy.ended((payload as { status: StatusRecord }).status)),
      },
      effects: {
        preparePrompt: (_e, _c, message) => host.prepare(askOf(message)),
        queueTurn: (event) => host.queue(event as PromptReady),
        withdrawTurn: () => host.withdraw(),
        deliverTurn: () => host.deliver(),
        replyFailure: (_, context) => host.fail(failure(context)),
        replyCancelled: () => host.fail(CANCELLED),
        refuseTurn: (_e, _c, message) => host.refuse(askOf(message), 'take the next turn'),
        refuseChange: (_e, _c, message) => host.refuse(askOf(message), 'change it'),
        applyChange: (_e, _c, message) => host.change(askOf(message)),
        answerClosed: (_e, _c, message) => host.answerClosed(askOf(message)),
        startIdle: () => host.startIdle(),
        cancelIdle: () => host.cancelIdle(),
        announceTurnEnd: () => host.endTurn(),
        closeRow: () => host.closeRow(),
      },
    };
  },
);
