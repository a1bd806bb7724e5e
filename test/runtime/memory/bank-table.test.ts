/**
 * Banks under one budget that does not hold them all: random invocations over random sets of banks,
 * loads that succeed, fail and dawdle, warm-ups, evictions. Throughout: the budget holds, no bank
 * leaves under an invocation that uses it, each invocation sees its banks' bytes, and when nothing
 * fails any more everything ends (no deadlock, no livelock).
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceRange } from '../../../runtime/hal/buffer.js';
import { BankTable } from '../../../runtime/memory/bank-table.js';
import type { PlacedStorage, StorageTable } from '../../../runtime/memory/storage-table.js';
import { openSimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import type { SimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import { DeviceFixture, testPorts, toWords, u32, type Story } from '../hal/device-fixture.js';
import { weighted } from '../hal/programs.js';
import { submission, whole } from '../hal/submissions.js';

/** Three of the four banks fit beside an invocation. */
const MEMORY_BYTES = 3 * 1024;
const names = ['a', 'b', 'c', 'd'];
const sets = ['a', 'b', 'c', 'd', 'ab', 'bc', 'cd', 'ad'];
const valueOf = (bank: string): number => 1000 * (names.indexOf(bank) + 1);

type Step =
  | { readonly op: 'invoke'; readonly set: string; readonly value: number }
  | { readonly op: 'warm'; readonly set: string }
  | { readonly op: 'evict'; readonly bank: string }
  | { readonly op: 'complete' | 'leave'; readonly choice: number }
  | { readonly op: 'load'; readonly choice: number; readonly fails: boolean };

const set = fc.constantFrom(...sets);
const choice = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('invoke' as const), set, value: fc.nat(99) }),
  },
  fc.record({ op: fc.constant('warm' as const), set }),
  fc.record({ op: fc.constant('evict' as const), bank: fc.constantFrom(...names) }),
  { weight: 4, arbitrary: fc.record({ op: fc.constant('complete' as const), choice }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('leave' as const), choice }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('load' as const),
      choice,
      fails: fc.nat(5).map((n) => n === 0),
    }),
  },
);

const spareMemory = openSimulatedDevice({ ports: testPorts(), memoryBytes: MEMORY_BYTES }).memory;

class Traffic {
  readonly fixture: DeviceFixture<SimulatedDevice>;
  readonly #loads: { readonly bank: string; readonly storage: DeviceRange }[] = [];
  readonly #leaves: string[] = [];
  readonly #entries: { readonly story: Story; readonly expected: number; readonly set: string }[] =
    [];
  warmed = 0;
  warming = 0;

  constructor() {
    const ports = testPorts();
    const options = { ports, memoryBytes: MEMORY_BYTES, memory: spareMemory } as const;
    const device = openSimulatedDevice({ ...options, completion: 'manual' });
    this.fixture = new DeviceFixture(device, ports, { poison: true });
    const { banks } = this.fixture.runner;
    for (const id of names) {
      const fields = [{ offset: 256, bytes: 4 }];
      const spec = { id, deployment: 'test', bytes: 600, stagingBytes: 0, fields, pinned: false };
      banks.register(spec, {
        onActivate: (storage) => this.#loads.push({ bank: id, storage }),
        onEvict: () => this.#leaves.push(id),
        onUnused: () => assert.is(banks.users(id), 0, `${id} is told that nobody uses it`),
        progress: () => ({ loadedBytes: 0, totalBytes: 0, nonFinite: 0 }),
      });
    }
    for (const each of sets) device.load(`weighted ${each}`, weighted([...each]));
  }

  take(step: Step): void {
    const { runner } = this.fixture;
    switch (step.op) {
      case 'invoke':
        return void this.invoke(step.set, step.value);
      case 'warm':
        this.warming += 1;
        return runner.activate(`warm ${this.warming}`, new Set(step.set), {
          onPlaced: () => (this.warmed += 1),
          onFailed: () => (this.warmed += 1),
        });
      case 'evict':
        return void runner.banks.evict(step.bank);
      case 'complete':
        return this.complete(step.choice);
      case 'leave':
        return this.leave(step.choice);
      case 'load':
        return this.load(step.choice, step.fails);
    }
  }

  invoke(set: string, value: number): Story {
    const story = this.fixture.start(
      submission({
        buffers: [
          { bytes: 4, lifetime: 'invocation' },
          { bytes: 4, lifetime: 'invocation' },
        ],
        uploads: [{ target: whole(0, 4), bytes: u32(value) }],
        commands: [
          {
            op: 'execute',
            work: 0,
            executable: `weighted ${set}`,
            roots: [whole(0, 4), whole(1, 4)],
            part: 0,
          },
        ],
        snapshot: [whole(1, 4)],
      }),
    );
    const expected = [...set].reduce((sum, bank) => sum + valueOf(bank), value);
    this.#entries.push({ story, expected, set });
    return story;
  }

  complete(choice: number): void {
    const { completion } = this.fixture.device;
    const count = completion.pending.length;
    if (count > 0) completion.complete(choice % count, null);
    this.#checkLaws();
  }

