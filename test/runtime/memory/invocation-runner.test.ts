/**
 * Random traffic against the runner on a simulated device: submissions with rows, results and
 * failures, cancellations and releases at any time, completions in any order, at last a loss now
 * and then. The laws are checked throughout, values against plain arithmetic.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import type { SimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import { DeviceFixture, testPorts, toWords, type Story } from '../hal/device-fixture.js';
import { poisonWith } from '../hal/programs.js';
import { appended, poisoned, submission, tripled, whole } from '../hal/submissions.js';

const MEMORY_BYTES = 4096;
const ROW = 'row';

type Step =
  | { readonly op: 'triple'; readonly words: number; readonly deployment: string }
  | { readonly op: 'append' | 'fail'; readonly value: number }
  | { readonly op: 'produce' | 'consume' | 'release'; readonly key: number }
  | { readonly op: 'complete'; readonly choice: number; readonly fails: boolean }
  | { readonly op: 'cancel'; readonly choice: number };

const key = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    op: fc.constant('triple' as const),
    words: fc.integer({ min: 1, max: 300 }),
    deployment: fc.constantFrom('a', 'b'),
  }),
  fc.record({ op: fc.constantFrom('append' as const, 'fail' as const), value: fc.nat(9) }),
  fc.record({
    op: fc.constantFrom('produce' as const, 'consume' as const, 'release' as const),
    key,
  }),
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('complete' as const),
      choice: fc.nat(1000),
      fails: fc.nat(19).map((n) => n === 0),
    }),
  },
  fc.record({ op: fc.constant('cancel' as const), choice: fc.nat(1000) }),
);

interface Entry {
  readonly invocation: string;
  readonly story: Story;
  /** What the snapshot must be when it succeeds; null: not known here. */
  readonly expected: number[] | null;
}

class Traffic {
  readonly fixture: DeviceFixture<SimulatedDevice>;
  readonly entries: Entry[] = [];

  constructor() {
    const ports = testPorts();
    const device = openSimulatedDevice({
      ports,
      completion: 'manual',
      memoryBytes: MEMORY_BYTES,
      memory: spareMemory,
    });
    this.fixture = new DeviceFixture(device, ports, { poison: true });
    void this.fixture.createStorage(ROW, 4);
  }

  take(step: Step): void {
    const { runner, device } = this.fixture;
    switch (step.op) {
      case 'triple': {
        const values = Array.from({ length: step.words }, (_, i) => i + step.words);
        const owner = { kind: 'invocation', deployment: step.deployment, id: 'x' } as const;
        return this.start(
          tripled(values, { owner }),
          values.map((value) => value * 3 + 1),
        );
      }
      case 'append':
        return this.start(appended(ROW, step.value), null);
      case 'fail':
        return this.start(
          poisoned(poisonWith('ranTooLong'), { bytes: 4, lifetime: 'row', key: ROW }),
          null,
        );
      case 'produce': {
        const buffers = [
          { bytes: 4, lifetime: 'invocation' },
          { bytes: 4, lifetime: 'result', key: `result-${step.key}` },
        ] as const;
        return this.start(tripled([step.key], { buffers }), [step.key * 3 + 1]);
      }
      case 'consume':
        return this.start(this.consumer(step.key), [(step.key * 3 + 1) * 3 + 1]);
      case 'release':
        return this.release(`result-${step.key}`);
      case 'complete':
        return this.complete(step.choice, step.fails);
      case 'cancel': {
        const entry = this.entries[step.choice % Math.max(1, this.entries.length)];
        if (entry) runner.cancel(entry.invocation);
        return assert.is(device.lost, null);
      }
    }
  }

  consumer(key: number): ReturnType<typeof submission> {
    return submission({
      buffers: [
        { bytes: 4, lifetime: 'shared', key: `result-${key}` },
        { bytes: 4, lifetime: 'invocation' },
      ],
      commands: [
        {
          op: 'execute',
          work: 0,
          executable: 'triple',
          roots: [whole(0, 4), whole(1, 4)],
          part: 0,
        },
      ],
      snapshot: [whole(1, 4)],
    });
  }

