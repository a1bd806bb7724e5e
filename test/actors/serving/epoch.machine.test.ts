/**
 * The chart of an epoch in random histories: its spans are committed once, after retirement, or
 * fail once, and the first reason is told.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { epoch } from '../../../actors/serving/epoch.js';
import type { Context } from '../../../actors/serving/epoch.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

const status = { code: 'internal', message: 'a span is at fault' };

class EpochModel implements ChartModel<Context> {
  #phase: 'packing' | 'submitted' | 'accepted' | 'committing' | 'none' = 'none';
  #failure: unknown = null;
  #isCommitted = false;
  #failed = 0;
  #ends = 0;

  facts(): MachineEvent[] {
    const rejected = { type: 'epoch.rejected', status: { ...status } };
    const failed = { type: 'work.failed', status: { ...status } };
    switch (this.#phase) {
      case 'packing':
        return [{ type: 'epoch.packed' }, { type: 'epoch.packed' }, rejected];
      case 'submitted':
        return [{ type: 'work.accepted' }, { type: 'work.accepted' }, failed, rejected];
      case 'accepted':
        return [{ type: 'work.retired' }, { type: 'work.retired' }, failed];
      case 'committing':
        return [{ type: 'epoch.committed' }, { type: 'epoch.committed' }, rejected];
      default:
        return [];
    }
  }

  before({ type, ...fact }: MachineEvent): void {
    if ('status' in fact) this.#failure = fact['status'];
    this.#phase = type === 'work.accepted' ? 'accepted' : 'none';
  }

  effect(type: string, { type: event }: MachineEvent, context: Context): void {
    if (type === 'packSpans') this.#phase = 'packing';
    if (type === 'submitEpoch') this.#phase = 'submitted';
    if (type === 'commitSpans') {
      assert.is(event, 'work.retired', 'not before it has retired');
      this.#isCommitted = true;
      this.#phase = 'committing';
    }
    if (type === 'failSpans') {
      assert.is(context.failure, this.#failure, 'they are told why');
      this.#failed += 1;
    }
    if (type === 'announceEnd') {
      this.#ends += 1;
      assert.is(this.#phase, 'none', 'nothing of it runs');
    }
  }

  check({ event, to }: ChartStep, context: Context): void {
    assert.is(context.failure, this.#failure);
    const isOver = this.#phase === 'none';
    assert.is(to === 'retired' || to === 'failed', isOver, 'it ends when nothing of it runs');
    assert.is(this.#ends, isOver ? 1 : 0);
    assert.is(this.#failed, this.#failure === null ? 0 : 1, 'its spans fail once');
    assert.is(to === 'failed', this.#failure !== null);
    if (to === 'retired') assert.ok(this.#isCommitted && event.type === 'epoch.committed');
  }

  end(state: string): void {
    assert.ok(state === 'retired' || state === 'failed');
  }
}

test('two thousand histories: spans are committed or fail, once', () => {
  const reached = runHistories({
    table: epoch.table,
    model: () => new EpochModel(),
    histories: 2_000,
  });
  for (const state of ['executing', 'committing', 'retired', 'failed']) {
    assert.ok((reached.get(state) ?? 0) > 200, state);
  }
});

test.run();