  load(choice: number, fails: boolean): void {
    const [load] = this.#loads.splice(choice % Math.max(1, this.#loads.length), 1);
    if (load === undefined) return;
    const { runner, device } = this.fixture;
    if (fails) return runner.banks.failed(load.bank, { code: 'dataLoss', message: 'injected' });
    const field = { ...load.storage, offset: load.storage.offset + 256, length: 4 };
    device.memory.view(field).set(u32(valueOf(load.bank)));
    runner.banks.activated(load.bank);
  }

  /** As its actor: a bank leaves when nobody uses it. */
  leave(choice: number): void {
    const { banks } = this.fixture.runner;
    const ready = this.#leaves.filter((id) => banks.users(id) === 0);
    const id = ready[choice % Math.max(1, ready.length)];
    if (id === undefined) return;
    this.#leaves.splice(this.#leaves.indexOf(id), 1);
    banks.left(id);
  }

  get isBusy(): boolean {
    const { runner } = this.fixture;
    return runner.inFlight + runner.waiting + this.#loads.length + this.#leaves.length > 0;
  }

  #checkLaws(): void {
    const { ledger, budget } = this.fixture;
    assert.ok(ledger.bytes + budget.reservedBytes <= MEMORY_BYTES, 'I7');
  }

  check(): void {
    for (const { story, expected, set } of this.#entries) {
      const told = story.events.join();
      assert.ok(
        ['accepted,retired', 'accepted,failed', 'failed'].includes(told),
        `${set}: ${told}`,
      );
      if (story.retired) assert.equal(toWords(story.retired.snapshot), [expected]);
      else assert.is(story.failed?.code, 'dataLoss');
    }
    assert.is(this.warmed, this.warming);
  }
}

test('any traffic over more banks than fit ends, with the right bytes and the budget kept', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.nat(1000), (steps, seed) => {
      const traffic = new Traffic();
      for (const each of steps) traffic.take(each);
      for (let i = 0; traffic.isBusy; i += 1) {
        traffic.complete(seed + i);
        traffic.load(seed + i, false);
        traffic.leave(seed + i);
        assert.ok(i < 10_000, 'everything ends');
      }
      traffic.check();
      const { runner, ledger, pool, budget } = traffic.fixture;
      for (const id of names) runner.banks.evict(id);
      for (const _ of names) traffic.leave(0);
      for (const id of names) runner.banks.unregister(id);
      ledger.assertZero();
      assert.is(pool.usedBytes, 0);
      assert.is(budget.reservedBytes, 0);
    }),
    { numRuns: 400 },
  );
});

test('what can never fit is refused at once, with limit, ask and knob', () => {
  const traffic = new Traffic();
  traffic.fixture.device.load('weighted abcd', weighted([...'abcd']));
  const story = traffic.invoke('abcd', 0);
  assert.is(story.failed?.code, 'resourceExhausted');
  assert.match(story.failed!.message, /3584 bytes .* limit is 3072 \(--memory\)/);
  assert.is(traffic.isBusy, false);
});

test('the least recently used idle bank leaves first, never one that is asked for', () => {
  const traffic = new Traffic();
  const run = (set: string): void => {
    traffic.take({ op: 'invoke', set, value: 1 });
    for (let i = 0; traffic.isBusy; i += 1) {
      traffic.load(0, false);
      traffic.complete(0);
      traffic.leave(0);
      assert.ok(i < 100, 'it ends');
    }
  };
  const resident = (): string[] =>
    traffic.fixture.runner.banks
      .describe()
      .filter(({ state }) => state === 'resident')
      .map(({ id }) => id);
  for (const set of ['a', 'b', 'c']) run(set);
  assert.equal(resident(), ['a', 'b', 'c']);
  run('d');
  assert.equal(resident(), ['b', 'c', 'd']);
  run('ab');
  assert.equal(resident(), ['a', 'b', 'd']);
  traffic.check();
});

test('a bank whose generation has ended is given to nobody new, also not to who waits already', () => {
  const traffic = new Traffic();
  const { runner } = traffic.fixture;
  // Two more do not fit beside them: what comes next waits in the line.
  const first = traffic.invoke('ab', 1);
  const waits = traffic.invoke('cd', 1);
  runner.banks.retire('d');
  assert.is(waits.failed, null);
  for (let i = 0; i < 3; i += 1) traffic.load(0, false);
  for (let i = 0; i < 10; i += 1) traffic.complete(0);
  assert.ok(first.retired);
  for (let i = 0; waits.failed === null && i < 10; i += 1) traffic.leave(0);
  assert.is(waits.failed?.code, 'notFound');
  assert.is(traffic.invoke('d', 1).failed?.code, 'notFound');
  runner.banks.unregister('d');
  assert.equal(
    runner.banks.describe().map(({ id }) => id),
    ['a', 'b', 'c'],
  );
});

