/**
 * Rows of two models and work of others under one budget that does not hold them all: uses that
 * come and go, epochs on the rows, evictions, withdrawals, in any order. Throughout: the budget
 * holds, rows never leave in use, and what an epoch reads is what was written since its rows were
 * placed. When everybody comes to rest who is asked to, everyone who waits has had their turn.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import type { SimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import type { RowSpec } from '../../../runtime/memory/row-table.js';
import { DeviceFixture, testPorts, toWords, type Story } from '../hal/device-fixture.js';
import { appended, tripled } from '../hal/submissions.js';

/** Any two of the three fit with an epoch of 512 bytes, and never all. */
const MEMORY_BYTES = 3 * 1024;
const sizes = { a: 700, b: 1_000, c: 1_200 } as const;
type Name = keyof typeof sizes;
const names = Object.keys(sizes) as Name[];

type Step =
  | { readonly op: 'use' | 'rest' | 'withdraw' | 'leave' | 'epoch'; readonly rows: Name }
  | { readonly op: 'triple'; readonly words: number }
  | { readonly op: 'complete'; readonly choice: number };

const rows = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('use' as const), rows }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('epoch' as const), rows }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('rest' as const), rows }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('leave' as const), rows }) },
  fc.record({ op: fc.constant('withdraw' as const), rows }),
  fc.record({ op: fc.constant('triple' as const), words: fc.integer({ min: 1, max: 200 }) }),
  { weight: 3, arbitrary: fc.record({ op: fc.constant('complete' as const), choice: fc.nat(99) }) },
);

const spareMemory = openSimulatedDevice({ ports: testPorts(), memoryBytes: MEMORY_BYTES }).memory;

interface Rows {
  state: 'absent' | 'asked' | 'inUse' | 'resting';
  isWanted: boolean;
  isLeaving: boolean;
  /** What its first word must be. */
  value: number;
  /** Epochs that are open. */
  epochs: number;
  evictions: number;
}

class Traffic {
  readonly fixture: DeviceFixture<SimulatedDevice>;
  readonly rows = {} as Record<Name, Rows>;
  readonly #stories: { readonly story: Story; readonly expected: number[] }[] = [];
  granted = 0;

  constructor() {
    const ports = testPorts();
    const options = { ports, memoryBytes: MEMORY_BYTES, memory: spareMemory } as const;
    const device = openSimulatedDevice({ ...options, completion: 'manual' });
    this.fixture = new DeviceFixture(device, ports, { poison: true });
    for (const name of names) this.#register(name);
  }

