/**
 * The actor of a retained row, or of the one turn of a request that keeps nothing: hosts
 * `session.machine.ts`, has prompts prepared on another thread, makes turns of what is asked, and
 * answers it. The row lies in the generation's store.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Cancel, Message, Reply } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { MachineEvent } from '../../runtime/system/machine-event.js';
import type { Checkpoint, Row } from '../../runtime/text/retained-row.js';
import type { SessionChange, TextBody } from '../../http/text-serving.js';
import type { PreparePrompt, SessionAnswer, TextAnswer, TextSubmit } from '../protocol.js';
import { type Context, machine } from './session.machine.js';
import type { SessionHome } from './session-home.js';
import { Turn } from './turn.js';

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

const CANCELLED: StatusRecord = { code: 'cancelled', message: 'the request was cancelled' };

/** A turn and who asked for it. */
interface Asked {
  readonly ask: Message;
  readonly body: TextBody;
  readonly stream: number | null;
  readonly arrivedMs: number;
  /** Answered with the session, not with what was said. */
  readonly isChange: boolean;
  turn: Turn | null;
}

class SessionHost {
  readonly #self: ActorSelf;
  readonly #input: SessionInput;
  readonly #checkpoints = new Map<string, Checkpoint>();
  /** Asks that were cancelled before they were looked at. */
  readonly #cancelled = new Set<string>();
  #asked: Asked | null = null;
  #checkpointed = 0;

  constructor(self: ActorSelf, input: SessionInput) {
    this.#self = self;
    this.#input = input;
  }

  /** What an ask is to the machine. */
  requested(ask: Message): MachineEvent | null {
    const { text } = ask.payload as TextSubmit;
    if (text.op === 'generate') return { type: 'turn.begin' };
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
    const { text } = ask.payload as TextSubmit;
    const arrivedMs = this.#self.now();
    if (text.op === 'generate') {
      const { body, stream } = text;
      this.#asked = { ask, body, stream, arrivedMs, isChange: false, turn: null };
    } else {
      const { change } = text as { change: Extract<SessionChange, { op: 'append' }> };
      const body = appendBody(change, this.#input.id);
      this.#asked = { ask, body, stream: null, arrivedMs, isChange: true, turn: null };
    }
    const prompt: PreparePrompt = { prompt: this.#asked.body.prompt };
    const deadlineMs = ask.deadline ?? Number.MAX_SAFE_INTEGER;
    const { preparer } = this.#input.home;
    this.#self.ask(preparer(), 'prompt.prepare', prompt, { deadlineMs, as: 'prompt' });
  }

  prompted(reply: Reply): MachineEvent {
    if (reply.status !== null) return { type: 'prompt.refused', status: reply.status };
    return { type: 'prompt.ready', ids: reply.value };
  }

  queue(ids: readonly number[]): void {
    const { home, row } = this.#input;
    const asked = this.#asked!;
    try {
      const { requestId } = asked.ask.payload as TextSubmit;
      const turn = new Turn(home.turnOf(asked.body, { ids, requestId }, asked, this.#self.address));
      home.turns.queue(turn, row);
      asked.turn = turn;
      this.#self.tell(this.#self.parent, 'members.offered', {});
    } catch (error) {
      this.#self.tell(this.#self.address, 'turn.failed', { status: toStatus(error) });
    }
  }

  withdraw(): void {
    const { turn } = this.#asked!;
    const isFree = turn === null || this.#input.home.turns.withdraw(turn);
    if (isFree) this.#self.tell(this.#self.address, 'turn.settled', {});
  }

  deliver(): void {
    const { ask, isChange } = this.#asked!;
    if (isChange) return this.#self.reply(ask, this.#described('idle'));
    try {
      this.#self.reply(ask, this.#answer());
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
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
      captured: home.isSequence ? joined(turn.captured) : null,
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
      this.#self.reply(ask, this.#changed(text.change));
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
    this.#over(ask);
  }

  #changed(change: SessionChange): SessionAnswer {
    const { home } = this.#input;
    const row = this.#input.row!;
    const { store } = home;
    switch (change.op) {
      case 'fork': {
        const made = home.hasRoom() ? store.fork(row) : null;
        if (made === null) throw home.noRow();
        return home.open(made);
      }
      case 'rewind':
        this.#checkRewind(change.tokens, row);
        store.rewind(row, change.tokens);
        break;
      case 'checkpoint':
        this.#checkpointed += 1;
        this.#checkpoints.set(`checkpoint-${this.#checkpointed}`, home.turns.rows.checkpoint(row));
        break;
      case 'restore':
        store.restore(row, this.#checkpoint(change.checkpoint));
    }
    return this.describe();
  }

  #checkRewind(tokens: number, row: Row): void {
    if (Number.isInteger(tokens) && tokens >= 0 && tokens <= row.ids.length) return;
    throw new StatusError(
      'failedPrecondition',
      `a rewind to ${tokens} tokens of session ${this.#input.id}, which has ${row.ids.length}`,
      { param: 'tokens' },
    );
  }

  #checkpoint(id: string): Checkpoint {
    const found = this.#checkpoints.get(id);
    if (found !== undefined) return found;
    const known = [...this.#checkpoints.keys()].join(', ') || 'none';
    throw new StatusError(
      'notFound',
      `session ${this.#input.id} has no checkpoint '${id}' (it has ${known})`,
      { param: 'checkpoint' },
    );
  }

  describe(): SessionAnswer {
    return this.#described(this.#asked === null ? 'idle' : 'running');
  }

  #described(state: SessionAnswer['state']): SessionAnswer {
    const { id, row, home } = this.#input;
    return {
      id,
      state,
      tokens: row?.ids.length ?? 0,
      checkpoints: [...this.#checkpoints].map(([name, { ids }]) => ({
        id: name,
        tokens: ids.length,
      })),
      context: home.geometry.context,
    };
  }

  answerClosed(ask: Message): void {
    this.#self.reply(ask, this.describe());
    this.#over(ask);
  }

  startIdle(): void {
    const { row, home } = this.#input;
    if (row === null) return;
    home.turns.rows.rest(row);
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
    const { ask } = this.#asked!;
    this.#asked = null;
    this.#over(ask);
  }

  closeRow(): void {
    const { row, home, id } = this.#input;
    for (const checkpoint of this.#checkpoints.values()) home.turns.rows.dropCheckpoint(checkpoint);
    if (row !== null) home.giveBack(row);
    home.closed(id, this.#self.address);
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Tokens are read, and nothing is said. */
function appendBody(
  { prompt }: Extract<SessionChange, { op: 'append' }>,
  session: string,
): TextBody {
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

const askOf = ({ payload }: Message): Message => (payload as SessionAsk).ask;

export const session = machineActor(
  machine,
  (self: ActorSelf, input: SessionInput): MachineHost => {
    const host = new SessionHost(self, input);
    const failure = (context: unknown): StatusRecord =>
      (context as Context).failure ?? toStatus(new Error('the turn failed without a reason'));
    return {
      input: { isRetained: input.row !== null },
      replies: { prompt: (reply) => host.prompted(reply) },
      messages: {
        'session.ask': (message) => host.requested(askOf(message)),
        cancel: ({ payload }) => host.cancelled(payload as Cancel),
      },
      effects: {
        preparePrompt: (_e, _c, message) => host.prepare(askOf(message)),
        queueTurn: (event) => host.queue(event['ids'] as readonly number[]),
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
