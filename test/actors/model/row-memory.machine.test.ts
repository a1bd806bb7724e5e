/**
 * The chart of the rows of a text generation in random histories, against a table of rows, a line
 * for room and a generation of the model's own: they leave while they rest and never else, and
 * whoever had them hears of it before they are there again.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowMemory } from '../../../actors/model/row-memory.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

class WorldModel implements ChartModel<unknown> {
  readonly #random: SeededRandom;
  readonly #mailbox: MachineEvent[] = [];
  #table: 'absent' | 'inUse' | 'resting' | 'leaving' = 'absent';
  /** The generation has asked, and has no answer yet. */
  #isAsked = false;
  /** Until it has heard of an answer, so it may be too late. */
  #mayWithdraw = false;
  #isWaiting = false;
  /** What it computed is there, as far as the generation knows. */
  #isKnown = false;
  #isGranted = false;
  #isWanted = false;
  #isRetired = false;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  facts(): readonly MachineEvent[] {
    for (let moves = this.#random.below(4); moves > 0; moves--) this.#move();
    while (this.#mailbox.length === 0) this.#move();
    return this.#mailbox.slice(0, 1);
  }

  #move(): void {
    const moves = [
      () => this.#use(),
      () => this.#use(),
      () => this.#admit(),
      () => this.#admit(),
      () => this.#rest(),
      () => this.#want(),
      () => this.#evict(),
      () => this.#fail(false),
      () => this.#withdraw(),
      () => this.#retire(),
    ];
    moves[this.#random.below(moves.length)]!();
  }

  #use(): void {
    if (this.#isAsked || this.#isGranted || this.#isRetired) return;
    this.#isAsked = true;
    this.#mayWithdraw = true;
    this.#mailbox.push({ type: 'rows.use' });
  }

  #withdraw(): void {
    if (!this.#mayWithdraw || this.#random.below(2) > 0) return;
    this.#mayWithdraw = false;
    this.#mailbox.push({ type: 'rows.withdraw' });
  }

  /** The table gives the room that was asked for; not while they are on their way out. */
  #admit(): void {
    if (!this.#isWaiting || this.#table === 'leaving') return;
    this.#isWaiting = false;
    this.#table = 'inUse';
    this.#isWanted = false;
    this.#isAsked = false;
    this.#isGranted = true;
    this.#isKnown = true;
    this.#mailbox.push({ type: 'rows.placed' });
  }

  #fail(isTakenBack: boolean): void {
    if (!this.#isWaiting || (!isTakenBack && this.#random.below(3) > 0)) return;
    this.#isWaiting = false;
    this.#isAsked = false;
    const isThere = this.#table === 'resting';
    this.#mailbox.push({ type: 'rows.refused', isThere });
  }

  #rest(): void {
    if (!this.#isGranted) return;
    this.#isGranted = false;
    this.#mayWithdraw = false;
    this.#mailbox.push({ type: 'rows.rest' });
  }

  #want(): void {
    if (this.#table !== 'inUse' || this.#isWanted) return;
    this.#isWanted = true;
    this.#mailbox.push({ type: 'rows.want' });
  }

  #evict(): void {
    if (this.#table !== 'resting') return;
    this.#table = 'leaving';
    this.#mailbox.push({ type: 'rows.evict' });
  }

  #retire(): void {
    if (this.#isRetired || this.#random.below(6) > 0) return;
    this.#isRetired = true;
    this.#mailbox.push({ type: 'rows.retire' });
  }

  before(): void {
    this.#mailbox.shift();
  }

  effect(type: string): void {
    switch (type) {
      case 'askRoom':
        assert.not(this.#isWaiting, 'asks once');
        this.#isWaiting = true;
        return;
      case 'withdrawAsk':
        return this.#fail(true);
      case 'tellWanted':
        assert.ok(this.#isWanted, 'somebody waits for it');
        return;
      case 'restRows':
        assert.is(this.#table, 'inUse', 'comes to rest out of use');
        this.#table = 'resting';
        return;
      case 'tellEvicted':
        assert.ok(this.#isKnown, 'told once of what is gone');
        this.#isKnown = false;
        return;
      case 'releaseStorage':
        assert.is(this.#table, 'leaving', 'leaves when it was asked to');
        assert.not(this.#isKnown, 'the generation has heard of it');
        this.#table = 'absent';
        return;
      case 'unregister':
        assert.ok(this.#isRetired);
        this.#isWaiting = false;
    }
  }

  check({ event: { type }, effects, from, to }: ChartStep): void {
    const has = (effect: string): boolean => effects.includes(effect);
    assert.is(has('askRoom'), type === 'rows.use', 'a turn that is to run asks for room');
    if (type === 'rows.rest') assert.ok(has('restRows'));
    if (type === 'rows.evict') assert.equal(effects, ['tellEvicted', 'releaseStorage']);
    if (type === 'rows.withdraw') assert.is(has('withdrawAsk'), from === 'waiting');
    assert.is(has('tellWanted'), type === 'rows.want' && from === 'inUse');
    assert.is(to === 'retired', has('unregister'));
    if (to === 'retired') assert.ok(this.#isRetired);
    if (this.#mailbox.length > 0) return;
    const due = { absent: 'absent', resting: 'resting', leaving: 'resting' } as const;
    if (this.#isRetired) assert.is(to, 'retired');
    else if (this.#isWaiting) assert.is(to, 'waiting');
    else if (this.#table === 'inUse') assert.is(to, this.#isWanted ? 'wanted' : 'inUse');
    else assert.is(to, due[this.#table]);
  }

  end(): void {
    if (this.#mailbox.length > 0) return;
    assert.not(this.#isWaiting && this.#isRetired, 'nobody waits for rows that are given up');
  }
}

test('two thousand histories: in use until they rest, away when others need the room', () => {
  const model = (random: SeededRandom): WorldModel => new WorldModel(random);
  const reached = runHistories({ table: rowMemory.table, model, histories: 2_000, stepsMax: 60 });
  for (const state of ['waiting', 'inUse', 'wanted', 'resting', 'absent', 'retired']) {
    assert.ok((reached.get(state) ?? 0) > 300, `${state}: ${reached.get(state)}`);
  }
});

test.run();
