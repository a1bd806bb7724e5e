/** What a session's chart sets going: one turn at a time, its answer, the idle timer, the row. */
import * as assert from 'uvu/assert';
import type { Context } from '../../../actors/serving/session.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { SeededRandom } from '../../../runtime/system/seeded-random.js';
import type { ChartModel, ChartStep } from '../chart-history.js';

/** Who has the turn: the preparer, the generation's table, or nobody. */
type Place = 'preparer' | 'queue' | 'epochs' | 'stall' | 'nobody';

const states: Readonly<Record<Place, readonly [open: string, cancelled: string]>> = {
  preparer: ['preparing', 'abandoning'],
  queue: ['waiting', 'settling'],
  epochs: ['running', 'settling'],
  stall: ['stalled', 'settling'],
  nobody: ['idle', 'idle'],
};
/** What the table may have said before it heard of a cancel. */
const crossing = ['turn.started', 'turn.stalled', 'turn.resumed', 'turn.ended'];
const busy: Readonly<Record<string, string>> = {
  'turn.begin': 'refuseTurn',
  'session.change': 'refuseChange',
  'session.close': 'answerClosed',
};
const failed = { code: 'internal', message: 'the turn failed' };

export class SessionModel implements ChartModel<Context> {
  readonly input: { readonly isRetained: boolean };
  readonly #random: SeededRandom;
  #place: Place = 'nobody';
  #isCancelled = false;
  #isClosing = false;
  #isTimed = false;
  /** Of the turn that runs. */
  #answers = 0;
  #turns = 0;
  #ends = 0;
  #closed = 0;
  #failure: unknown = null;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.input = { isRetained: random.below(3) > 0 };
  }

  facts(): MachineEvent[] {
    const { isRetained } = this.input;
    const status = { ...failed };
    const events = this.#news().map((type): MachineEvent => {
      return type === 'turn.failed' || type === 'prompt.refused' ? { type, status } : { type };
    });
    if (this.#place === 'nobody') {
      if (!isRetained) return this.#turns === 0 ? [{ type: 'turn.begin' }] : [];
      const more = ['turn.begin', 'turn.begin', 'turn.begin', 'session.change', 'session.close'];
      if (this.#isTimed && this.#random.below(3) === 0) more.push('session.expired');
      if (this.#random.below(8) === 0) more.push('session.evicted');
      return more.map((type) => ({ type }));
    }
    const others = isRetained ? Object.keys(busy) : [];
    if (isRetained && this.#random.below(8) === 0) others.push('session.evicted');
    const cancel = this.#random.below(3) === 0 ? ['turn.cancel'] : [];
    return [...events, ...events, ...[...others, ...cancel].map((type) => ({ type }))];
  }

  #news(): string[] {
    if (this.#place === 'preparer') return ['prompt.ready', 'prompt.ready', 'prompt.refused'];
    if (this.#isCancelled) return [...crossing, 'turn.failed', 'turn.settled'];
    switch (this.#place) {
      case 'queue':
        return ['turn.started', 'turn.started', 'turn.started', 'turn.ended', 'turn.failed'];
      case 'epochs':
        return ['turn.stalled', 'turn.stalled', 'turn.ended', 'turn.failed'];
      case 'stall':
        return ['turn.resumed', 'turn.resumed', 'turn.failed'];
      default:
        return [];
    }
  }

  before({ type, ...fact }: MachineEvent): void {
    if (this.#place === 'nobody') return;
    if (type === 'turn.cancel') {
      this.#isCancelled = true;
      return;
    }
    if (type === 'session.close' || type === 'session.evicted') this.#isClosing = true;
    if (type in busy || type === 'session.evicted') return;
    if (this.#isCancelled) {
      if (/^(turn\.settled|prompt\.\w+)$/.test(type)) this.#place = 'nobody';
      return;
    }
    if ('status' in fact) this.#failure = fact['status'];
    if (type === 'turn.started' || type === 'turn.resumed') this.#place = 'epochs';
    else if (type === 'turn.stalled') this.#place = 'stall';
    else this.#place = 'nobody';
  }

  effect(type: string, event: MachineEvent, context: Context): void {
    if (type === 'preparePrompt') {
      this.#place = 'preparer';
      this.#isCancelled = false;
      this.#answers = 0;
      this.#turns += 1;
    }
    if (type === 'queueTurn') this.#place = 'queue';
    if (['deliverTurn', 'replyFailure', 'replyCancelled'].includes(type)) this.#answers += 1;
    if (type === 'replyFailure') assert.is(context.failure, event['status'], 'it is told why');
    if (type === 'startIdle') this.#isTimed = this.input.isRetained;
    if (type === 'cancelIdle') this.#isTimed = false;
    if (type === 'announceTurnEnd') {
      this.#ends += 1;
      assert.is(this.#place, 'nobody', 'nobody has the turn any more');
      assert.is(this.#answers, 1, 'the turn was answered once');
    }
    if (type === 'closeRow') this.#closed += 1;
  }

  check(step: ChartStep, context: Context): void {
    const { event, effects, to } = step;
    const has = (effect: string): boolean => effects.includes(effect);
    assert.is(context.failure, this.#failure, 'why the last turn failed');
    assert.is(context.isClosing, this.#isClosing, 'it was told to close');
    this.#checkAnswer(step);
    const isOver = this.#place === 'nobody';
    assert.is(this.#ends, isOver ? this.#turns : this.#turns - 1, 'every turn is told to end');
    if (event.type === 'prompt.ready' && !this.#isCancelled) assert.ok(has('queueTurn'));
    assert.is(
      has('withdrawTurn'),
      event.type === 'turn.cancel' && to === 'settling' && this.#isNew(step),
    );
    if (to === 'closed') {
      assert.is(this.#closed, 1, 'the row is given back');
      assert.ok(isOver && this.#mayClose(event.type), 'and not before');
      return;
    }
    assert.is(this.#closed, 0);
    assert.is(to, states[this.#place][this.#isCancelled ? 1 : 0]);
    if (isOver) assert.not.ok(this.#turns > 0 && !this.#isKept, 'it is kept');
    assert.is(this.#isTimed, isOver && this.input.isRetained, 'it expires when it is idle only');
  }

  #isNew({ from, to }: ChartStep): boolean {
    return from !== to;
  }

  get #isKept(): boolean {
    return this.input.isRetained && !this.#isClosing;
  }

  #mayClose(type: string): boolean {
    const ends = ['session.close', 'session.expired', 'session.evicted'];
    return !this.#isKept || ends.includes(type);
  }

  /** Who asks something else is answered at once. */
  #checkAnswer({ event: { type }, effects, from }: ChartStep): void {
    const replies = ['refuseTurn', 'refuseChange', 'applyChange', 'answerClosed'];
    const given = effects.filter((effect) => replies.includes(effect));
    const isIdle = from === 'idle';
    if (type === 'session.close') assert.equal(given, ['answerClosed']);
    else if (type === 'session.change') {
      assert.equal(given, [isIdle ? 'applyChange' : 'refuseChange']);
    } else if (type === 'turn.begin') assert.equal(given, isIdle ? [] : ['refuseTurn']);
    else assert.equal(given, []);
    if (type === 'turn.ended' && from !== 'settling') assert.ok(effects.includes('deliverTurn'));
    if (type === 'turn.begin' && isIdle) assert.ok(effects.includes('preparePrompt'));
  }

  end(state: string): void {
    const { isRetained } = this.input;
    if (!isRetained && this.#place === 'nobody')
      assert.is(state, 'closed', 'it ends with its turn');
  }
}
