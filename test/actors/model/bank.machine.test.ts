/**
 * The chart of a bank in random histories, against a table of banks, a loader and a mailbox of the
 * model's own: loaded when it is needed, gone when nobody uses it, never kept after its generation.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bank } from '../../../actors/model/bank.js';
import type { Context } from '../../../actors/model/bank.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

const status = { code: 'dataLoss', message: 'a checkpoint was cut short' };

/** What each event that is not ignored must do, by the state in which it comes. */
const due: Readonly<Record<string, readonly string[]>> = {
  'absent bank.activate': ['startLoading'],
  'activating load.progressed': ['logProgress'],
  'activating load.failed': ['announceFailed'],
  'activating bank.retire': ['stopLoading'],
  'resident bank.retire': ['askToLeave'],
};

class WorldModel implements ChartModel<Context> {
  readonly #random: SeededRandom;
  readonly #mailbox: MachineEvent[] = [];
  #table: 'absent' | 'activating' | 'resident' | 'deactivating' = 'absent';
  #loader: 'none' | 'loading' | 'ended' = 'none';
  #users = 0;
  #isRetired = false;
  /** The chart has heard that its generation has ended. */
  #isTold = false;
  #isUnregistered = false;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Messages come in their order; meanwhile the world goes on. */
  facts(): readonly MachineEvent[] {
    for (let moves = this.#random.below(4); moves > 0; moves--) this.#move();
    while (this.#mailbox.length === 0 && !this.#isOver) this.#move();
    return this.#mailbox.slice(0, 1);
  }

  get #isOver(): boolean {
    return this.#isRetired && this.#users === 0 && this.#loader !== 'loading';
  }

  #move(): void {
    const moves = [
      () => this.#need(),
      () => this.#need(),
      () => this.#release(),
      () => this.#release(),
      () => this.#evict(),
      () => this.#retire(),
      () => this.#load({ type: 'load.progressed' }),
      () => this.#load({ type: 'load.done' }),
      () => this.#load({ type: 'load.failed', status }),
    ];
    moves[this.#random.below(moves.length)]!();
  }

  #need(): void {
    if (this.#isRetired || this.#table === 'deactivating') return;
    this.#users += 1;
    if (this.#table !== 'absent') return;
    this.#table = 'activating';
    this.#mailbox.push({ type: 'bank.activate' });
  }

  #release(): void {
    const isThere = this.#table === 'resident' || this.#table === 'deactivating';
    if (this.#users === 0 || !isThere) return;
    this.#users -= 1;
    if (this.#users === 0) this.#mailbox.push({ type: 'bank.unused' });
  }

  #evict(): void {
    if (this.#table !== 'resident') return;
    this.#table = 'deactivating';
    this.#mailbox.push({ type: 'bank.evict', users: this.#users });
  }

  #retire(): void {
    if (this.#isRetired || this.#random.below(4) > 0) return;
    this.#isRetired = true;
    this.#mailbox.push({ type: 'bank.retire' });
  }

  #load(event: MachineEvent): void {
    if (this.#loader !== 'loading') return;
    if (event.type !== 'load.progressed') this.#loader = 'ended';
    this.#mailbox.push(event);
  }

  before({ type }: MachineEvent): void {
    this.#mailbox.shift();
    if (type === 'bank.retire') this.#isTold = true;
  }

  effect(type: string): void {
    switch (type) {
      case 'startLoading':
        assert.is(this.#table, 'activating', 'loads when storage was placed');
        assert.is.not(this.#loader, 'loading', 'loads once');
        this.#loader = 'loading';
        return;
      case 'stopLoading':
        return this.#load({ type: 'load.failed', status });
      case 'announceResident':
      case 'announceFailed':
        assert.is(this.#table, 'activating');
        assert.is(this.#loader, 'ended');
        this.#loader = 'none';
        return this.#activated(type === 'announceResident');
      case 'askToLeave':
        return this.#evict();
      case 'releaseStorage':
        assert.is(this.#table, 'deactivating', 'leaves when it was asked to');
        assert.is(this.#users, 0, 'leaves when nobody uses it');
        this.#table = 'absent';
        return;
      case 'unregister':
        assert.is(this.#table, 'absent');
        assert.ok(this.#isRetired);
        this.#isUnregistered = true;
    }
  }

  #activated(isResident: boolean): void {
    this.#table = isResident ? 'resident' : 'absent';
    if (isResident || this.#users === 0) return;
    this.#users = 0;
    this.#mailbox.push({ type: 'bank.unused' });
  }

  check({ event: { type }, effects, from, to }: ChartStep, context: Context): void {
    for (const effect of due[`${from} ${type}`] ?? []) assert.ok(effects.includes(effect), effect);
    if (type === 'load.done') assert.ok(effects.includes('announceResident'));
    const isKept = type === 'load.done' && !this.#isTold;
    if (isKept) assert.not(effects.includes('askToLeave'), 'nobody wants it away');
    if (type === 'bank.activate') assert.is(context.failure, null, 'of an earlier attempt');
    if (type === 'load.failed') assert.is.not(context.failure, null);
    assert.is(to === 'retired', this.#isUnregistered);
    const isHeld = ['activating', 'resident', 'deactivating'].includes(to);
    if (to !== 'absent' || this.#mailbox.length === 0) {
      assert.is(isHeld, this.#table !== 'absent', `the chart says ${to}, the table ${this.#table}`);
    }
  }

  end(state: string): void {
    if (this.#isOver && this.#mailbox.length === 0) assert.is(state, 'retired');
  }
}

test('two thousand histories: loaded for somebody, away when unused, gone with its generation', () => {
  const model = (random: SeededRandom): WorldModel => new WorldModel(random);
  const reached = runHistories({ table: bank.table, model, histories: 2_000, stepsMax: 200 });
  for (const state of ['activating', 'resident', 'deactivating', 'retired']) {
    assert.ok((reached.get(state) ?? 0) > 500, state);
  }
});

test.run();
