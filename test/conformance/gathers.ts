/**
 * Reads of checkpoint bytes on demand, against every driver: what a gather waits for and what waits
 * for it, when its storage comes back, and how long its files stay open. Files are real; the test
 * says when each read happens.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { truncateSync } from 'node:fs';
import type { Submission, SubmissionCommand } from '../../runtime/hal/submission.js';
import { toWords, u32, type DeviceFixture } from '../runtime/hal/device-fixture.js';
import { failing } from '../runtime/hal/programs.js';
import { submission, tripled, whole } from '../runtime/hal/submissions.js';
import { descriptorBytes, type Descriptor } from '../runtime/parameters/descriptor-bytes.js';
import type { OpenFixture } from './device.js';
import { entryOf, fileWord, GatherSource, SCOPE, settled } from './gather-source.js';
import { invocationCases } from './invocations.js';

type GatherCommand = Extract<SubmissionCommand, { op: 'gather' }>;

const execute = (work: number, executable: string, roots: GatherCommand['target'][]) =>
  ({ op: 'execute', work, executable, roots, part: 0 }) as const;
const join = (fence: number) => ({ op: 'join', fence }) as const;

/** Room for two descriptors, and four words each for two targets and two results. */
const buffers = [48, 16, 16, 16, 16].map((bytes) => ({ bytes, lifetime: 'invocation' }) as const);
const [TABLE, FIRST, SECOND, ONE, TWO] = [0, 1, 2, 3, 4] as const;

const row = (word: number, words = 4): Descriptor => [BigInt(word * 4), 0n, BigInt(words * 4)];

function gather(at: number, target: number, rest: Partial<GatherCommand> = {}): GatherCommand {
  const descriptors = { buffer: TABLE, offset: at * 24, length: 24 };
  const base = { op: 'gather', fence: target, wait: null, entry: entryOf() } as const;
  return { ...base, descriptors, target: whole(target, 16), ...rest };
}

function gathering(rows: Descriptor[], rest: Partial<Submission>): Submission {
  const bytes = descriptorBytes(rows);
  const target = { buffer: TABLE, offset: 0, length: bytes.length };
  return submission({ buffers, uploads: [{ target, bytes }], sources: SCOPE, ...rest });
}

const words = (first: number, count = 4) =>
  Array.from({ length: count }, (_, at) => fileWord(first + at));
const tripledWords = (first: number) => words(first).map((value) => value * 3 + 1);

/** One gather and a reader of what it brought. */
const simple = (first: number, rest: Partial<Submission> = {}) =>
  gathering([row(first)], {
    commands: [
      gather(0, FIRST),
      join(FIRST),
      execute(0, 'triple', [whole(FIRST, 16), whole(ONE, 16)]),
    ],
    snapshot: [whole(ONE, 16)],
    ...rest,
  });

/** What `triple` makes the value of: 3x + 1 modulo 2^32 has an inverse. */
const beforeTriple = (value: number): number => Math.imul(value - 1, 0xaaaaaaab) >>> 0;

type Case = (fixture: DeviceFixture, source: GatherSource) => Promise<void>;

