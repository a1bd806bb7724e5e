/**
 * The chart of a cohort in random histories: its members are collected, failed or returned once,
 * and what it borrowed goes back.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cohort } from '../../../actors/serving/cohort.js';
import type { Context } from '../../../actors/serving/cohort.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

const fault = { code: 'invalidArgument', message: 'a member is at fault' };
const gone = { code: 'unavailable', message: 'the device is gone' };

class CohortModel implements ChartModel<Context> {
  readonly input: { readonly members: number };
  #phase: 'preparing' | 'specializing' | 'submitted' | 'accepted' | 'none' = 'none';
  /** Stages that were declared and not decided; leases that it holds. */
  #pending = 0;
  #leases = 0;
  #failure: typeof fault | null = null;
  #ends = 0;
  #left = 0;
  #isLeft = false;

  constructor(members: number) {
    this.input = { members };
  }

  facts(): MachineEvent[] {
    const facts = this.#news();
    const count = Math.min(1 + (this.#pending % 2), this.input.members - this.#left);
    const isOpen = this.#phase !== 'none' && count > 0;
    return isOpen ? [...facts, { type: 'members.left', count }] : facts;
  }

  #news(): MachineEvent[] {
    const rejected = [fault, gone].map((status) => ({ type: 'batch.rejected', status }));
    const failed = [fault, gone].map((status) => ({ type: 'work.failed', status }));
    const more = (...events: MachineEvent[]): MachineEvent[] => Array(4).fill(events).flat();
    const missing = 1 + (this.#ends % 3) + (this.input.members % 3);
    const declared = { type: 'batch.undeclared', missing };
    switch (this.#phase) {
      case 'preparing':
        return [...rejected, ...more({ type: 'batch.prepared' }, declared)];
      case 'specializing': {
        const ready = { type: 'specialization.ready' };
        const refused = [fault, gone].map((status) => ({ type: 'specialization.failed', status }));
        return [...more(ready), ...refused];
      }
      case 'submitted':
        return [...more({ type: 'work.accepted' }), ...failed, ...rejected];
      case 'accepted':
        return [...more({ type: 'work.retired' }), ...failed];
      default:
        return [];
    }
  }

  before({ type, ...fact }: MachineEvent): void {
    const { status, missing } = fact as { status?: typeof fault; missing?: number };
    if (status !== undefined) this.#failure ??= status;
    if (type === 'members.left') {
      this.#left += (fact as unknown as { count: number }).count;
      if (this.#isAbandoned) this.#leave();
      return;
    }
    if (type === 'work.accepted') this.#phase = 'accepted';
    else if (type === 'batch.undeclared') {
      this.#pending = missing!;
      this.#phase = 'specializing';
    } else if (type.startsWith('specialization.')) {
      this.#pending -= 1;
      if (this.#pending === 0) this.#phase = 'none';
    } else this.#phase = 'none';
    if (this.#isAbandoned) this.#leave();
  }

  /** Nobody is left, and nothing of it is on the device. */
  get #isAbandoned(): boolean {
    return this.#left === this.input.members && this.#phase === 'specializing';
  }

  #leave(): void {
    this.#isLeft = true;
    this.#failure ??= { code: 'cancelled', message: 'every member has left' };
    this.#phase = 'none';
  }

  effect(type: string): void {
    if (type === 'prepareBatch') this.#phase = 'preparing';
    else if (type === 'requestSpecializations') {
      this.#leases = this.#pending;
    } else if (type === 'forgetSpecialization') this.#leases -= 1;
    else if (type === 'releaseSpecializations') this.#leases = 0;
    else if (type === 'submitInvocation') {
      assert.is(this.#pending, 0, 'every stage was decided');
      assert.is(this.#phase, 'none', 'it was waited for');
      assert.is(this.#failure, null, 'and every one is there');
      this.#phase = 'submitted';
    } else if (['collectMembers', 'failMembers', 'returnMembers'].includes(type)) this.#ends += 1;
  }

  check({ event: { type }, effects, to }: ChartStep, context: Context): void {
    const has = (effect: string): boolean => effects.includes(effect);
    assert.equal(context.failure, this.#failure, 'the first reason is told');
    if (type === 'specialization.failed') assert.ok(has('forgetSpecialization'));
    const isOver = this.#phase === 'none';
    assert.is(['retired', 'failed', 'dissolved'].includes(to), isOver, 'it ends when all is over');
    assert.is(has('announceEnd'), isOver);
    assert.is(this.#ends, isOver ? 1 : 0, 'its members have one end');
    if (!isOver) return;
    assert.is(this.#leases, 0, 'what it borrowed goes back');
    const isShared = this.input.members > 1 && this.#failure === fault && !this.#isLeft;
    if (this.#failure === null) assert.ok(has('collectMembers'));
    else assert.ok(has(isShared ? 'returnMembers' : 'failMembers'), 'who may be at fault');
  }

  end(): void {}
}

test('three thousand histories: every member has one end, and what was borrowed goes back', () => {
  const reached = runHistories({
    table: cohort.table,
    model: (random) => new CohortModel(1 + random.below(3)),
    histories: 3_000,
  });
  for (const state of ['specializing', 'executing', 'retired', 'failed', 'dissolved']) {
    assert.ok((reached.get(state) ?? 0) > 100, state);
  }
});

test.run();
