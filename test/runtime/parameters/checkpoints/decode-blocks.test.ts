/** Quantised blocks against the slow reading of their layout, and some by hand. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeRows } from '../../../../runtime/parameters/checkpoints/decode-rows.js';
import {
  blockLayouts,
  tensorTypes,
} from '../../../../runtime/parameters/checkpoints/tensor-type.js';
import { Random } from '../../../generators/random.js';
import { elementOf } from './block-reference.js';

const blockTypes = tensorTypes.filter((type) => blockLayouts[type].elements > 1);

test('every block type has a reference', () => {
  assert.equal([...blockTypes].sort(), Object.keys(elementOf).sort());
});

for (const type of blockTypes) {
  const { elements, bytes } = blockLayouts[type];
  test(`${type}: random blocks, any scales, bit for bit`, () => {
    const random = new Random(bytes);
    const count = elements === 32 ? 400 : 60;
    // One byte off, since tensors in files lie anywhere.
    const source = Uint8Array.from({ length: count * bytes + 1 }, () => random.below(256));
    const into = new Float32Array(count * elements);
    decodeRows(type, source.subarray(1), into);
    for (const [index, value] of into.entries()) {
      const first = 1 + Math.floor(index / elements) * bytes;
      const block = source.subarray(first, first + bytes);
      const expected = elementOf[type]!(block, index % elements);
      if (!Object.is(value, expected)) {
        assert.unreachable(`element ${index}: expected ${expected}, got ${value}`);
      }
    }
  });
}

/** 1 and 2 as f16. */
const one = [0x00, 0x3c];
const two = [0x00, 0x40];

test('blocks by hand', () => {
  const into = new Float32Array(32);
  const q8 = Uint8Array.of(...two, ...Array.from({ length: 32 }, (_, index) => 256 - index));
  decodeRows('Q8_0', q8, into);
  assert.equal([...into.subarray(0, 4)], [0, -2, -4, -6]);
  decodeRows('Q4_0', Uint8Array.of(...two, 0x9f, ...new Array<number>(15).fill(0x88)), into);
  assert.equal([into[0], into[16], into[1], into[31]], [14, 2, 0, 0]);
  decodeRows('Q4_1', Uint8Array.of(...two, ...one, 0x3f, ...new Array<number>(15).fill(0)), into);
  assert.equal([into[0], into[16], into[1]], [31, 7, 1]);
  const fifths = [0x01, 0x00, 0x01, 0x00];
  const five = Uint8Array.of(...one, ...fifths, 0x21, ...new Array<number>(15).fill(0));
  decodeRows('Q5_0', five, into);
  assert.equal([into[0], into[16], into[1], into[17]], [1, 2, -16, -16]);
});

test('super-blocks by hand: part five of a Q4_K has its upper scale bits elsewhere', () => {
  const block = new Uint8Array(144);
  block.set([...one, ...one]);
  // Part 5: scale 0b10_0011 and minimum 0b01_0010.
  block[4 + 9] = 0x23;
  block[4 + 1] = 0b1000_0000;
  block[4 + 5] = 0b0100_0000;
  // Elements 160 to 191 are the upper nibbles of the bytes 64 to 95.
  block[16 + 64] = 0x70;
  const into = new Float32Array(256);
  decodeRows('Q4_K', block, into);
  assert.is(into[160], 35 * 7 - 18);
  assert.is(into[161], -18);
  assert.is(into[128], 0);
});

test.run();