export function gatherConformance(driver: string, open: OpenFixture): void {
  const test = suite(`gathers on ${driver}`);
  const cases = invocationCases(test, open);
  const on = (name: string, run: Case): void =>
    cases(name, async (fixture) => {
      const source = new GatherSource(fixture);
      try {
        await run(fixture, source);
        assert.equal(source.open, [], 'every read has retired');
      } finally {
        source.close();
      }
    });

  on('control: ranges of an entry arrive in their target', async (fixture, source) => {
    const story = await fixture.invoke(simple(5));
    assert.equal(toWords(story.retired!.snapshot), tripledWords(5));
    assert.equal(source.events, ['0 started', '0 read', '0 retired']);
    assert.equal(source.copied, [24], 'the host keeps the descriptors and no payload');
  });

  on('its descriptors may be what a stage before it computed', async (fixture) => {
    const bytes = u32(...[40, 0, 4, 0, 12, 0].map(beforeTriple));
    const asked = submission({
      buffers: [{ bytes: 24, lifetime: 'invocation' }, ...buffers.slice(1)],
      uploads: [{ target: whole(0, 24), bytes }],
      commands: [],
    });
    const sources = SCOPE;
    const commands: SubmissionCommand[] = [
      execute(0, 'triple', [whole(0, 24), whole(5, 24)]),
      { op: 'fence', fence: 9, work: 0 },
      gather(0, FIRST, { wait: 9, descriptors: whole(5, 24) }),
      join(FIRST),
      execute(1, 'triple', [{ buffer: FIRST, offset: 4, length: 12 }, whole(ONE, 12)]),
    ];
    const all = [...asked.buffers, { bytes: 24, lifetime: 'invocation' } as const];
    const snapshot = [whole(5, 24), whole(ONE, 12)];
    const story = await fixture.invoke({ ...asked, buffers: all, sources, commands, snapshot });
    const [from, , to, , length, , ...rest] = toWords(story.retired!.snapshot);
    assert.equal([from, to, length], [40, 4, 12]);
    assert.equal(rest, tripledWords(10).slice(0, 3));
  });

  on('two in flight are joined one by one, whichever comes first', async (fixture, source) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      source.hold();
      const ended = fixture.invoke(
        gathering([row(3), row(20)], {
          commands: [
            gather(0, FIRST),
            gather(1, SECOND),
            join(FIRST),
            execute(0, 'triple', [whole(FIRST, 16), whole(ONE, 16)]),
            join(SECOND),
            execute(1, 'triple', [whole(SECOND, 16), whole(TWO, 16)]),
          ],
          snapshot: [whole(ONE, 16), whole(TWO, 16)],
        }),
      );
      await settled(() => source.held.length === 2);
      // Both reads, both executions, the snapshot.
      await settled(() => fixture.device.queue.inFlight === 5);
      source.release(source.held[order[0]!]!);
      // The first consumer needs the first read only; the second needs both.
      const left = order[0] === 0 ? 3 : 4;
      await settled(() => fixture.device.queue.inFlight === left);
      source.release(source.held[0]!);
      const story = await ended;
      assert.equal(toWords(story.retired!.snapshot), [...tripledWords(3), ...tripledWords(20)]);
    }
  });

  on('whoever does not read what it brings goes on meanwhile', async (fixture, source) => {
    source.hold();
    const ended = fixture.invoke(simple(1));
    await settled(() => source.held.length === 1);
    const other = await fixture.invoke(tripled([1, 2]));
    assert.equal(toWords(other.retired!.snapshot), [4, 7]);
    source.release(source.held[0]!);
    assert.is((await ended).failed, null);
  });

  on(
    'a reused target is written when its earlier readers have retired',
    async (fixture, source) => {
      await fixture.createStorage('zone', 16);
      const zoned = buffers.map((each, index) =>
        index === SECOND ? ({ bytes: 16, lifetime: 'row', key: 'zone' } as const) : each,
      );
      const before = submission({
        buffers: zoned,
        uploads: [{ target: whole(SECOND, 16), bytes: u32(1, 2, 3, 4) }],
      });
      assert.is((await fixture.invoke(before)).failed, null);
      source.hold();
      // Reads the zone, but only after a read of its own that is still to come.
      const reading = fixture.invoke(
        gathering([row(0)], {
          buffers: zoned,
          commands: [
            gather(0, FIRST),
            join(FIRST),
            execute(0, 'triple', [whole(SECOND, 16), whole(ONE, 16)]),
          ],
          snapshot: [whole(ONE, 16)],
        }),
      );
      await settled(() => source.held.length === 1);
      const writing = fixture.invoke(
        gathering([row(8)], {
          buffers: zoned,
          commands: [gather(0, SECOND)],
          snapshot: [whole(SECOND, 16)],
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.ok(!source.events.includes('1 started'), 'the zone is still to be read');
      source.release(source.held[0]!);
      assert.equal(toWords((await reading).retired!.snapshot), [4, 7, 10, 13]);
      await settled(() => source.held.length === 1);
      source.release(source.held[0]!);
      assert.equal(toWords((await writing).retired!.snapshot), words(8));
      fixture.runner.release('zone');
    },
  );

  on(
    'after a failed wait fence it reads nothing, and its readers fail',
    async (fixture, source) => {
      const bytes = new Uint8Array(48);
      bytes.set(u32(...failing()));
      const story = await fixture.invoke({
        ...simple(5),
        uploads: [{ target: whole(TABLE, 48), bytes }],
        commands: [
          execute(0, 'poisonous', [whole(TABLE, 12), whole(TWO, 16)]),
          { op: 'fence', fence: 9, work: 0 },
          gather(1, FIRST, { wait: 9 }),
          join(FIRST),
          execute(1, 'triple', [whole(FIRST, 16), whole(ONE, 16)]),
        ],
      });
      assert.equal(story.events, ['accepted', 'failed']);
      assert.match(story.failed!.message, /grid extent of 70000/);
      assert.equal(source.events, ['0 retired'], 'it never began');
    },
  );

  on('storage waits for a read in flight although the rest has failed', async (fixture, source) => {
    source.hold();
    const bytes = new Uint8Array(48);
    bytes.set(descriptorBytes([row(5)]));
    bytes.set(u32(...failing()), 24);
    const cause = { buffer: TABLE, offset: 24, length: 12 };
    const asked: Submission = {
      ...simple(5),
      uploads: [{ target: whole(TABLE, 48), bytes }],
      commands: [gather(0, FIRST), execute(0, 'poisonous', [cause, whole(ONE, 16)])],
    };
    const story = fixture.start(asked);
    await settled(() => source.held.length === 1 && fixture.device.queue.inFlight === 1);
    assert.equal(story.events, ['accepted']);
    assert.ok(fixture.ledger.bytes > 0, 'a thread may still write into it');
    source.release(source.held[0]!);
    await settled(() => story.events.length === 2);
    assert.match(story.failed!.message, /grid extent of 70000/);
  });

  on('bad descriptors fail their own submission', async (fixture) => {
    const bad: [row: Descriptor, expected: RegExp][] = [
      [[0n, 0n, 17n], /descriptor 0 writes up to byte 17 of the target/],
      [row(62), /descriptor 0 reads up to byte 264 of entry 'table', which has 256/],
      [[2n ** 64n - 1n, 0n, 2n], /descriptor 0 reads up to byte 18446744073709551617/],
    ];
    const stories = await Promise.all(
      bad.map(([each]) => {
        const bytes = descriptorBytes([each]);
        return fixture.invoke(simple(0, { uploads: [{ target: whole(TABLE, 24), bytes }] }));
      }),
    );
    const good = await fixture.invoke(simple(2));
    assert.equal(toWords(good.retired!.snapshot), tripledWords(2));
    stories.forEach(({ events, failed }, index) => {
      assert.equal(events, ['accepted', 'failed']);
      assert.match(failed!.message, bad[index]![1]);
    });
  });

  on('a file that was cut short fails who touches what is gone', async (fixture, source) => {
    truncateSync(source.path, entryOf().offset + 32);
    const [gone, there] = await Promise.all([fixture.invoke(simple(6)), fixture.invoke(simple(4))]);
    assert.is(gone.failed?.code, 'dataLoss');
    assert.match(gone.failed!.message, /entry 'table': weights: bytes 40 to 56 cannot be read/);
    assert.equal(toWords(there.retired!.snapshot), tripledWords(4));
  });

  on('files stay open until the last accepted read has retired', async (fixture, source) => {
    source.hold();
    const ended = fixture.invoke(simple(7));
    await settled(() => source.held.length === 1);
    assert.ok(source.unregister());
    assert.is(source.isClosed, false);
    const late = await fixture.invoke(simple(7));
    assert.match(late.failed!.message, /no sources of net@1 are open/);
    source.release(source.held[0]!);
    assert.equal(toWords((await ended).retired!.snapshot), tripledWords(7));
    await settled(() => source.isClosed);
  });

  on('what no program records is refused before it costs anything', async (fixture) => {
    const entry = entryOf();
    const cases: [commands: SubmissionCommand[], rest: Partial<Submission>, expected: RegExp][] = [
      [[gather(0, FIRST, { wait: 7 })], {}, /fence 7 is not known/],
      [[gather(0, FIRST), gather(0, SECOND, { fence: FIRST })], {}, /fence 1 is made twice/],
      [[gather(0, FIRST, { target: whole(TABLE, 16) })], {}, /writes over its own descriptors/],
      [[gather(0, FIRST, { descriptors: whole(TABLE, 20) })], {}, /20 bytes of descriptors/],
      [[gather(0, FIRST, { target: whole(FIRST, 20) })], {}, /target of a gather from 'table'/],
      [[gather(0, FIRST)], { sources: 'other@1' }, /no sources of other@1/],
      [[gather(0, FIRST, { entry: { ...entry, shard: 3 } })], {}, /no shard 3 of source 0/],
    ];
    for (const [commands, rest, expected] of cases) {
      const story = await fixture.invoke(gathering([row(0)], { commands, ...rest }));
      assert.equal(story.events, ['failed']);
      assert.match(story.failed!.message, expected);
    }
    const { sources: _, ...without } = gathering([row(0)], { commands: [gather(0, FIRST)] });
    assert.match((await fixture.invoke(without)).failed!.message, /gathers without sources/);
  });

  test.run();
}