  #register(name: Name): void {
    const zero = { isWanted: false, isLeaving: false, value: 0, epochs: 0, evictions: 0 };
    const own: Rows = { state: 'absent', ...zero };
    this.rows[name] = own;
    const spec: RowSpec = {
      ...{ id: name, deployment: name, banks: [], epochBytes: 512, pinned: false },
      storages: [{ key: `${name}/pages`, bytes: sizes[name] }],
    };
    this.fixture.runner.rows.checkFits(spec);
    this.fixture.runner.rows.register(spec, {
      onWanted: () => {
        assert.is(own.state, 'inUse', 'asked for while it is in use');
        assert.not(own.isWanted, 'asked for once');
        own.isWanted = true;
      },
      onEvict: () => {
        assert.ok(own.state === 'resting' || own.state === 'asked', `it leaves while ${own.state}`);
        own.isLeaving = true;
      },
    });
  }

  take(step: Step): void {
    const { runner } = this.fixture;
    switch (step.op) {
      case 'use':
        return this.use(step.rows);
      case 'rest':
        return this.rest(step.rows);
      case 'epoch':
        return this.#epoch(step.rows, this.#stories.length);
      case 'leave':
        return this.leave(step.rows);
      case 'withdraw':
        if (this.rows[step.rows].state === 'asked') runner.cancel(step.rows);
        return;
      case 'triple': {
        const values = Array.from({ length: step.words }, (_, i) => i);
        const story = this.fixture.start(tripled(values));
        this.#stories.push({ story, expected: values.map((value) => 3 * value + 1) });
        return;
      }
      case 'complete':
        return this.complete(step.choice);
    }
  }

  use(name: Name): void {
    const own = this.rows[name];
    if (own.state === 'asked' || own.state === 'inUse') return;
    const before = own.state;
    own.state = 'asked';
    this.fixture.runner.useRows(name, {
      onPlaced: () => {
        assert.not(own.isLeaving, 'nobody has them while they leave');
        own.state = 'inUse';
        own.isWanted = false;
        this.granted += 1;
      },
      onFailed: (status) => {
        assert.is(status.code, 'cancelled');
        own.state = before;
      },
    });
  }

  #epoch(name: Name, value: number): void {
    const own = this.rows[name];
    if (own.state !== 'inUse') return;
    own.value = (Math.imul(own.value, 31) + value) >>> 0;
    own.epochs += 1;
    const end = (): void => void (own.epochs -= 1);
    const story = this.fixture.start(appended(`${name}/pages`, value), end);
    this.#stories.push({ story, expected: [own.value] });
  }

  rest(name: Name): void {
    const own = this.rows[name];
    if (own.state !== 'inUse' || own.epochs > 0) return;
    own.state = 'resting';
    this.fixture.runner.rows.rest(name);
  }

  /** As its actor: what it held is forgotten before its bytes go. */
  leave(name: Name): void {
    const own = this.rows[name];
    if (!own.isLeaving) return;
    own.isLeaving = false;
    own.value = 0;
    own.evictions += 1;
    if (own.state === 'resting') own.state = 'absent';
    this.fixture.runner.rows.left(name);
  }

  complete(choice: number): void {
    const { completion } = this.fixture.device;
    const count = completion.pending.length;
    if (count > 0) completion.complete(choice % count, null);
    assert.ok(this.fixture.mostBytes <= MEMORY_BYTES);
  }

  /** Work ends, and everybody comes to rest who is asked to; nobody asks for anything any more. */
  settle(): void {
    for (let round = 0; round < 400; round += 1) {
      this.complete(round);
      for (const name of names) {
        this.leave(name);
        if (this.rows[name].isWanted) this.rest(name);
      }
    }
    assert.is(this.fixture.runner.waiting, 0, 'somebody waits for ever');
    assert.is(this.fixture.runner.inFlight, 0);
    for (const { story, expected } of this.#stories) {
      assert.is(story.failed?.message, undefined);
      assert.equal(toWords(story.retired!.snapshot), expected);
    }
  }

  get evictions(): number {
    return names.reduce((sum, name) => sum + this.rows[name].evictions, 0);
  }

  /** Rows go with their models, and no byte is left. */
  end(): void {
    const { runner, ledger } = this.fixture;
    const told = runner.rows.describe().reduce((sum, { evictions }) => sum + evictions, 0);
    assert.is(told, this.evictions);
    for (const name of names) runner.rows.unregister(name);
    ledger.assertZero();
  }
}

test('rows take turns in memory that does not hold them all', () => {
  let evictions = 0;
  let granted = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 90 }), (steps) => {
      const traffic = new Traffic();
      for (const one of steps) traffic.take(one);
      traffic.settle();
      evictions += traffic.evictions;
      granted += traffic.granted;
      traffic.end();
    }),
    { numRuns: 150 },
  );
  assert.ok(evictions > 150 && granted > 400, `${evictions} evictions, ${granted} uses`);
});

test('rows that rest leave least recently used first, and only as many as are needed', () => {
  const traffic = new Traffic();
  for (const name of ['a', 'b'] as const) {
    traffic.use(name);
    traffic.rest(name);
  }
  traffic.use('a');
  traffic.rest('a');
  traffic.use('c');
  assert.equal([traffic.rows.a.isLeaving, traffic.rows.b.isLeaving], [false, true]);
  traffic.settle();
  assert.is(traffic.rows.c.state, 'inUse');
  assert.is(traffic.rows.a.state, 'resting');
});

test('whoever fits goes on while the first waits for rows in use, epochs of theirs among them', () => {
  const traffic = new Traffic();
  for (const name of ['a', 'b', 'c'] as const) traffic.use(name);
  assert.equal([traffic.rows.a.isWanted, traffic.rows.c.state], [true, 'asked']);
  traffic.take({ op: 'epoch', rows: 'a' });
  traffic.take({ op: 'triple', words: 3 });
  assert.is(traffic.fixture.runner.inFlight, 2);
  traffic.settle();
  assert.is(traffic.rows.c.state, 'inUse');
});