test('a bank that was not filled may end while others are filled for who waited for it', () => {
  const traffic = new Traffic();
  const { runner, ledger } = traffic.fixture;
  const story = traffic.invoke('ab', 1);
  runner.banks.failed('a', { code: 'dataLoss', message: 'a was not read' });
  runner.banks.retire('a');
  runner.banks.unregister('a');
  assert.is(story.failed, null, 'b is still filled for it');
  runner.banks.activated('b');
  assert.is(story.failed?.code, 'dataLoss');
  assert.equal(
    runner.banks
      .describe()
      .map(({ id }) => id)
      .includes('a'),
    false,
  );
  assert.is(runner.banks.users('b'), 0);
  assert.ok(ledger.bytes > 0, 'b stays');
});

test('a pin stays, whoever wants it away, until it is unregistered', () => {
  const traffic = new Traffic();
  const { banks } = traffic.fixture.runner;
  const calls = { onActivate: () => {}, onEvict: () => {}, onUnused: () => {} };
  const spec = { id: 'pin', deployment: 'test', bytes: 600, stagingBytes: 0, fields: [] };
  const progress = () => ({ loadedBytes: 0, totalBytes: 0, nonFinite: 0 });
  banks.register({ ...spec, pinned: true }, { ...calls, progress });
  for (const id of ['pin', 'a']) {
    traffic.fixture.runner.activate(`warm ${id}`, new Set([id]), {
      onPlaced: () => {},
      onFailed: () => {},
    });
    banks.activated(id);
  }
  assert.ok(banks.dismiss('a'));
  assert.not(banks.dismiss('pin'));
  assert.not(banks.dismiss('nobody'));
  assert.equal(
    banks.describe().flatMap(({ id, state }) => (state === 'resident' ? [id] : [])),
    ['pin'],
  );
});

test('who is held stays between invocations, and leaves when it is let go if it was sent away', () => {
  const traffic = new Traffic();
  const { runner } = traffic.fixture;
  const { banks } = runner;
  const isThere = (): boolean =>
    banks.describe().find(({ id }) => id === 'a')!.state === 'resident';
  runner.activate('warm a', new Set(['a']), { onPlaced: () => {}, onFailed: () => {} });
  banks.activated('a');
  for (let times = 0; times < 2; times++) banks.hold(['a']);
  assert.equal(banks.idle(new Set()), []);
  assert.ok(banks.dismiss('a'));
  banks.letGo(['a']);
  assert.ok(isThere(), 'another holds it');
  banks.letGo(['a']);
  assert.not(isThere());
  assert.throws(() => banks.letGo(['a']), /released as often as used/);
});

test('that a bank was sent away is forgotten when it has left', () => {
  const traffic = new Traffic();
  const { runner } = traffic.fixture;
  const { banks } = runner;
  const stateOf = () => banks.describe().find(({ id }) => id === 'a')!.state;
  for (const isDismissed of [true, false]) {
    runner.activate('warm a', new Set(['a']), { onPlaced: () => {}, onFailed: () => {} });
    banks.activated('a');
    banks.hold(['a']);
    if (isDismissed) assert.ok(banks.dismiss('a'));
    banks.letGo(['a']);
    assert.is(stateOf(), isDismissed ? 'deactivating' : 'resident');
    if (isDismissed) banks.left('a');
  }
});

test('banks tell when they were used last, and who waits for room hears of what failed', () => {
  let nowMs = 0;
  let settled = 0;
  const table = new BankTable({
    storage: { giveUp: () => undefined } as unknown as StorageTable,
    now: () => (nowMs += 1),
    settle: () => void (settled += 1),
    forecast: () => undefined,
  });
  const calls = { onActivate: () => {}, onEvict: () => {}, onUnused: () => {} };
  const progress = () => ({ loadedBytes: 0, totalBytes: 0, nonFinite: 0 });
  const spec = { deployment: 'test', bytes: 600, stagingBytes: 0, fields: [], pinned: false };
  for (const id of ['a', 'b', 'c']) {
    table.register({ ...spec, id }, { ...calls, progress });
    assert.is(table.missing(new Set([id]))?.length, 1);
    const range = { slab: 0, offset: 0, length: 600 };
    table.adopt(new Set([id]), [{ key: id, range, bytes: 600 } as PlacedStorage]);
    table.use([id]);
    if (id === 'c') table.failed(id, { code: 'dataLoss', message: 'unread' });
    else table.activated(id);
    table.release([id]);
  }
  assert.is(settled, 3);
  table.use(['a']);
  table.release(['a']);
  const [a, b] = table.idle(new Set());
  assert.ok(a!.lastUse > b!.lastUse, 'a was used after b');
});

test('a bank that could never fit is refused before it is registered', () => {
  const { banks } = new Traffic().fixture.runner;
  const spec = { id: 'huge', deployment: 'test', stagingBytes: 0, fields: [], pinned: false };
  banks.checkFits({ ...spec, bytes: MEMORY_BYTES });
  const check = (): void => banks.checkFits({ ...spec, bytes: MEMORY_BYTES + 1 });
  assert.throws(check, /bank 'huge' needs \d+ bytes of device memory; the limit is \d+/);
});

test.run();
