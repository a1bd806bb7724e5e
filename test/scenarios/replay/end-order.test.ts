/**
 * The order of a replay, by an oracle of its own: whatever the times of answers now, nobody begins
 * before what had ended before it arrived, all begin, and no more is open than was in the
 * recording.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { EndOrder } from '../../../scenarios/replay/end-order.js';
import { readArrived, type RecordedRequest } from '../../../scenarios/replay/recorded-request.js';

function requestsOf(times: readonly (readonly [number, number | null])[]): RecordedRequest[] {
  const requests = times.map(([arrivedMs, lasts], at) => {
    const line = { request: at, id: `r${at}`, method: 'GET', path: '/', headers: {} } as const;
    const request = readArrived({ type: 'arrived', atMs: arrivedMs, ...line });
    request.endedMs = lasts === null ? Infinity : arrivedMs + lasts;
    return request;
  });
  return requests.sort((left, right) => left.arrivedMs - right.arrivedMs);
}

/** Most that were open at one moment; one that ends when another arrives is open then. */
function mostOpen(requests: readonly RecordedRequest[]): number {
  const at = (ms: number): number =>
    requests.filter(({ arrivedMs, endedMs }) => arrivedMs <= ms && endedMs >= ms).length;
  return Math.max(0, ...requests.map(({ arrivedMs }) => at(arrivedMs)));
}

const times = fc.array(
  fc.tuple(fc.nat(60), fc.option(fc.integer({ min: 1, max: 40 }), { freq: 8, nil: null })),
  { maxLength: 24 },
);

test('causes end before effects begin, in whatever order answers come', async () => {
  await fc.assert(
    fc.asyncProperty(times, fc.infiniteStream(fc.nat(1_000)), async (given, picks) => {
      const requests = requestsOf(given);
      const order = new EndOrder(requests);
      const open: RecordedRequest[] = [];
      const ended = new Set<RecordedRequest>();
      let begun = 0;
      let most = 0;
      const play = async (): Promise<void> => {
        for (const request of requests) {
          await order.turnOf(request);
          for (const other of requests) {
            if (other.endedMs < request.arrivedMs) assert.ok(ended.has(other), 'its cause');
          }
          open.push(request);
          most = Math.max(most, open.length);
          begun += 1;
        }
      };
      const played = play();
      while (begun < requests.length || open.length > 0) {
        // Promises settle first: whoever may begin has begun.
        await new Promise((done) => setImmediate(done));
        if (open.length === 0) break;
        const pick = (picks.next().value as number) % open.length;
        const [one] = open.splice(pick, 1);
        ended.add(one!);
        order.ended(one!);
      }
      await played;
      assert.is(begun, requests.length);
      assert.ok(most <= mostOpen(requests), `${most} open, ${mostOpen(requests)} in the recording`);
    }),
    { numRuns: 60 },
  );
});

test.run();
