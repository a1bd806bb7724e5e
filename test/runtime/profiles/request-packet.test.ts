import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { frameOf } from '../../../runtime/profiles/finite-request.js';
import type { EmbeddingInput } from '../../../runtime/profiles/embeddings.js';
import { encodePacket, RequestPacket } from '../../../runtime/profiles/request-packet.js';
import { words } from './tables.js';

function encodeInput(input: EmbeddingInput, dimensions = 0): Uint8Array {
  return encodePacket(frameOf({ profile: 'embeddings', inputs: [input], dimensions }, 0).records);
}

test('a packet has its table first and its payloads at multiples of eight', () => {
  const packet = encodeInput({ kind: 'text', text: 'abcdefghi' }, 2);
  assert.equal(packet.slice(0, 56), words(2, 1, 56, 9, 3, 72, 8));
  assert.is(new TextDecoder().decode(packet.slice(56, 65)), 'abcdefghi');
  assert.is(new DataView(packet.buffer).getFloat64(72, true), 2);
  assert.is(packet.length, 80);
});

test('what was written is read, for any text and any tokens', () => {
  const text = fc.string({ unit: 'binary' });
  const tokens = fc.array(fc.integer({ min: 0, max: 0x7fffffff }));
  fc.assert(
    fc.property(text, tokens, fc.double({ noNaN: true }), (written, ids, number) => {
      const packet = new RequestPacket(
        encodePacket([
          { kind: 'text', text: written },
          { kind: 'tokens', tokens: ids },
          { kind: 'number', number },
        ]),
      );
      assert.is(packet.count, 3);
      assert.is(packet.text(0), written);
      const bytes = packet.bytes(1).slice();
      assert.equal([...new Int32Array(bytes.buffer)], ids);
      assert.ok(Object.is(packet.number(2), number));
    }),
  );
});

test('a record of another kind, or none, is an error', () => {
  const packet = new RequestPacket(encodeInput({ kind: 'tokens', tokens: [1] }));
  assert.is(packet.kind(0), 2);
  assert.throws(() => packet.text(0), /record 0 of the input is an array of token ids.*reads text/);
  assert.throws(() => packet.number(0), /reads a number/);
  assert.throws(() => packet.bytes(2), /record 2 of the input, which has 2/);
  assert.throws(() => packet.bytes(-1), /record -1/);
});

test('token ids that i32 cannot hold are the mistake of the caller', () => {
  for (const token of [-1, 1.5, 2 ** 31, NaN]) {
    assert.throws(
      () => encodeInput({ kind: 'tokens', tokens: [0, token] }),
      /token 1 of the input/,
    );
  }
});

test.run();
