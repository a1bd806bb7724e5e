/**
 * Copies and fills that a submission lists between its executions: what they do to resident
 * storage, in which order, and what is refused. Run against every driver.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SubmissionCommand } from '../../runtime/hal/submission.js';
import { toWords, u32 } from '../runtime/hal/device-fixture.js';
import { submission, tripled, whole } from '../runtime/hal/submissions.js';
import type { OpenFixture } from './device.js';
import { invocationCases } from './invocations.js';

const range = (buffer: number, offset: number, length: number) => ({ buffer, offset, length });
const copy = (
  source: ReturnType<typeof range>,
  target: ReturnType<typeof range>,
): SubmissionCommand => ({ op: 'copy', source, target });
const fill = (target: ReturnType<typeof range>, byte: number): SubmissionCommand => ({
  op: 'fill',
  target,
  byte,
});

export function moveConformance(driver: string, open: OpenFixture): void {
  const test = suite(`moves on ${driver}`);
  const on = invocationCases(test, open);

  on('control: bytes go from place to place of resident storage, and zeros', async (fixture) => {
    await fixture.createStorage('pages', 32);
    const pages = { bytes: 32, lifetime: 'shared', key: 'pages' } as const;
    const story = await fixture.invoke(
      submission({
        buffers: [pages],
        uploads: [{ target: whole(0, 32), bytes: u32(1, 2, 3, 4, 5, 6, 7, 8) }],
        commands: [copy(range(0, 0, 8), range(0, 16, 8)), fill(range(0, 4, 4), 0)],
        snapshot: [whole(0, 32)],
      }),
    );
    assert.equal(toWords(story.retired!.snapshot), [1, 0, 3, 4, 1, 2, 7, 8]);
    const later = await fixture.invoke(submission({ buffers: [pages], snapshot: [whole(0, 32)] }));
    assert.equal(toWords(later.retired!.snapshot), [1, 0, 3, 4, 1, 2, 7, 8], 'it stays');
    fixture.runner.release('pages');
  });

  on('moves run in order among themselves and with executions', async (fixture) => {
    const [a, b, c] = [whole(0, 8), whole(1, 8), whole(2, 8)];
    const triple = (work: number, from: typeof a, to: typeof a): SubmissionCommand => ({
      ...{ op: 'execute', work, executable: 'triple', part: 0 },
      roots: [from, to],
    });
    const story = await fixture.invoke(
      submission({
        buffers: [8, 8, 8].map((bytes) => ({ bytes, lifetime: 'invocation' })),
        uploads: [{ target: a, bytes: u32(1, 2) }],
        commands: [
          triple(0, a, b), // b = 4, 7
          copy(range(1, 4, 4), range(0, 0, 4)), // a = 7, 2
          copy(range(0, 0, 4), range(2, 4, 4)), // c = ?, 7: after the copy before it
          fill(range(0, 4, 4), 1), // a = 7, 0x01010101
          triple(1, a, b), // b = 22, …
          copy(range(1, 0, 4), range(2, 0, 4)), // c = 22, 7
        ],
        snapshot: [c, b],
      }),
    );
    assert.equal(toWords(story.retired!.snapshot), [22, 7, 22, 0x01010101 * 3 + 1]);
  });

  on('any byte may be the first and the last', async (fixture) => {
    const story = await fixture.invoke(
      submission({
        buffers: [{ bytes: 16, lifetime: 'invocation' }],
        uploads: [{ target: whole(0, 16), bytes: Uint8Array.from({ length: 16 }, (_, i) => i) }],
        commands: [copy(range(0, 1, 5), range(0, 8, 5)), fill(range(0, 3, 2), 0xee)],
        snapshot: [whole(0, 16)],
      }),
    );
    assert.equal(
      [...story.retired!.snapshot],
      [0, 1, 2, 0xee, 0xee, 5, 6, 7, 1, 2, 3, 4, 5, 13, 14, 15],
    );
  });

  on('no bytes are as good as any number of bytes', async (fixture) => {
    const request = tripled([1, 2]);
    const [run] = request.commands;
    const none = range(1, 8, 0);
    const story = await fixture.invoke({
      ...request,
      commands: [
        copy(range(0, 4, 0), none),
        fill(none, 1),
        run!,
        { op: 'feedback', work: 0, source: none, slot: 0 },
      ],
    });
    assert.equal(toWords(story.retired!.snapshot), [4, 7]);
    assert.equal(
      story.retired!.feedback.map(({ slot, bytes }) => [slot, bytes.length]),
      [[0, 0]],
    );
  });

  on('words that a move wrote did not come from the host', async (fixture) => {
    const roots = [whole(0, 4), whole(1, 4)];
    const hosted = { op: 'execute', work: 0, executable: 'hosted', roots, part: 0 } as const;
    const request = (...moves: SubmissionCommand[]) =>
      submission({
        buffers: [4, 4].map((bytes) => ({ bytes, lifetime: 'invocation' })),
        uploads: roots.map((target) => ({ target, bytes: u32(2) })),
        commands: [...moves, hosted],
      });
    assert.is((await fixture.invoke(request())).failed, null);
    for (const move of [copy(whole(1, 4), whole(0, 4)), fill(whole(0, 4), 0)]) {
      const story = await fixture.invoke(request(move));
      assert.match(story.failed!.message, /root 'input' of append is read on the host/);
    }
  });

  on('wrong moves are refused before anything is placed', async (fixture) => {
    const wrong: [RegExp, SubmissionCommand][] = [
      [/source of a copy has bytes 4…12 of a buffer of 8/, copy(range(0, 4, 8), range(1, 0, 8))],
      [/target of a copy names buffer 7/, copy(range(0, 0, 8), range(7, 0, 8))],
      [/copy of 4 bytes goes to a range of 8/, copy(range(0, 0, 4), range(1, 0, 8))],
      [/copy writes over its own source/, copy(range(0, 0, 6), range(0, 2, 6))],
      [/target of a fill has bytes -1…3/, fill(range(0, -1, 4), 0)],
      [/fill with 256; a byte is 0 to 255/, fill(range(0, 0, 4), 256)],
    ];
    for (const [message, command] of wrong) {
      const story = await fixture.invoke({ ...tripled([1, 2]), commands: [command] });
      assert.equal(story.events, ['failed'], String(message));
      assert.match(story.failed!.message, message);
    }
    assert.is(fixture.ledger.leases, 0);
  });

  test.run();
}
