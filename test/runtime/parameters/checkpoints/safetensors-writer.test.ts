/** The bytes of written safetensors files, taken apart by hand. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  safetensorsWriter,
  writeSafetensors,
} from '../../../../runtime/parameters/checkpoints/safetensors-writer.js';

function takeApart(file: Uint8Array): { header: unknown; payload: Uint8Array } {
  const size = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  return {
    header: JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size))) as unknown,
    payload: file.subarray(8 + size),
  };
}

test('a file states its tensors and its metadata; wide elements come first', () => {
  const file = writeSafetensors(
    [
      { name: 'flags', type: 'BOOL', shape: [3], bytes: Uint8Array.of(1, 0, 1) },
      { name: 'w', type: 'F32', shape: [1, 2], bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
      { name: 'none', type: 'F16', shape: [0, 9], bytes: new Uint8Array(0) },
      { name: 'one', type: 'U8', shape: [], bytes: Uint8Array.of(9) },
    ],
    { made: 'here' },
  );
  const { header, payload } = takeApart(file);
  assert.equal(header, {
    __metadata__: { made: 'here' },
    w: { dtype: 'F32', shape: [1, 2], data_offsets: [0, 8] },
    none: { dtype: 'F16', shape: [0, 9], data_offsets: [8, 8] },
    flags: { dtype: 'BOOL', shape: [3], data_offsets: [8, 11] },
    one: { dtype: 'U8', shape: [], data_offsets: [11, 12] },
  });
  assert.equal([...payload], [1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 1, 9]);
});

test('offsets of a streamed file are places in the file, beyond 4 GiB as well', () => {
  const shape = [3, 1024 * 1024 * 1024];
  const layout = safetensorsWriter([
    { name: 'small', type: 'I8', shape: [5] },
    { name: 'large', type: 'BF16', shape },
  ]);
  assert.is(layout.header.length % 8, 0);
  assert.equal(layout.tensors, [
    { name: 'large', type: 'BF16', shape, offset: layout.header.length, bytes: 6 * 2 ** 30 },
    {
      name: 'small',
      type: 'I8',
      shape: [5],
      offset: layout.header.length + 6 * 2 ** 30,
      bytes: 5,
    },
  ]);
  assert.is(layout.bytes, layout.header.length + 6 * 2 ** 30 + 5);
});

test('what no reader would take is refused by tensor', () => {
  const one = { name: 'a', type: 'I8', shape: [1], bytes: Uint8Array.of(1) } as const;
  assert.throws(() => writeSafetensors([one, one]), /"a".*a name of its own/);
  assert.throws(() => writeSafetensors([{ ...one, shape: [2] }]), /"a".*2 bytes, found 1/);
  assert.throws(() => writeSafetensors([{ ...one, shape: [-1] }]), /"a".*from 0, found \[-1\]/);
  assert.throws(() => writeSafetensors([{ ...one, type: 'Q8_0' }]), /"a".*found Q8_0/);
  assert.throws(() => writeSafetensors([{ ...one, name: '__metadata__' }]), /__metadata__/);
});

test.run();
