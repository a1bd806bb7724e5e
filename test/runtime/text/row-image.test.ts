/** Saved rows: what was written comes back, and nothing else ever does. */
import fc from '../../properties.js';
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { readRowImage, writeRowImage } from '../../../runtime/text/row-image.js';
import type { RowImage } from '../../../runtime/text/row-image.js';
import { smallGeometry } from './small-geometry.js';

const geometry = smallGeometry({ pageBytes: 8, stateBytes: 5, states: 4 });
const target = { identity: 'kjv@sha256:12ab', geometry };

function imageOf(tokens: number, done: number): RowImage {
  return {
    ids: Array.from({ length: tokens }, (_, index) => index),
    done,
    pages: Uint8Array.from({ length: 8 * Math.ceil(done / 3) }, (_, index) => 100 + index),
    state: Uint8Array.of(1, 2, 3, 4, 5),
  };
}

const raises = (code: string, message: RegExp) => (error: Error) =>
  error instanceof StatusError && error.code === code && message.test(error.message);

/** The same bytes with a checksum that is right again. */
function sealed(bytes: Uint8Array): Uint8Array {
  const end = bytes.length - 32;
  const made = Uint8Array.from(bytes);
  made.set(createHash('sha256').update(made.subarray(0, end)).digest(), end);
  return made;
}

function withText(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const at = Buffer.from(bytes).indexOf(from);
  assert.ok(at > 0 && from.length === to.length);
  const made = Uint8Array.from(bytes);
  made.set(new TextEncoder().encode(to), at);
  return sealed(made);
}

test('any row comes back as it was, from anywhere in memory', () => {
  fc.assert(
    fc.property(fc.nat(24), fc.nat(24), fc.nat(9), (tokens, part, offset) => {
      const image = imageOf(tokens, Math.min(part, tokens));
      const bytes = writeRowImage(image, target);
      const moved = new Uint8Array(bytes.length + offset);
      moved.set(bytes, offset);
      assert.equal(readRowImage(moved.subarray(offset), target), image);
    }),
  );
});

test('no byte may change and none may be missing', () => {
  const bytes = writeRowImage(imageOf(7, 5), target);
  bytes.forEach((_, index) => {
    const flipped = Uint8Array.from(bytes);
    flipped[index]! ^= 1 << (index % 8);
    assert.throws(() => readRowImage(flipped, target), raises('dataLoss', /cannot be used/));
    const cut = bytes.slice(0, index);
    assert.throws(() => readRowImage(cut, target), raises('dataLoss', /cannot be used/));
  });
});

test('a row of another package or geometry is told apart by what differs', () => {
  const bytes = writeRowImage(imageOf(7, 5), target);
  const refused = (changes: object, identity = target.identity): (() => RowImage) => {
    const other = { identity, geometry: { ...geometry, ...changes } };
    return () => readRowImage(bytes, other);
  };
  assert.throws(refused({}, 'other'), raises('failedPrecondition', /identity is "kjv.*"other"/));
  assert.throws(refused({ pageTokens: 4 }), raises('failedPrecondition', /pageTokens is 3,.* 4/));
  assert.throws(refused({ pageBytes: 9 }), raises('failedPrecondition', /pageBytes/));
  assert.throws(refused({ stateBytes: 0 }), raises('failedPrecondition', /stateBytes/));
  assert.throws(refused({ vocabulary: 9 }), raises('failedPrecondition', /vocabulary/));
  assert.throws(refused({ context: 6 }), raises('outOfRange', /has 7 tokens; .* at most 6/));
  assert.equal(
    refused({ pages: 99, rows: 1 })().ids.length,
    7,
    'how many there are does not matter',
  );
});

test('a header that says what cannot be is refused, though its checksum is right', () => {
  const bytes = writeRowImage(imageOf(7, 5), target);
  const damage: readonly (readonly [Uint8Array, RegExp])[] = [
    [withText(bytes, '"done":5', '"done":9'), /9 computed of 7 tokens/],
    [withText(bytes, '"done":5', '"done":2'), /bytes of ids, pages and state/],
    [withText(bytes, '"tokens":7', '"tokens":8'), /bytes of ids, pages and state/],
    [withText(bytes, '{"', '["'), /no JSON object/],
    [sealed(bytes.map((byte, index) => (index === 9 ? 255 : byte))), /a header of \d+ bytes/],
  ];
  for (const [changed, message] of damage) {
    assert.throws(() => readRowImage(changed, target), raises('dataLoss', message));
  }
  const image = { ...imageOf(7, 5), ids: [1, 2, 3, 99, 5, 6, 7] };
  assert.throws(
    () => readRowImage(writeRowImage(image, target), target),
    raises('dataLoss', /token 3 is 99; ids are below 64/),
  );
});

test('what does not fit its geometry is not written', () => {
  const image = imageOf(7, 5);
  assert.throws(
    () => writeRowImage({ ...image, done: 2 }, target),
    /16 bytes of pages instead of 8/,
  );
  const state = new Uint8Array(4);
  assert.throws(() => writeRowImage({ ...image, state }, target), /4 bytes of state instead of 5/);
});

test.run();
