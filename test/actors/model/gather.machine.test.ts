/** The chart of a gather in random histories: when it reads, what it answers, when it is over. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gather } from '../../../actors/model/gather.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

/** What the queue and the reading threads may say next. */
class QueueModel implements ChartModel<unknown> {
  #next: 'start' | 'read' | 'answer' | 'retire' = 'start';
  #isRetired = false;

  facts(): MachineEvent[] {
    if (this.#isRetired) return [];
    const retired: MachineEvent = { type: 'gather.retired' };
    switch (this.#next) {
      // What it waited for may have failed, or the copy of its descriptors.
      case 'start':
        return [{ type: 'gather.started' }, retired];
      case 'read':
        return [{ type: 'gather.read' }, retired];
      // The queue retires no work whose call is not done.
      case 'answer':
        return [{ type: 'ranges.read' }];
      case 'retire':
        return [retired];
    }
  }

  before({ type }: MachineEvent): void {
    if (type === 'gather.started') this.#next = 'read';
    if (type === 'gather.read') this.#next = 'answer';
    if (type === 'ranges.read') this.#next = 'retire';
    if (type === 'gather.retired') this.#isRetired = true;
  }

  effect(): void {
    // Whatever answers an effect is in `facts` already.
  }

  check({ event: { type }, effects, to }: ChartStep): void {
    const expected: Record<string, readonly string[]> = {
      'gather.read': ['readRanges'],
      'ranges.read': ['answerQueue'],
      'gather.retired': ['releaseFiles'],
    };
    assert.equal(effects, expected[type] ?? []);
    assert.is(to === 'retired', this.#isRetired, 'files are free when it has retired, not before');
  }

  end(state: string): void {
    assert.is(state, 'retired');
  }
}

test('three hundred histories: read once when asked, answered once, freed when retired', () => {
  const model = (): QueueModel => new QueueModel();
  const reached = runHistories({ table: gather.table, model, histories: 300 });
  for (const state of ['snapshotting', 'reading', 'retired']) {
    assert.ok((reached.get(state) ?? 0) > 30, state);
  }
});

test.run();
