/** What goes through the form of a batch arrives as if each envelope had been cloned by itself. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Envelope } from '../../../../runtime/system/envelope.js';
import { packBatch, unpackBatch } from '../../../../runtime/system/transports/envelope-batch.js';

const text = fc.string({ maxLength: 8 });
const value = fc.oneof(
  fc.constantFrom(undefined, null, true, 7, 3n),
  text,
  fc.uint8Array({ maxLength: 8 }),
  fc.record({ deep: fc.array(text, { maxLength: 3 }), bytes: fc.uint8Array({ maxLength: 4 }) }),
);
const status = fc.option(fc.record({ code: fc.constant('internal' as const), message: text }));
const reply = fc.record({
  correlation: fc.constantFrom('m-1', 'm-2'),
  outcome: fc.constantFrom('value', 'error', 'down', 'timeout'),
  value,
  status,
});

const envelope: fc.Arbitrary<Envelope> = fc
  .record({
    id: text,
    cause: fc.option(text),
    from: text,
    to: text,
    kind: text,
    role: fc.constantFrom('tell', 'ask', 'reply', 'timer', 'down', 'signal'),
    lane: fc.constantFrom('data', 'control'),
    deadline: fc.option(fc.double()),
    seq: fc.nat(),
    payload: value,
    answer: reply,
    moves: fc.boolean(),
    correlation: fc.option(fc.constantFrom('m-1', 'm-2')),
  })
  .map(({ answer, moves, ...parts }) => {
    const payload: unknown = parts.role === 'reply' ? answer : parts.payload;
    const bytes = moves && payload instanceof Uint8Array && payload.length > 0 ? payload : null;
    const transfer = bytes === null ? [] : [bytes.buffer as ArrayBuffer];
    return { ...parts, payload, transfer } as unknown as Envelope;
  });

test('a batch arrives whole, in order, with nothing left to transfer', () => {
  fc.assert(
    fc.property(fc.array(envelope, { maxLength: 6 }), (batch) => {
      const expected = batch.map((one) => structuredClone({ ...one, transfer: [] }));
      const moved = batch.flatMap((one) => one.transfer);
      const { fields, transfer } = packBatch(batch);
      assert.equal([...transfer], [...new Set(moved)]);
      const arrived = unpackBatch(structuredClone(fields, { transfer: transfer as never }));
      assert.equal(arrived, expected);
      for (const buffer of moved as ArrayBuffer[]) assert.is(buffer.byteLength, 0);
    }),
  );
});

test('bytes of one buffer that leave together arrive in one buffer', () => {
  const buffer = new ArrayBuffer(16);
  const batch = [0, 8].map((at) => ({
    ...{ id: `m-${at}`, cause: null, from: 'a:/a', to: 'b:/b', kind: 'k', role: 'tell' },
    ...{ lane: 'data', deadline: null, seq: at, correlation: null, transfer: [] },
    payload: new Uint8Array(buffer, at, 8),
  })) as unknown as Envelope[];
  const [first, second] = unpackBatch(structuredClone(packBatch(batch).fields));
  assert.is((first!.payload as Uint8Array).buffer, (second!.payload as Uint8Array).buffer);
});

test.run();
