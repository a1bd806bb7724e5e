/** What waits for a peer leaves in order, each once; at once only to a peer with nothing to do. */
import { MessageChannel } from 'node:worker_threads';
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Envelope } from '../../../../runtime/system/envelope.js';
import { PeerPort } from '../../../../runtime/system/transports/peer-port.js';

const envelope = (payload: unknown): Envelope => ({
  ...{ id: 'm', cause: null, from: 'near:/x', to: 'far:/x', kind: 'item', role: 'tell' },
  ...{ lane: 'data', deadline: null, seq: 0, payload, transfer: [], correlation: null },
});

/** Two ends in one thread; what the far one got, batch by batch, and what could not leave. */
class Pair {
  readonly batches: unknown[][] = [];
  readonly refused: unknown[] = [];
  readonly near: PeerPort;
  readonly far: PeerPort;
  #batch: unknown[] = [];

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.near = new PeerPort(port1, {
      arrive: () => {},
      arrived: () => {},
      uncloneable: ({ payload }) => this.refused.push(payload),
    });
    this.far = new PeerPort(port2, {
      arrive: ({ payload }) => this.#batch.push(payload),
      arrived: () => {
        this.batches.push(this.#batch);
        this.#batch = [];
      },
      uncloneable: () => {},
    });
  }

  /** Lets both ports hand over what was posted. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  close(): void {
    this.near.close();
    this.far.close();
  }
}

async function withPair(run: (pair: Pair) => Promise<void>): Promise<void> {
  const pair = new Pair();
  try {
    await run(pair);
  } finally {
    pair.close();
  }
}

test('a peer is idle when it has worked through all that it was sent, and not before', () =>
  withPair(async (pair) => {
    const { near, far, batches } = pair;
    near.queue(envelope(1));
    near.flushIfIdle();
    await pair.settle();
    assert.equal(batches, [], 'nothing is known of it yet');
    near.flushIfIdle();
    near.queue(envelope(2));
    near.flushIfIdle();
    await pair.settle();
    near.flushIfIdle();
    await pair.settle();
    assert.equal(batches, [[1]], 'it came, and has not had its turns');
    far.workedThrough();
    near.queue(envelope(3));
    near.flushIfIdle();
    await pair.settle();
    assert.equal(batches, [[1], [2, 3]]);
    near.queue(envelope(4));
    near.flush();
    await pair.settle();
    assert.equal(batches, [[1], [2, 3], [4]], 'the end of a round waits for nobody');
    assert.is(near.queued.length, 0);
  }));

test('one that cannot be cloned waits for the end of the round, and keeps nobody back', () =>
  withPair(async (pair) => {
    const { near, batches, refused } = pair;
    const odd = (): void => {};
    await pair.settle();
    for (const payload of [1, odd, 2]) near.queue(envelope(payload));
    near.flushIfIdle();
    await pair.settle();
    assert.equal([batches, refused], [[], []]);
    near.flush();
    await pair.settle();
    assert.equal(batches.flat(), [1, 2]);
    assert.is(refused[0], odd);
    assert.is(refused.length, 1);
    pair.far.workedThrough();
    near.queue(envelope(3));
    near.flushIfIdle();
    await pair.settle();
    assert.equal(batches.flat(), [1, 2, 3], 'what was sent one by one is counted, too');
  }));

test('whatever is flushed when, everything arrives once and in order', async () => {
  const step = fc.constantFrom('queue', 'queue', 'queue', 'idle', 'end', 'settle', 'work');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) =>
      withPair(async (pair) => {
        const { near, far, batches } = pair;
        let queued = 0;
        for (const what of steps) {
          if (what === 'queue') near.queue(envelope(queued++));
          else if (what === 'idle') near.flushIfIdle();
          else if (what === 'end') near.flush();
          else if (what === 'work') far.workedThrough();
          else await pair.settle();
        }
        near.flush();
        await pair.settle();
        assert.equal(
          batches.flat(),
          Array.from({ length: queued }, (_, at) => at),
        );
      }),
    ),
    { numRuns: 60 },
  );
});

test.run();
