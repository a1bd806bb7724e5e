/** A batch that is copied leaves its sender what a message port would: nothing of what moves. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Envelope } from '../../../../runtime/system/envelope.js';
import { cloneBatch } from '../../../../runtime/system/transports/batch-clone.js';

class Named {
  readonly name = 'named';
}

function envelopeOf(payload: unknown, transfer: Envelope['transfer']): Envelope {
  return {
    ...{ id: 'm-1', cause: null, from: 'a:/x', to: 'b:/y', kind: 'k', role: 'tell', lane: 'data' },
    ...{ deadline: null, seq: 1, payload, transfer, correlation: null },
  } as Envelope;
}

const refused: string[] = [];
const clone = (batch: readonly Envelope[]): Envelope[] =>
  cloneBatch(batch, (_, detail) => void refused.push(detail));

/** Something plain, and something that is copied by a structured clone. */
for (const beside of [null, new Set([1])]) {
  test(`buffers that move are gone, beside ${String(beside)}`, () => {
    const moved = Uint8Array.of(1, 2, 3);
    const kept = Uint8Array.of(4, 5);
    const [got] = clone([envelopeOf({ moved, kept, beside }, [moved.buffer])]);
    assert.equal(got!.payload, {
      moved: Uint8Array.of(1, 2, 3),
      kept: Uint8Array.of(4, 5),
      beside,
    });
    assert.is(moved.byteLength, 0);
    assert.is(kept.byteLength, 2);
    assert.is(got!.transfer.length, 0);
  });
}

test('a buffer that has moved already is refused, and its envelope alone', () => {
  const moved = Uint8Array.of(1);
  clone([envelopeOf({ moved }, [moved.buffer])]);
  refused.length = 0;
  const got = clone([envelopeOf({ moved }, [moved.buffer]), envelopeOf({ n: 1 }, [])]);
  assert.equal(
    got.map(({ payload }) => payload),
    [{ n: 1 }],
  );
  assert.is(refused.length, 1);
});

test('a class arrives as a structured clone brings it, a function does not', () => {
  refused.length = 0;
  const [got] = clone([envelopeOf(new Named(), []), envelopeOf(() => 1, [])]);
  assert.equal(got!.payload, { name: 'named' });
  assert.is(refused.length, 1);
});

test.run();