test('what can never be there is refused: rows, their epoch counted', () => {
  const { runner } = new Traffic().fixture;
  const spec: RowSpec = {
    ...{ id: 'd', deployment: 'd', banks: [], epochBytes: 1_024, pinned: false },
    storages: [{ key: 'd/pages', bytes: 2_100 }],
  };
  assert.throws(
    () => runner.rows.checkFits(spec),
    /'d', with its rows.* needs 3328 .* 3072 \(--mem/,
  );
  runner.rows.checkFits({ ...spec, epochBytes: 768 });
  assert.throws(() => runner.rows.checkFits({ ...spec, id: 'a' }), /registered already/);
});

test('banks of rows in use stay from epoch to epoch; one that is sent away leaves with their rest', () => {
  const traffic = new Traffic();
  const { banks, rows: table } = traffic.fixture.runner;
  const told: string[] = [];
  const fields = [{ offset: 0, bytes: 4 }];
  const bank = { id: 'w', deployment: 'd', bytes: 256, stagingBytes: 0, fields, pinned: false };
  banks.register(bank, {
    onActivate: () => told.push('activate'),
    onEvict: () => told.push('evict'),
    onUnused: () => told.push('unused'),
    progress: () => ({ loadedBytes: 0, totalBytes: 0, nonFinite: 0 }),
  });
  const spec: RowSpec = {
    ...{ id: 'd', deployment: 'd', banks: ['w'], epochBytes: 512, pinned: false },
    storages: [{ key: 'd/pages', bytes: 300 }],
  };
  table.register(spec, { onWanted: () => told.push('wanted'), onEvict: () => told.push('leaves') });
  traffic.fixture.runner.useRows('d', {
    onPlaced: () => told.push('placed'),
    onFailed: ({ message }) => told.push(message),
  });
  assert.equal(told, ['activate']);
  banks.activated('w');
  assert.equal(told.splice(0), ['activate', 'placed']);
  assert.ok(banks.dismiss('w'));
  table.wantHolders(['other']);
  assert.equal(told, []);
  table.wantHolders(['w']);
  table.wantHolders(['w']);
  assert.equal(told.splice(0), ['wanted']);
  assert.is(banks.describe()[0]!.state, 'resident');
  table.rest('d');
  assert.equal(told.splice(0), ['unused', 'evict']);
  banks.left('w');
  table.evict('d');
  table.left('d');
  table.unregister('d');
  traffic.end();
});

test('a bank that cannot be filled is told of, and the rows rest', () => {
  const traffic = new Traffic();
  const { banks, rows: table } = traffic.fixture.runner;
  const calls = { onEvict: () => {}, onUnused: () => {}, onActivate: () => {} };
  const progress = () => ({ loadedBytes: 0, totalBytes: 0, nonFinite: 0 });
  const bank = { id: 'w', deployment: 'd', bytes: 256, stagingBytes: 0, fields: [], pinned: false };
  banks.register(bank, { ...calls, progress });
  const storages = [{ key: 'd/pages', bytes: 300 }];
  const rest = { banks: ['w'], epochBytes: 512, pinned: false, storages };
  table.register({ id: 'd', deployment: 'd', ...rest }, { onWanted() {}, onEvict() {} });
  const failures: string[] = [];
  const use = (): void =>
    traffic.fixture.runner.useRows('d', {
      onPlaced: () => failures.push('placed'),
      onFailed: ({ message }) => failures.push(message),
    });
  use();
  banks.failed('w', { code: 'dataLoss', message: 'cut short' });
  assert.equal(failures.splice(0), ['cut short']);
  assert.is(table.describe().find(({ id }) => id === 'd')!.state, 'resting');
  use();
  // Its model goes meanwhile.
  table.unregister('d');
  banks.failed('w', { code: 'dataLoss', message: 'cut short again' });
  assert.equal(failures, ['cut short again']);
  traffic.end();
});

test('an epoch that finds no room beside what nobody gives is refused, and holds up nobody', () => {
  const traffic = new Traffic();
  const { fixture, rows: own } = traffic;
  void fixture.createStorage('kept', 2_000, 'result');
  traffic.use('a');
  assert.is(own.a.state, 'asked', 'there is no room for an epoch');
  fixture.runner.release('kept');
  assert.is(own.a.state, 'inUse');
  void fixture.createStorage('kept', 2_200, 'result');
  const story = fixture.start(appended('a/pages', 1));
  assert.is(story.failed?.code, 'resourceExhausted');
  assert.match(story.failed!.message, /nobody will give back .*--memory/);
  fixture.runner.release('kept');
  traffic.settle();
});

test.run();
