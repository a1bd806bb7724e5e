/**
 * When a thread that waits for a software adapter sleeps, and for how long: on a thread whose time
 * moves only by what the test says and by its sleeps.
 */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LentCore, type Thread } from '../../../../runtime/hal/webgpu/lent-core.js';

class TestThread implements Thread {
  ms = 0;
  /** Each with the time at which it began. */
  readonly sleeps: { readonly at: number; readonly ms: number }[] = [];
  #next: (() => void) | null = null;

  now(): number {
    return this.ms;
  }

  sleep(ms: number): void {
    this.sleeps.push({ at: this.ms, ms });
    this.ms += ms;
  }

  afterTurn(action: () => void): void {
    assert.is(this.#next, null, 'one look a turn');
    this.#next = action;
  }

  get looks(): boolean {
    return this.#next !== null;
  }

  /** One turn of the event loop, which takes so long. */
  turn(ms: number): void {
    const action = this.#next;
    this.#next = null;
    this.ms += ms;
    action?.();
  }
}

test('a short work is waited for without a sleep', () => {
  const thread = new TestThread();
  const core = new LentCore(thread);
  core.begin();
  for (let turn = 0; turn < 10; turn++) thread.turn(0.02);
  core.end();
  thread.turn(0.02);
  assert.equal(thread.sleeps, []);
  assert.is(thread.looks, false);
});

test('a long work leaves nearly all of its time to others', () => {
  const thread = new TestThread();
  const core = new LentCore(thread);
  core.begin();
  let turns = 0;
  for (; thread.ms < 100; turns++) thread.turn(0.01);
  const slept = thread.sleeps.reduce((sum, { ms }) => sum + ms, 0);
  assert.ok(slept > 90, `slept ${slept} ms of 100`);
  assert.ok(turns > 300, `looked ${turns} times`);
});

/** A number: a turn that takes so long. */
type Act = 'begin' | 'end' | number;
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constantFrom('begin' as const, 'end' as const),
  fc.double({ min: 0.001, max: 3, noNaN: true }),
);

function check(acts: readonly Act[]): void {
  const thread = new TestThread();
  const core = new LentCore(thread);
  let [waits, news] = [0, 0];
  for (const act of acts) {
    const known = thread.sleeps.length;
    if (act === 'begin') {
      if (waits === 0) news = thread.ms;
      waits += 1;
      core.begin();
    } else if (act === 'end') {
      if (waits === 0) continue;
      waits -= 1;
      news = thread.ms;
      core.end();
    } else {
      thread.turn(act);
    }
    for (const { at, ms } of thread.sleeps.slice(known)) {
      assert.ok(waits > 0, 'nothing to wait for, no sleep');
      assert.ok(at - news > 0.25);
      assert.ok(ms <= 0.25 && ms <= (at - news) / 8);
    }
    if (waits > 0) assert.ok(thread.looks, 'somebody looks while there is something to see');
  }
  for (; waits > 0; waits--) core.end();
  thread.turn(1);
  assert.is(thread.looks, false, 'the event loop may end');
}

test('what is there is seen an eighth of the quiet time later at most', () => {
  fc.assert(fc.property(fc.array(act, { maxLength: 60 }), check), { numRuns: 500 });
});

test.run();
