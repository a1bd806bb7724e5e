/**
 * What readers of the records see, however slow they are: in order, and what is missing is known.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecordHistory } from '../../../actors/edge/record-history.js';
import type { SystemRecord } from '../../../runtime/system/recorder.js';

/** Numbered by its time. */
const recordOf = (atMs: number): SystemRecord => ({
  type: 'unexpected',
  atMs,
  actor: 'main:/a',
  state: 's',
  event: 'e',
});

interface Shown {
  readonly lost: number;
  readonly records: readonly { readonly atMs: number }[];
}

/** Adds batches of so many records (negative: so many gave way before) and reads after some. */
const histories = fc.record({
  keptMax: fc.integer({ min: 1, max: 20 }),
  steps: fc.array(fc.record({ records: fc.nat(6), lost: fc.nat(2), reads: fc.nat(3) }), {
    minLength: 1,
    maxLength: 40,
  }),
});

test('a reader gets records in order, each once, and hears how many it missed', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async ({ keptMax, steps }) => {
      const history = new RecordHistory(keptMax);
      const reader = history.reader(null);
      let made = 0;
      let gone = 0;
      const seen: number[] = [];
      let missed = 0;
      let unread = 0;
      const read = async (): Promise<void> => {
        const event = await reader.next();
        const { records, lost } = JSON.parse(event!.text) as Shown;
        seen.push(...records.map(({ atMs }) => atMs));
        missed += lost;
        assert.is(event!.id, seen.length + missed, 'the id counts what there was');
        unread = event!.id === made + gone ? 0 : 1;
      };
      for (const { records, lost, reads } of steps) {
        const batch = Array.from({ length: records }, () => recordOf((made += 1)));
        gone += lost;
        history.add(0, { records: batch, lost });
        if (records + lost > 0) unread = 1;
        for (let index = 0; index < reads && unread > 0; index += 1) await read();
      }
      while (unread > 0) await read();
      assert.is(seen.length + missed, made + gone);
      assert.equal(
        seen,
        [...new Set(seen)].sort((left, right) => left - right),
      );
    }),
  );
});

test('one that comes back goes on from where it was, as far as that is kept', async () => {
  const history = new RecordHistory(3);
  for (const atMs of [1, 2, 3, 4, 5]) history.add(0, { records: [recordOf(atMs)], lost: 0 });
  const next = async (from: number): Promise<Shown> =>
    JSON.parse((await history.reader(from).next())!.text) as Shown;
  assert.equal(
    (await next(3)).records.map(({ atMs }) => atMs),
    [4],
  );
  const late = await next(0);
  assert.equal([late.lost, late.records[0]!.atMs], [2, 3]);
});

test('of many records at once messages give way first, and are counted', async () => {
  const history = new RecordHistory();
  const reader = history.reader(null);
  const message: SystemRecord = {
    type: 'message',
    startMs: 0,
    endMs: 0,
    id: 'm',
    cause: null,
    from: 'main:/a',
    to: 'main:/b',
    kind: 'word',
    role: 'tell',
    lane: 'data',
  };
  const records = Array.from({ length: 6_000 }, (_, at) => (at % 6 === 0 ? recordOf(at) : message));
  history.add(0, { records, lost: 0 });
  const { records: shown, lost } = JSON.parse((await reader.next())!.text) as {
    records: SystemRecord[];
    lost: number;
  };
  assert.is(shown.length + lost, records.length);
  assert.is(shown.filter(({ type }) => type === 'unexpected').length, 1_000);
});

test('a reader that is closed, and all when the history is, end at once', async () => {
  const history = new RecordHistory();
  const [one, other] = [history.reader(null), history.reader(null)];
  const ends = [one.next(), other.next()];
  one.close();
  assert.is(await ends[0], null);
  history.close();
  assert.is(await ends[1], null);
});

test.run();
