/**
 * What every driver must do at the level of works: run each case against a fresh device. The
 * control case comes first; when it fails, look no further. Drivers differ in how they open, not in
 * this.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Fence } from '../../runtime/hal/fence.js';
import { u32, toWords, type DeviceFixture } from '../runtime/hal/device-fixture.js';
import { failing, poisonWith } from '../runtime/hal/programs.js';

export type OpenFixture = (options?: {
  memoryBytes?: number;
  poison?: boolean;
}) => Promise<DeviceFixture>;

/** How a driver tells that it ended a program which no compiler makes. */
const TRAPPED = /a compute worker ended while it ran trapping: unreachable/;

export function deviceConformance(
  driver: string,
  open: OpenFixture,
  trapped: { readonly code: string; readonly message: RegExp } = {
    code: 'unavailable',
    message: TRAPPED,
  },
): void {
  const test = suite(`works on ${driver}`);
  const on = (name: string, run: (fixture: DeviceFixture) => Promise<void>): void =>
    test(name, async () => {
      const fixture = await open();
      try {
        await run(fixture);
        assert.is(fixture.device.queue.inFlight, 0, 'every work has retired');
      } finally {
        await fixture.close();
      }
    });

  on('control: uploads, runs a program on all workers and reads back', async (fixture) => {
    const values = Array.from({ length: 1000 }, (_, i) => i * 7);
    const [input, output] = [fixture.place(4000), fixture.place(4000)];
    await fixture.write(input, u32(...values));
    const outcome = await fixture.work([fixture.launch('triple', [input, output])]).retired;
    assert.is(outcome.failure, null);
    assert.equal(
      toWords(await fixture.read(output)),
      values.map((value) => value * 3 + 1),
    );
  });

  on('fills and copies ranges, and nothing beside them', async (fixture) => {
    const range = fixture.place(64);
    const part = { ...range, offset: range.offset + 16, length: 16 };
    await fixture.work([
      { op: 'fill', target: range, byte: 1 },
      { op: 'fill', target: part, byte: 2 },
      { op: 'copy', source: part, target: { ...part, offset: range.offset + 48 } },
    ]).retired;
    const bytes = [...(await fixture.read(range))];
    assert.equal(bytes, [
      ...Array<number>(16).fill(1),
      ...Array<number>(16).fill(2),
      ...Array<number>(16).fill(1),
      ...Array<number>(16).fill(2),
    ]);
  });

  on('timelines grow by one point a work, in order', async (fixture) => {
    const timeline = fixture.device.createTimeline('grows');
    const range = fixture.place(4);
    const seen: number[] = [];
    const works = [0, 1, 2, 3].map((byte) => {
      const work = fixture.work([{ op: 'fill', target: range, byte }], { timeline });
      return work.retired.then(() => seen.push(timeline.reached));
    });
    assert.is(timeline.issued, 4);
    await Promise.all(works);
    assert.is(timeline.reached, 4);
    assert.equal(
      [...seen].sort((a, b) => a - b),
      seen,
    );
  });

  on('a work waits for its fence, and null is nothing to wait for', async (fixture) => {
    const order: string[] = [];
    let release = (): void => {};
    const gate = fixture.work([
      { op: 'call', reads: [], writes: [], run: (done) => (release = () => done(null)) },
    ]);
    const note = (name: string, wait: Fence | null): Promise<unknown> =>
      fixture.work([], { wait }).retired.then(() => order.push(name));
    const held = note('held', gate.fence);
    await note('free', null);
    assert.equal(order, ['free']);
    // A simulated device may not have started the call yet.
    while (fixture.device.queue.inFlight > 0) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await held;
    assert.equal(order, ['free', 'held']);
  });

  on('a joined fence waits for all its points; joining nothing is null', async (fixture) => {
    const row = fixture.place(4);
    const inputs = [1, 2].map(() => fixture.place(4));
    await fixture.write(row, u32(0));
    for (const [i, input] of inputs.entries()) await fixture.write(input, u32(i + 1));
    const works = inputs.map((input) => fixture.work([fixture.launch('append', [input, row])]));
    const joined = Fence.join(null, ...works.map(({ fence }) => fence));
    assert.is(joined?.points.length, 2);
    await fixture.work([], { wait: joined }).retired;
    assert.is(joined?.state, 'reached');
    assert.is(Fence.join(null, null), null);
  });

  on('conflicting works run in the order of acceptance, on any timelines', async (fixture) => {
    const row = fixture.place(4);
    await fixture.write(row, u32(0));
    const inputs = Array.from({ length: 12 }, () => fixture.place(4));
    const works = inputs.flatMap((target, i) => [
      fixture.work([{ op: 'upload', target, bytes: u32(i) }]),
      fixture.work([fixture.launch('append', [target, row])]),
    ]);
    await Promise.all(works.map(({ retired }) => retired));
    const expected = inputs.reduce((value, _, i) => (Math.imul(value, 31) + i) >>> 0, 0);
    assert.equal(toWords(await fixture.read(row)), [expected]);
  });

  on('a later failure does not poison an earlier fence', async (fixture) => {
    const timeline = fixture.device.createTimeline('sticky');
    const [input, output] = [fixture.place(12), fixture.place(12)];
    await fixture.write(input, u32(...failing()));
    const good = fixture.work([fixture.launch('triple', [input, output])], { timeline });
    const bad = fixture.work([fixture.launch('poisonous', [input, output])], { timeline });
    const after = fixture.work([], { timeline, label: 'the next' });
    assert.is((await good.retired).failure, null);
    const failure = (await bad.retired).failure;
    assert.is(failure?.code, 'internal');
    assert.match(failure!.message, /kernel first \(dispatch 0 of poisonous\) .* extent of 70000/);
    assert.match((await after.retired).failure!.message, /the next did not run: kernel first/);
    assert.is(good.fence.state, 'reached');
    assert.is((bad.fence.state as { code: string }).code, 'internal');
    assert.is((await fixture.work([], { wait: good.fence }).retired).failure, null);
  });

  on(
    'failure poisons what waits for it and what reads its bytes, never what only follows',
    async (fixture) => {
      const [input, output, other] = [fixture.place(12), fixture.place(12), fixture.place(12)];
      await fixture.write(input, u32(...poisonWith('gridTooLarge', 1, 70_000)));
      const bad = fixture.work([fixture.launch('poisonous', [input, output])]);
      const waits = fixture.work([], { wait: bad.fence });
      const reads = fixture.work([fixture.launch('triple', [output, other])]);
      const overwrites = fixture.work([{ op: 'fill', target: output, byte: 0 }]);
      const failure = (await bad.retired).failure;
      assert.match(failure!.message, /kernel second .*grid extent of 70000; the limit is 65535/);
      assert.equal((await waits.retired).failure?.cause, failure);
      assert.equal((await reads.retired).failure?.cause, failure);
      assert.is((await overwrites.retired).failure, null);
    },
  );

  on('a dependent of a failure retires only when all that it waits for has', async (fixture) => {
    const order: string[] = [];
    const input = fixture.place(12);
    const output = fixture.place(4);
    await fixture.write(input, u32(...failing()));
    let release = (): void => {};
    const slow = fixture.work([
      { op: 'call', reads: [], writes: [], run: (done) => (release = () => done(null)) },
    ]);
    const bad = fixture.work([fixture.launch('poisonous', [input, output])]);
    const dependent = fixture.work([], { wait: Fence.join(slow.fence, bad.fence) });
    const told = dependent.retired.then(({ failure }) => {
      assert.ok(failure);
      order.push('dependent');
    });
    await bad.retired;
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push('released');
    while (fixture.device.queue.inFlight > 0) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await told;
    assert.equal(order, ['released', 'dependent']);
  });

  on('programs that trap fail their work with the reason', async (fixture) => {
    const output = fixture.place(4);
    const bad = await fixture.work([fixture.launch('trapping', [output])]).retired;
    assert.is(bad.failure?.code, trapped.code);
    assert.match(bad.failure!.message, trapped.message);
    const good = await fixture.work([{ op: 'fill', target: output, byte: 9 }]).retired;
    assert.is(good.failure, null);
  });

  on('an unloaded executable still runs for works that were accepted', async (fixture) => {
    const [input, output] = [fixture.place(4), fixture.place(4)];
    await fixture.write(input, u32(5));
    const work = fixture.work([fixture.launch('triple', [input, output])]);
    fixture.device.unload('triple');
    assert.throws(() => fixture.device.executable('triple'), /no executable 'triple'/);
    assert.is((await work.retired).failure, null);
    assert.equal(toWords(await fixture.read(output)), [16]);
  });

  test.run();
}
