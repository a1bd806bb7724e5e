/**
 * What the later profiles stand on (several roots with lifetimes, leases over several submissions,
 * results between models, resident rows, storage after failures). Run against every driver.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Submission } from '../../runtime/hal/submission.js';
import { toWords, u32 } from '../runtime/hal/device-fixture.js';
import { failing } from '../runtime/hal/programs.js';
import { appended, poisoned, submission, tripled, whole } from '../runtime/hal/submissions.js';
import type { OpenFixture } from './device.js';
import { invocationCases } from './invocations.js';

export function foundationConformance(driver: string, open: OpenFixture): void {
  const test = suite(`foundations on ${driver}`);
  const on = invocationCases(test, open);

  on(
    'a result outlives its producer and is read by another model without the host',
    async (fixture) => {
      const bytes = 8;
      const asked = tripled([1, 2]);
      const producer = {
        ...asked,
        buffers: [
          { bytes, lifetime: 'invocation' },
          { bytes, lifetime: 'result', key: 'features' },
        ],
        commands: asked.commands.map((command) => ({ ...command, executable: 'producer' })),
        snapshot: [],
      } as Submission;
      const consumer = submission(
        {
          buffers: [
            { bytes, lifetime: 'shared', key: 'features' },
            { bytes, lifetime: 'invocation' },
          ],
          commands: [
            {
              op: 'execute',
              work: 0,
              executable: 'triple',
              roots: [whole(0, 8), whole(1, 8)],
              part: 0,
            },
          ],
          snapshot: [whole(1, 8)],
        },
        'another',
      );
      // Submitted at once: the consumer waits for the producer through the bytes.
      const [made, read] = await Promise.all([fixture.invoke(producer), fixture.invoke(consumer)]);
      assert.equal(made.retired!.results, [{ buffer: 1, lease: 'features', bytes }]);
      assert.is(made.retired!.snapshot.length, 0);
      assert.equal(toWords(read.retired!.snapshot), [13, 22]);
      assert.is(made.retired!.feedback.length, 0);
      // The producer is unregistered: its code leaves, and what it made stays.
      fixture.device.unload('producer');
      const again = await fixture.invoke({ ...consumer, invocation: 'again' });
      assert.equal(toWords(again.retired!.snapshot), [13, 22]);
      assert.equal(fixture.ledger.totals(), [{ kind: 'result', deployment: 'test', bytes: 256 }]);
      fixture.runner.release('features');
      const late = await fixture.invoke({ ...consumer, invocation: 'late' });
      assert.equal(late.events, ['failed']);
      assert.match(late.failed!.message, /no storage 'features'/);
    },
  );

  on('what a producer finished is right for its reader, though it fails later', async (fixture) => {
    const buffers = [
      { bytes: 12, lifetime: 'invocation' },
      { bytes: 12, lifetime: 'result', key: 'early' },
      { bytes: 12, lifetime: 'invocation' },
    ] as const;
    const execute = (work: number, executable: string, output: number) =>
      ({
        ...({ op: 'execute', work, executable, part: 0 } as const),
        roots: [whole(0, 12), whole(output, 12)],
      }) as const;
    const broken = submission({
      buffers,
      uploads: [{ target: whole(0, 12), bytes: u32(...failing()) }],
      commands: [execute(0, 'triple', 1), execute(1, 'poisonous', 2), execute(2, 'triple', 2)],
    });
    const reader = submission({
      buffers: [{ bytes: 12, lifetime: 'shared', key: 'early' }],
      snapshot: [whole(0, 12)],
    });
    const [made, read] = await Promise.all([fixture.invoke(broken), fixture.invoke(reader)]);
    assert.equal(made.events, ['accepted', 'failed']);
    assert.match(made.failed!.message, /grid extent of 70000/);
    assert.equal(
      toWords(read.retired!.snapshot),
      failing().map((word) => word * 3 + 1),
    );
  });

  on(
    'five roots, each of its own lifetime, and the result goes on as another input',
    async (fixture) => {
      await fixture.createStorage('rows', 16);
      await fixture.createStorage('streams', 16);
      await fixture.createStorage('voice', 4, 'request');
      const roots = [12, 16, 4, 16, 8].map((length, buffer) => whole(buffer, length));
      const step = submission({
        buffers: [
          { bytes: 12, lifetime: 'invocation' },
          { bytes: 16, lifetime: 'row', key: 'rows' },
          { bytes: 4, lifetime: 'shared', key: 'voice' },
          { bytes: 16, lifetime: 'row', key: 'streams' },
          { bytes: 8, lifetime: 'result', key: 'frames' },
        ],
        uploads: [
          { target: roots[0]!, bytes: u32(2, 3, 1) },
          { target: roots[2]!, bytes: u32(100) },
        ],
        commands: [{ op: 'execute', work: 0, executable: 'cohort', roots, part: 0 }],
      });
      const kinds = (): string[] =>
        fixture.ledger
          .totals()
          .map(({ kind, bytes }) => `${kind} ${bytes}`)
          .sort();
      const made = await fixture.invoke(step);
      assert.equal(made.retired!.results, [{ buffer: 4, lease: 'frames', bytes: 8 }]);
      assert.equal(kinds(), ['request 256', 'result 256', 'row 512'], 'its own bytes are back');
      const reader = submission({
        buffers: [
          { bytes: 8, lifetime: 'shared', key: 'frames' },
          { bytes: 8, lifetime: 'invocation' },
        ],
        commands: [
          {
            ...({ op: 'execute', work: 0, executable: 'triple', part: 0 } as const),
            roots: [whole(0, 8), whole(1, 8)],
          },
        ],
        snapshot: [whole(1, 8)],
      });
      const read = await fixture.invoke(reader);
      assert.equal(toWords(read.retired!.snapshot), [304, 304]);
      for (const key of ['rows', 'streams', 'voice', 'frames']) fixture.runner.release(key);
    },
  );

  on(
    'storage of a failed producer stays until its last accepted consumer retired',
    async (fixture) => {
      const result = { bytes: 8, lifetime: 'result', key: 'broken' } as const;
      const held: number[] = [];
      const producing = new Promise<void>((resolve) =>
        fixture.start(poisoned(failing(), result), (story) => {
          assert.is(story.failed?.code, 'internal');
          held.push(fixture.ledger.entries().filter(({ uses }) => uses > 0).length);
          resolve();
        }),
      );
      const consuming = fixture.invoke(appended('broken', 1, 'shared'));
      await producing;
      const consumer = await consuming;
      assert.equal(consumer.events, ['accepted', 'failed']);
      assert.match(consumer.failed!.message, /grid extent of 70000/);
      // When the producer failed, the consumer's own buffer and the shared one were still in use.
      assert.equal(held, [2]);
      assert.is((await fixture.invoke(tripled([1]))).failed, null, 'later work runs');
    },
  );

  on('resident rows are addressed through a row map by changing cohorts', async (fixture) => {
    await fixture.createStorage('rows', 16);
    await fixture.createStorage('streams', 16);
    await fixture.createStorage('voice', 4, 'request');
    const cohort = (...members: number[]): Promise<number[]> => {
      const bytes = members.length * 4;
      const roots = [bytes + 4, 16, 4, 16, bytes].map((length, buffer) => whole(buffer, length));
      const request = submission({
        buffers: [
          { bytes: bytes + 4, lifetime: 'invocation' },
          { bytes: 16, lifetime: 'row', key: 'rows' },
          { bytes: 4, lifetime: 'shared', key: 'voice' },
          { bytes: 16, lifetime: 'row', key: 'streams' },
          { bytes, lifetime: 'invocation' },
        ],
        uploads: [
          { target: roots[0]!, bytes: u32(members.length, ...members) },
          { target: roots[2]!, bytes: u32(100) },
        ],
        commands: [{ op: 'execute', work: 0, executable: 'cohort', roots, part: 0 }],
        snapshot: [roots[4]!],
      });
      return fixture.invoke(request).then((story) => toWords(story.retired!.snapshot));
    };
    const rounds = await Promise.all([cohort(0, 2), cohort(2, 3, 0), cohort(1), cohort(3, 2)]);
    assert.equal(rounds, [[101, 101], [102, 101, 102], [101], [102, 103]]);
    for (const key of ['rows', 'streams', 'voice']) fixture.runner.release(key);
  });

  on('parts of one invocation find the workspace as they left it', async (fixture) => {
    const roots = [whole(0, 4), whole(1, 4)];
    const part = (n: number) =>
      ({ op: 'execute', work: n, executable: 'parts', roots, part: n }) as const;
    const request = (rest: object) =>
      submission({
        buffers: [4, 4].map((bytes) => ({ bytes, lifetime: 'invocation' })),
        uploads: [{ target: roots[0]!, bytes: u32(5) }],
        snapshot: [roots[1]!],
        ...rest,
      });
    const once = await fixture.invoke(request({ commands: [part(0), part(1), part(2)] }));
    assert.equal(toWords(once.retired!.snapshot), [512]);
    const skipped = await fixture.invoke(request({ commands: [part(1)] }));
    assert.match(skipped.failed!.message, /part 1 of parts comes before part 0/);
    // Over several submissions, with other work in between.
    await fixture.createStorage('kept', 256, 'request');
    for (const n of [0, 1, 2]) {
      const story = await fixture.invoke(request({ commands: [part(n)], workspace: 'kept' }));
      assert.equal(toWords(story.retired!.snapshot), [[5], [51], [512]][n]);
      await fixture.invoke(tripled([9, 9, 9, 9]));
    }
    fixture.runner.release('kept');
  });

  test.run();
}
