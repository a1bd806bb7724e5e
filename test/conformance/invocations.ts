/**
 * What a device and everything that stands on it must do for submissions: admission, snapshots,
 * feedback, cancellation, isolation of bytes. Run against every driver; the control case comes
 * first.
 */
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { toWords, u32, type DeviceFixture } from '../runtime/hal/device-fixture.js';
import { submission, tripled, whole } from '../runtime/hal/submissions.js';
import type { OpenFixture } from './device.js';

const KIB = 1024;

/** Adds a case: a fresh device, and at its end the laws of storage. */
export type AddCase = (
  name: string,
  run: (fixture: DeviceFixture) => Promise<void>,
  options?: Parameters<OpenFixture>[0],
) => void;

export function invocationCases(test: Test, open: OpenFixture): AddCase {
  return (name, run, options = { poison: true }) =>
    test(name, async () => {
      const fixture = await open(options);
      try {
        await run(fixture);
        fixture.ledger.assertZero();
        assert.is(fixture.pool.usedBytes, 0, 'the pool has everything back');
        assert.is(fixture.budget.reservedBytes, 0);
        assert.ok(fixture.mostBytes <= fixture.ledger.limitBytes, 'the budget was kept');
      } finally {
        await fixture.close();
      }
    });
}

export function invocationConformance(driver: string, open: OpenFixture): void {
  const test = suite(`invocations on ${driver}`);
  const on = invocationCases(test, open);

  on('control: accepted, then retired with the snapshot', async (fixture) => {
    const story = await fixture.invoke(tripled([1, 2, 3]));
    assert.equal(story.events, ['accepted', 'retired']);
    assert.equal(toWords(story.retired!.snapshot), [4, 7, 10]);
    const { accepted, started, retired } = story.retired!.times;
    assert.ok(accepted <= started && started <= retired);
  });

  on('only the live ranges are read back, in the order asked', async (fixture) => {
    const request = tripled([1, 2, 3, 4]);
    const snapshot = [3, 0].map((word) => ({ buffer: 1, offset: word * 4, length: 4 }));
    const story = await fixture.invoke({ ...request, snapshot });
    assert.equal(toWords(story.retired!.snapshot), [13, 4]);
  });

  on('feedback is a copy taken after its work, not after later ones', async (fixture) => {
    const [a, b, row] = [whole(0, 4), whole(1, 4), whole(2, 4)];
    const story = await fixture.invoke(
      submission({
        buffers: [4, 4, 4].map((bytes) => ({ bytes, lifetime: 'invocation' })),
        uploads: [
          { target: a, bytes: u32(3) },
          { target: b, bytes: u32(4) },
          { target: row, bytes: u32(0) },
        ],
        commands: [
          { op: 'execute', work: 0, executable: 'append', roots: [a, row], part: 0 },
          { op: 'feedback', work: 0, source: row, slot: 7 },
          { op: 'fence', fence: 0, work: 0 },
          { op: 'join', fence: 0 },
          { op: 'execute', work: 1, executable: 'append', roots: [b, row], part: 0 },
          { op: 'feedback', work: 1, source: row, slot: 7 },
        ],
        snapshot: [row],
      }),
    );
    assert.equal(
      story.retired!.feedback.map(({ slot, bytes }) => [slot, ...toWords(bytes)]),
      [
        [7, 3],
        [7, 3 * 31 + 4],
      ],
    );
    assert.equal(toWords(story.retired!.snapshot), [3 * 31 + 4]);
  });

  on('concurrent works share no workspace', async (fixture) => {
    const request = (value: number) =>
      submission({
        buffers: [
          { bytes: 4, lifetime: 'invocation' },
          { bytes: KIB, lifetime: 'invocation' },
        ],
        uploads: [{ target: whole(0, 4), bytes: u32(value) }],
        commands: [
          {
            op: 'execute',
            work: 0,
            executable: 'echo',
            roots: [whole(0, 4), whole(1, KIB)],
            part: 0,
          },
        ],
        snapshot: [whole(1, KIB)],
      });
    const stories = await Promise.all([1, 2, 3, 4].map((value) => fixture.invoke(request(value))));
    stories.forEach((story, i) => {
      assert.equal(new Set(toWords(story.retired!.snapshot)), new Set([i + 1]));
    });
  });

  on(
    'admission is in order of arrival within the budget; what can never fit is refused at once',
    async (fixture) => {
      const sizes = [3, 1, 3, 2, 1, 3].map((kib) => (kib * KIB) / 4);
      const requests = sizes.map((words, i) => tripled(Array.from({ length: words }, () => i)));
      const stories = requests.map((request) => fixture.invoke(request));
      assert.ok(fixture.runner.waiting > 0, 'some had to wait');
      for (const [i, story] of (await Promise.all(stories)).entries()) {
        assert.equal(new Set(toWords(story.retired!.snapshot)), new Set([i * 3 + 1]));
      }
      assert.equal(
        fixture.accepted,
        requests.map(({ invocation }) => invocation),
      );
      const huge = await fixture.invoke(tripled(Array.from({ length: 2 * KIB }, () => 0)));
      assert.equal(huge.events, ['failed']);
      assert.is(huge.failed?.code, 'resourceExhausted');
      assert.match(huge.failed!.message, /needs 16384 bytes.*limit is 8192 \(--memory\)/);
    },
    { memoryBytes: 8 * KIB, poison: true },
  );

  on(
    'cancelling takes back what waits and frees nothing of what runs',
    async (fixture) => {
      const words = Array.from({ length: (3 * KIB) / 4 }, () => 1);
      const first = tripled(words);
      const second = tripled(words);
      const running = fixture.invoke(first);
      const waiting = fixture.start(second);
      const before = fixture.ledger.bytes;
      assert.is(fixture.runner.cancel(first.invocation), false);
      assert.is(fixture.runner.cancel(second.invocation), true);
      assert.equal(waiting.events, ['failed']);
      assert.is(waiting.failed?.code, 'cancelled');
      assert.is(fixture.ledger.bytes, before);
      assert.equal((await running).events, ['accepted', 'retired']);
    },
    { memoryBytes: 8 * KIB },
  );

  on(
    'bytes that pass to another deployment are cleared, and stay for the same one',
    async (fixture) => {
      const peek = (deployment: string): Promise<number[]> => {
        const request = submission(
          { buffers: [{ bytes: 8, lifetime: 'invocation' }], snapshot: [whole(0, 8)] },
          deployment,
        );
        return fixture.invoke(request).then((story) => toWords(story.retired!.snapshot));
      };
      await fixture.invoke(tripled([11, 12]));
      assert.equal(await peek('test'), [11, 12]);
      assert.equal(await peek('another'), [0, 0]);
      assert.equal(await peek('test'), [0, 0]);
    },
    { poison: false },
  );

  on('a root that scalars are read from must come from the host', async (fixture) => {
    const roots = [whole(0, 4), whole(1, 4)];
    const execute = (work: number, executable: string) =>
      ({ op: 'execute', work, executable, roots, part: 0 }) as const;
    const request = (rest: object) =>
      submission({
        buffers: [4, 4].map((bytes) => ({ bytes, lifetime: 'invocation' })),
        uploads: roots.map((target) => ({ target, bytes: u32(2) })),
        commands: [execute(0, 'hosted')],
        ...rest,
      });
    assert.is((await fixture.invoke(request({}))).failed, null);
    const none = await fixture.invoke(request({ uploads: [] }));
    assert.is(none.failed?.code, 'internal');
    const turned = { op: 'execute', work: 0, executable: 'triple', part: 0 } as const;
    const device = await fixture.invoke(
      request({ commands: [{ ...turned, roots: [roots[1], roots[0]] }, execute(1, 'hosted')] }),
    );
    assert.match(device.failed!.message, /root 'input' of append is read on the host/);
  });

  on('wrong bindings and ids are refused before anything is placed', async (fixture) => {
    const base = tripled([1, 2]);
    const run = base.commands[0] as object;
    const two = [whole(0, 8), whole(1, 8)];
    const wrong: [RegExp, object][] = [
      [/takes 2 roots and was given 1/, { commands: [{ ...run, roots: [two[0]] }] }],
      [
        /needs at least 4 bytes and was given 2/,
        { commands: [{ ...run, roots: [whole(0, 2), two[1]] }] },
      ],
      [/overlapping bytes/, { commands: [{ ...run, roots: [two[0], two[0]] }] }],
      [/bytes 0…12 of a buffer of 8/, { commands: [{ ...run, roots: [whole(0, 12), two[1]] }] }],
      [/names buffer 5/, { snapshot: [whole(5, 4)] }],
      [/no executable 'nothing'/, { commands: [{ ...run, executable: 'nothing' }] }],
      [/has 1 parts; part 1/, { commands: [{ ...run, part: 1 }] }],
      [/work 0 is submitted twice/, { commands: [run, run] }],
      [/work 3 is not of this invocation/, { commands: [{ op: 'fence', fence: 0, work: 3 }] }],
      [/fence 0 is not known/, { commands: [{ op: 'join', fence: 0 }] }],
      [/upload of 4 bytes goes to a range of 8/, { uploads: [{ target: two[0], bytes: u32(1) }] }],
      [/buffer 0 has 0 bytes/, { buffers: [{ bytes: 0, lifetime: 'invocation' }] }],
      [/row storage without a key/, { buffers: [{ bytes: 4, lifetime: 'row' }] }],
    ];
    for (const [message, rest] of wrong) {
      const story = await fixture.invoke({ ...base, ...rest });
      assert.equal(story.events, ['failed'], String(message));
      assert.match(story.failed!.message, message);
    }
    assert.is(fixture.ledger.leases, 0);
  });

  test.run();
}