  start(request: ReturnType<typeof submission>, expected: number[] | null): void {
    const story = this.fixture.start(request);
    this.entries.push({ invocation: request.invocation, story, expected });
  }

  release(name: string): void {
    this.fixture.runner.release(name);
  }

  complete(choice: number, fails: boolean): void {
    const { completion } = this.fixture.device;
    const count = completion.pending.length;
    const failure = fails ? ({ code: 'internal', message: 'injected' } as const) : null;
    if (count > 0) completion.complete(choice % count, failure);
    const { ledger, budget } = this.fixture;
    assert.ok(ledger.bytes + budget.reservedBytes <= MEMORY_BYTES, 'I7');
  }

  check(): void {
    for (const { story, expected, invocation } of this.entries) {
      const told = story.events.join();
      const told1 = ['accepted,retired', 'accepted,failed', 'failed'].includes(told);
      assert.ok(told1, `${invocation}: one answer, got '${told}'`);
      if (story.retired && expected) assert.equal(toWords(story.retired.snapshot), expected);
    }
  }
}

/** One memory for all runs: each would reserve gigabytes of addresses until it is collected. */
const spareMemory = openSimulatedDevice({ ports: testPorts(), memoryBytes: MEMORY_BYTES }).memory;

test('under any traffic each submission has one answer and every byte comes back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(1000), fc.nat(5), (steps, seed, lose) => {
      const traffic = new Traffic();
      for (const step of steps) traffic.take(step);
      const { device, runner, ledger, pool, budget } = traffic.fixture;
      if (lose === 0) device.lose({ code: 'unavailable', message: 'gone' });
      // Faults stop: everything accepted must end.
      for (let i = 0; runner.inFlight + runner.waiting > 0; i += 1) {
        if (device.completion.pending.length > 0) traffic.complete(seed + i, false);
        // Only kept results can still be in the way of what waits.
        else for (let key = 0; key < 3; key += 1) traffic.release(`result-${key}`);
        assert.ok(i < 10_000, 'everything ends');
      }
      traffic.check();
      for (let key = 0; key < 3; key += 1) traffic.release(`result-${key}`);
      runner.release(ROW);
      ledger.assertZero();
      assert.is(pool.usedBytes, 0);
      assert.is(budget.reservedBytes, 0);
      assert.is(device.queue.inFlight, 0);
    }),
    { numRuns: 300 },
  );
});

test('a result released before its producer retired is gone with it', () => {
  const traffic = new Traffic();
  traffic.take({ op: 'produce', key: 1 });
  traffic.release('result-1');
  while (traffic.fixture.runner.inFlight > 0) traffic.complete(0, false);
  const { story } = traffic.entries[0]!;
  assert.equal(story.retired?.results, []);
  traffic.fixture.runner.release(ROW);
  traffic.fixture.ledger.assertZero();
});

test('what waits for memory is refused at once when the device closes, what runs ends', () => {
  const traffic = new Traffic();
  const { runner } = traffic.fixture;
  for (let i = 0; i < 3; i += 1) traffic.take({ op: 'triple', words: 300, deployment: 'a' });
  assert.ok(runner.waiting > 0, 'some wait');
  const status = { code: 'unavailable', message: 'the device closes' } as const;
  runner.refuseWaiting(status);
  assert.is(runner.waiting, 0);
  const refused = traffic.entries.filter(({ story }) => story.failed !== null);
  assert.ok(refused.length > 0 && refused.length < 3, 'and one runs');
  for (const { story } of refused) assert.equal(story.failed, status);
  while (runner.inFlight > 0) traffic.complete(0, false);
  traffic.check();
  runner.release(ROW);
  traffic.fixture.ledger.assertZero();
});

test('one invocation id runs once at a time', () => {
  const traffic = new Traffic();
  const request = tripled([1]);
  traffic.start(request, [4]);
  const second = traffic.fixture.start(request);
  assert.match(second.failed!.message, /is running already/);
  while (traffic.fixture.runner.inFlight > 0) traffic.complete(0, false);
  traffic.start(request, [4]);
  while (traffic.fixture.runner.inFlight > 0) traffic.complete(0, false);
  traffic.check();
});

test.run();
