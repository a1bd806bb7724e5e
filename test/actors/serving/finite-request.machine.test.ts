/** The chart of a finite request in random histories: each member has one end, so has the call. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { finiteRequest } from '../../../actors/serving/finite-request.js';
import type { Context } from '../../../actors/serving/finite-request.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

const status = { code: 'invalidArgument', message: 'a member is at fault' };

class RequestModel implements ChartModel<Context> {
  readonly input: { readonly members: number; readonly isPrepared: boolean };
  #isPreparing = false;
  /** Members by where they are; delivered ones are in none. */
  #queued = 0;
  #inCohorts = 0;
  #rows = 0;
  #isCancelled = false;
  #isWithdrawn = false;
  #failure: unknown = null;
  #isDelivered = false;
  #replies = 0;

  constructor(members: number, isPrepared: boolean) {
    this.input = { members, isPrepared };
  }

  facts(): MachineEvent[] {
    const facts: MachineEvent[] = [{ type: 'request.cancel' }];
    if (this.#isPreparing) {
      const prepared = { type: 'members.prepared' };
      facts.push(prepared, prepared, prepared, { type: 'members.refused', status });
    }
    for (let i = 0; i < this.#queued; i++) {
      const joined = { type: 'member.joined', member: 0 };
      facts.push(joined, joined);
    }
    if (this.#isWithdrawn && this.#queued > 0) {
      facts.push({ type: 'members.dropped', count: this.#queued });
    }
    for (let i = 0; i < this.#inCohorts; i++) {
      const collected = { type: 'member.collected', member: 0, failure: null };
      facts.push(collected, collected, { ...collected, failure: status });
      facts.push({ type: 'member.returned', member: 0 });
    }
    return facts;
  }

  before({ type, ...fact }: MachineEvent): void {
    const { failure, count } = fact as { failure?: unknown; count?: number };
    if (type === 'request.cancel') this.#isCancelled = true;
    if (type.startsWith('members.') && type !== 'members.dropped') this.#isPreparing = false;
    if (type === 'members.refused' && !this.#isCancelled) this.#failure = status;
    if (type === 'members.dropped') this.#queued -= count!;
    if (type === 'member.joined') this.#queued -= 1;
    if (type === 'member.joined') this.#inCohorts += 1;
    if (type === 'member.returned' || type === 'member.collected') this.#inCohorts -= 1;
    if (failure && !this.#isCancelled) this.#failure = failure;
  }

  effect(type: string): void {
    if (type === 'prepareMembers') this.#isPreparing = !this.input.isPrepared;
    if (type === 'offerMembers') this.#queued = this.input.members;
    if (type === 'offerAlone') this.#queued += 1;
    if (type === 'withdrawMembers') this.#isWithdrawn = true;
    if (type === 'keepRows') this.#rows += 1;
    if (type === 'deliverRows') {
      assert.is(this.#rows, this.input.members, 'all its rows');
      assert.not(this.#isCancelled, 'nothing is published after a cancel');
      this.#isDelivered = true;
    }
    if (type === 'deliverRows' || type.startsWith('reply')) this.#replies += 1;
  }

  check({ event: { type, ...fact }, effects, from, to }: ChartStep, _context: Context): void {
    const has = (effect: string): boolean => effects.includes(effect);
    const isWanted = !this.#isCancelled && this.#failure === null;
    if (type === 'members.prepared') assert.is(has('offerMembers'), isWanted);
    if (type === 'member.returned') assert.is(has('offerAlone'), isWanted, 'tried again, alone');
    const hasRow = type === 'member.collected' && !(fact as { failure?: unknown }).failure;
    if (hasRow) assert.is(has('keepRows'), isWanted);
    if (!isWanted && this.#queued > 0) assert.ok(this.#isWithdrawn, 'what waits is withdrawn');
    // The caller need not wait for what must retire first.
    const isCancel =
      type === 'request.cancel' && ['preparing', 'waiting', 'inCohort'].includes(from);
    assert.is(has('replyCancelled'), isCancel, 'a cancel is answered at once');
    const isFirst = this.#failure !== null && from !== 'settling' && !this.#isCancelled;
    if (isFirst) assert.ok(has('replyFailure'), 'a failure is answered at once');
    const open = this.#queued + this.#inCohorts + (this.#isPreparing ? 1 : 0);
    const isServed = to === 'waiting' || to === 'inCohort';
    if (isServed) assert.is(to, this.#inCohorts === 0 ? 'waiting' : 'inCohort', 'where they are');
    const isOver = ['done', 'cancelled', 'failed'].includes(to);
    if (isOver) assert.is(open, 0, 'every member has its end');
    assert.is(has('announceEnd'), isOver);
    if (open > 0) return;
    // Nothing may come any more.
    const end = this.#failure !== null ? 'failed' : this.#isDelivered ? 'done' : 'cancelled';
    assert.is(to, end);
  }

  end(state: string): void {
    if (['done', 'cancelled', 'failed'].includes(state)) assert.is(this.#replies, 1, 'one answer');
  }
}

test('three thousand histories: every member and the call have one end each', () => {
  const reached = runHistories({
    table: finiteRequest.table,
    model: (random) => new RequestModel(1 + random.below(4), random.below(2) === 0),
    histories: 3_000,
    stepsMax: 200,
  });
  for (const state of ['abandoning', 'settling', 'done', 'cancelled', 'failed']) {
    assert.ok((reached.get(state) ?? 0) > 100, state);
  }
});

test.run();
