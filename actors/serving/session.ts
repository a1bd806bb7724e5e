/**
 * The actor of a retained row, or of the one turn of a request that keeps nothing: hosts
 * `session.machine.ts`, has prompts prepared on another thread, makes turns of what is asked, and
 * answers it. The row lies in the generation's store.
 */
import { StatusError, toStatus, type StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
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
  #asked: Asked | null = null;
  #checkpointed = 0;

  constructor(self: ActorSelf, input: SessionInput) {
    this.#self = self;
    this.#input = input;
  }

  /** What a forwarded request is to the machine. */
  requested(message: Message): MachineEvent | null {
    const { text } = message.payload as TextSubmit;
    if (text.op === 'generate') return { type: 'turn.begin' };
    if (text.op !== 'change') {
      this.#self.reply(message, this.describe());
      return null;
    }
    if (text.change.op === 'close') return { type: 'session.close' };
    return { type: text.change.op === 'append' ? 'turn.begin' : 'session.change' };
  }

  prepare(ask: Message): void {
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
  }

  /** Counted by the generation, and no turn: over at once. */
  refuseTurn(ask: Message): void {
    this.refuse(ask, 'take the next turn');
    this.#self.tell(this.#self.parent, 'request.ended', { request: '' });
  }

  fail(status: StatusRecord): void {
    this.#self.replyError(this.#asked!.ask, status);
  }

  cancelled(): void {
    this.fail(CANCELLED);
  }

  change(ask: Message): void {
    const { text } = ask.payload as { text: { change: SessionChange } };
    try {
      this.#self.reply(ask, this.#changed(text.change));
    } catch (error) {
      this.#self.replyError(ask, toStatus(error));
    }
  }

  #changed(change: SessionChange): SessionAnswer {
    const { home } = this.#input;
    const row = this.#input.row!;
    const { store } = home;
    switch (change.op) {
      case 'fork': {
        const made = store.fork(row);
        if (made === null) throw home.noRow();
        return home.open(made);
      }
      case 'rewind':
        this.#checkRewind(change.tokens, row);
        store.rewind(row, change.tokens);
        break;
      case 'checkpoint':
        this.#checkpointed += 1;
        this.#checkpoints.set(`checkpoint-${this.#checkpointed}`, store.checkpoint(row));
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
    if (ask.role === 'ask') this.#self.reply(ask, this.describe());
  }

  startIdle(): void {
    const { row, home } = this.#input;
    if (row === null) return;
    home.turns.rest(row);
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
    this.#asked = null;
    this.#self.tell(this.#self.parent, 'request.ended', { request: this.#self.address });
  }

  closeRow(): void {
    const { row, home, id } = this.#input;
    for (const checkpoint of this.#checkpoints.values()) home.store.dropCheckpoint(checkpoint);
    if (row !== null) home.giveBack(row);
    if (id !== '') home.closed(id);
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
        'request.submit': (message) => host.requested(message),
        cancel: () => ({ type: 'turn.cancel' }),
      },
      effects: {
        preparePrompt: (_e, _c, message) => host.prepare(message),
        queueTurn: (event) => host.queue(event['ids'] as readonly number[]),
        withdrawTurn: () => host.withdraw(),
        deliverTurn: () => host.deliver(),
        replyFailure: (_, context) => host.fail(failure(context)),
        replyCancelled: () => host.cancelled(),
        refuseTurn: (_e, _c, message) => host.refuseTurn(message),
        refuseChange: (_e, _c, message) => host.refuse(message, 'change it'),
        applyChange: (_e, _c, message) => host.change(message),
        answerClosed: (_e, _c, message) => host.answerClosed(message),
        startIdle: () => host.startIdle(),
        cancelIdle: () => host.cancelIdle(),
        announceTurnEnd: () => host.endTurn(),
        closeRow: () => host.closeRow(),
      },
    };
  },
);
