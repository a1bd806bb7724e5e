/** A plain clone equals a structured clone and shares nothing with its original, or says so. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { notPlain, plainClone } from '../../../../runtime/system/transports/plain-clone.js';

const leaf = fc.oneof(
  fc.string(),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.uint8Array(),
  fc.float32Array(),
);
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('data')),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('data'),
    ),
    fc.array(fc.tuple(fc.string(), tie('data'))).map((entries) => new Map(entries)),
  ),
}));

/** Objects of a value, buffers among them. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  if (ArrayBuffer.isView(value)) return [value, value.buffer];
  const parts = value instanceof Map ? [...value.values()] : Object.values(value);
  return [value, ...parts.flatMap(objectsIn)];
}

test('plain data is copied as a structured clone copies it', () => {
  fc.assert(
    fc.property(data, (value) => {
      const copy = plainClone(value);
      assert.equal(copy, structuredClone(value));
      const originals = new Set(objectsIn(value));
      assert.not(
        objectsIn(copy).some((one) => originals.has(one)),
        'a part is shared',
      );
    }),
  );
});

test('what is not plain is left to a structured clone', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const others = [
    () => 1,
    Symbol('s'),
    new Error('e'),
    new Set(),
    new Map([[() => 1, 1]]),
    new Date(0),
    new (class Named {})(),
    new Uint8Array(8).subarray(1),
    cyclic,
    JSON.parse('{"__proto__":1}'),
  ];
  for (const other of others) {
    assert.is(plainClone(other), notPlain);
    assert.is(plainClone({ deep: [other] }), notPlain);
  }
});

test('what threads share is shared', () => {
  const buffer = new SharedArrayBuffer(16);
  // The empty module.
  const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  const part = new Uint32Array(buffer, 4, 2);
  const copy = plainClone({ buffer, module, part }) as {
    readonly buffer: unknown;
    readonly module: unknown;
    readonly part: Uint32Array;
  };
  assert.is(copy.buffer, buffer);
  assert.is(copy.module, module);
  assert.is.not(copy.part, part);
  part[1] = 7;
  assert.equal([...copy.part], [0, 7]);
  assert.equal(copy.part, structuredClone(part));
});

test.run();
