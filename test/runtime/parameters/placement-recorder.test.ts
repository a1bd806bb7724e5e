import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BankLayout } from '../../../runtime/parameters/bank-layout.js';
import type { BankField, ScalarElement } from '../../../runtime/parameters/bank-layout.js';
import { blockLayouts, elementsOf } from '../../../runtime/parameters/checkpoints/tensor-type.js';
import type { TensorType } from '../../../runtime/parameters/checkpoints/tensor-type.js';
import { STAGING_BYTES_MAX } from '../../../runtime/parameters/load-plan.js';
import { PlacementRecorder } from '../../../runtime/parameters/placement-recorder.js';
import type { RowPlacement } from '../../../runtime/parameters/placement-recorder.js';
import { TensorHandle } from '../../../runtime/parameters/tensor-rows.js';

const sizes: Readonly<Record<ScalarElement, number>> = {
  f32: 4,
  i32: 4,
  u32: 4,
  f16: 2,
  bf16: 2,
  i8: 1,
  u8: 1,
};

function field(name: string, elem: ScalarElement, scalars: number, lanes = 1): BankField {
  const size = sizes[elem] * lanes;
  const count = scalars / lanes;
  return { name, storage: { elem, lanes, size }, count, bytes: count * size };
}

function tensor(shape: number[], type: TensorType = 'F32', place: { offset?: number } = {}) {
  const { elements, bytes } = blockLayouts[type];
  const entry = { name: 't', type, shape, shard: 0, offset: place.offset ?? 0 };
  return new TensorHandle({ ...entry, bytes: (bytes * (elementsOf(shape) ?? 0)) / elements }, 0);
}

const recorder = (...fields: BankField[]) => new PlacementRecorder(new BankLayout(fields));
const rows = (first: number, count: number) => ({ first: BigInt(first), rows: BigInt(count) });
const placement = (change: Partial<RowPlacement> = {}): RowPlacement => {
  return { at: 0n, first: 0n, rows: 4n, block: 4n, encoding: 'f32', ...change };
};
const pack = { name: 'a.pack', args: [] };

test('fields lie at multiples of 256 bytes', () => {
  const layout = new BankLayout([
    field('a', 'f32', 3),
    field('b', 'f32', 64),
    field('c', 'f16', 129 * 2, 2),
    field('d', 'u8', 1),
  ]);
  assert.equal(
    layout.fields.map(({ offset, bytes }) => [offset, bytes]),
    [
      [0, 12],
      [256, 256],
      [512, 516],
      [1280, 1],
    ],
  );
  assert.is(layout.bytes, 1536);
});

test('a copy takes whole rows: as they are, or decoded to f32', () => {
  const record = recorder(field('a', 'f32', 24, 4), field('h', 'f16', 8));
  record.copy('a', 12n, tensor([6, 4], 'BF16', { offset: 100 }), rows(1, 3));
  record.copy('a', 0n, tensor([3, 4], 'F32', { offset: 20 }), rows(0, 3));
  record.copy('h', 0n, tensor([8], 'F16', { offset: 60 }), rows(0, 1));
  const { steps, stagingBytes, loaders } = record.finish();
  const from = { tensor: 't', source: 0, shard: 0 };
  assert.equal(steps, [
    {
      ...{ op: 'copy', field: 0, offset: 0, length: 48, decode: false },
      from: { ...from, type: 'F32', offset: 20, bytes: 48 },
    },
    {
      ...{ op: 'copy', field: 1, offset: 0, length: 16, decode: false },
      from: { ...from, type: 'F16', offset: 60, bytes: 16 },
    },
    {
      ...{ op: 'copy', field: 0, offset: 48, length: 48, decode: true },
      from: { ...from, type: 'BF16', offset: 108, bytes: 24 },
    },
  ]);
  assert.is(stagingBytes, 0);
  assert.equal(loaders, []);
});

test('blocks of a quantised row stay whole', () => {
  const record = recorder(field('a', 'f32', 128));
  record.copy('a', 0n, tensor([2, 64], 'Q8_0'), rows(0, 1));
  record.copy('a', 64n, tensor([2, 64], 'Q8_0'), rows(1, 1));
  const [first, second] = record.finish().steps;
  assert.ok(first?.op === 'copy' && second?.op === 'copy');
  assert.equal([first.from.bytes, second.from.offset, second.length], [68, 68, 256]);
});

test('a copy that does not fit is told with field and range', () => {
  const record = recorder(field('a', 'f32', 16), field('h', 'f16', 16), field('i', 'i32', 4));
  const cases: [action: () => void, expected: RegExp][] = [
    [() => record.copy('b', 0n, tensor([4]), rows(0, 1)), /no field "b"$/],
    [() => record.copy('aa', 0n, tensor([4]), rows(0, 1)), /no field "aa" \(nearest: "a"\)/],
    [
      () => record.copy('a', 13n, tensor([4]), rows(0, 1)),
      /field "a": elements 13 to 17 are outside its 16/,
    ],
    [() => record.copy('a', -1n, tensor([4]), rows(0, 1)), /elements -1 to 3/],
    [
      () => record.copy('h', 0n, tensor([4]), rows(0, 1)),
      /field "h": elements are f16, and tensor "t" is F32; copies convert into f32 fields only/,
    ],
    [() => record.copy('i', 0n, tensor([4], 'U32'), rows(0, 1)), /elements are i32.*is U32/],
    [
      () => record.copy('a', 0n, tensor([3, 4]), rows(1, 3)),
      /tensor "t" of shape \[3, 4\] has 3 rows of 4 elements; asked for 3 rows from row 1/,
    ],
    [() => record.copy('a', 0n, tensor([3, 4]), rows(0, 0)), /asked for 0 rows/],
    [() => record.copy('a', 0n, tensor([3, 4]), rows(-1, 1)), /from row -1/],
    [() => record.copy('a', 0n, tensor([3, 0]), rows(0, 1)), /rows of 0 elements/],
  ];
  for (const [action, expected] of cases) assert.throws(action, expected);
});

test('every byte of a copied field is covered once', () => {
  const record = recorder(field('a', 'f32', 16), field('b', 'f32', 4));
  record.copy('a', 4n, tensor([4]), rows(0, 1));
  assert.throws(
    () => record.copy('a', 7n, tensor([4]), rows(0, 1)),
    /field "a": bytes 28 to 44 overlap 16 to 32, which are placed already/,
  );
  assert.throws(() => record.finish(), /field "a": bytes 0 to 16 are not covered/);
  record.copy('a', 0n, tensor([4]), rows(0, 1));
  assert.throws(() => record.finish(), /field "a": bytes 32 to 64 are not covered/);
  record.copy('a', 8n, tensor([8]), rows(0, 1));
  assert.throws(() => record.finish(), /field "b": nothing covers it: bytes 0 to 16/);
  record.copy('b', 0n, tensor([]), rows(0, 1));
  assert.throws(() => record.finish(), /field "b": bytes 4 to 16 are not covered/);
  record.copy('b', 1n, tensor([3]), rows(0, 1));
  assert.is(record.finish().steps.length, 5);
});

test('copies cover a field exactly when they are a partition of it, in any order', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 });
  const fault = fc.constantFrom('none', 'missing', 'longer', 'doubled');
  fc.assert(
    fc.property(parts, fc.array(fc.nat()), fault, fc.nat(), (lengths, order, kind, which) => {
      let end = 0;
      const pieces = lengths.map((length) => ({ at: (end += length) - length, length }));
      const record = recorder(field('a', 'f32', end));
      const chosen = which % pieces.length;
      const { at, length } = pieces[chosen]!;
      if (kind === 'missing') pieces.splice(chosen, 1);
      if (kind === 'longer') pieces[chosen] = { at, length: length + 1 };
      if (kind === 'doubled') pieces.push({ at: at + length - 1, length: 1 });
      const shuffled = pieces.map((piece, index) => ({ piece, key: order[index] ?? 0 }));
      shuffled.sort((left, right) => left.key - right.key);
      const run = () => {
        for (const { piece } of shuffled) {
          record.copy('a', BigInt(piece.at), tensor([piece.length]), rows(0, 1));
        }
        return record.finish();
      };
      if (kind === 'none') assert.is(run().steps.length, pieces.length);
      else assert.throws(run, /field "a": (bytes|elements|nothing)/);
    }),
  );
});

test('packed rows follow one another from row 0', () => {
  const record = recorder(field('a', 'f32', 64));
  record.place('a', tensor([4, 4]), placement({ at: 6n }), pack);
  assert.throws(
    () => record.place('a', tensor([4, 4]), placement({ at: 9n }), pack),
    /field "a": rows 9 to 13 overlap 6 to 10/,
  );
  record.place('a', tensor([4, 4]), placement({ at: 0n }), pack);
  assert.throws(() => record.finish(), /field "a": rows 4 to 6 are not covered/);
  record.place('a', tensor([4, 4]), placement({ at: 4n, first: 1n, rows: 2n }), pack);
  assert.is(record.finish().steps.length, 3);
});

test('a field is filled in one way', () => {
  const record = recorder(field('a', 'f32', 16), field('b', 'f32', 16));
  record.place('a', tensor([4, 4]), placement(), pack);
  assert.throws(
    () => record.copy('a', 0n, tensor([16]), rows(0, 1)),
    /field "a": it is filled by weights\.place and by weights\.copy/,
  );
  assert.throws(() => record.fill('a', pack), /by weights\.place and by weights\.fill/);
  record.fill('b', pack);
  assert.throws(() => record.fill('b', pack), /field "b": bytes 0 to 64 overlap 0 to 64/);
  const { steps, loaders } = record.finish();
  assert.equal(steps[0], { op: 'fill', field: 1, loader: 0 });
  assert.equal(loaders, [pack]);
});

test('packing: what the kernel gets, by encoding', () => {
  const record = recorder(field('a', 'f32', 64), field('b', 'u32', 64), field('c', 'f32', 64));
  record.place('a', tensor([4, 64], 'F16', { offset: 8 }), placement({ block: 3n }), pack);
  const raw = placement({ encoding: 'raw', first: 1n, rows: 3n });
  record.place('b', tensor([4, 64], 'Q8_0'), raw, { ...pack, args: ['2'] });
  record.place('c', tensor([4, 8], 'F32'), placement(), pack);
  const { steps, stagingBytes, loaders } = record.finish();
  const packed = steps.filter((step) => step.op === 'pack');
  assert.equal(
    packed.map(({ field, loader, at, rows: count, block, cols, decode }) => {
      return [field, loader, at, count, block, cols, decode];
    }),
    [
      [2, 0, 0, 4, 4, 8, false],
      [0, 0, 0, 4, 3, 64, true],
      [1, 1, 0, 3, 3, 68, false],
    ],
  );
  assert.is(stagingBytes, 3 * 64 * 4);
  assert.equal(loaders, [pack, { name: 'a.pack', args: ['2'] }]);
});

test('a block is cut to the staging buffer, and a longer row refused', () => {
  const half = STAGING_BYTES_MAX / 8;
  const record = recorder(field('a', 'f32', 16), field('b', 'f32', 16));
  record.place('a', tensor([4, half]), placement({ block: 2n ** 40n }), pack);
  assert.throws(
    () => record.place('b', tensor([4, 2 * half + 1]), placement(), pack),
    /field "b": one row has 16777220 bytes; the limit of a staging buffer is 16777216/,
  );
  record.place('b', tensor([4, 2 * half + 1], 'I8'), placement({ encoding: 'raw' }), pack);
  const { steps, stagingBytes } = record.finish();
  assert.equal(
    steps.map((step) => step.op === 'pack' && step.block),
    [2, 3],
  );
  assert.is(stagingBytes, STAGING_BYTES_MAX);
});

test('wrong placements are told at the call', () => {
  const record = recorder(field('a', 'f32', 16));
  const place = (change: Partial<RowPlacement>, shape = [4, 4]) =>
    record.place('a', tensor(shape), placement(change), pack);
  assert.throws(
    () => place({ encoding: 'F32' }),
    /field "a": encoding "F32"; it is "f32" or "raw"/,
  );
  assert.throws(() => place({ block: 0n }), /blocks of 0 rows/);
  assert.throws(() => place({ at: -1n }), /rows -1 to 3/);
  assert.throws(() => place({ at: 2n ** 31n - 4n }), /do not fit into i32/);
  assert.throws(() => place({ rows: 5n }), /has 4 rows of 4 elements; asked for 5 rows/);
  assert.throws(() => place({ rows: 1n }, [0, 4]), /has 0 rows/);
});

test('the kernel is looked at before anything is recorded', () => {
  const seen: unknown[] = [];
  const record = new PlacementRecorder(new BankLayout([field('a', 'f32', 16)]), (symbol, use) => {
    seen.push([symbol.name, use]);
    throw new Error('no loader');
  });
  assert.throws(() => record.place('a', tensor([4, 4]), placement(), pack), /no loader/);
  const raw = placement({ encoding: 'raw' });
  assert.throws(() => record.place('a', tensor([4, 4]), raw, pack), /no loader/);
  assert.throws(() => record.fill('a', pack), /no loader/);
  const use = { field: 'a', fieldBytes: 64 };
  assert.equal(seen, [
    ['a.pack', { kind: 'pack', source: 'f32', ...use }],
    ['a.pack', { kind: 'pack', source: 'u8', ...use }],
    ['a.pack', { kind: 'fill', source: null, ...use }],
  ]);
  assert.throws(() => record.finish(), /nothing covers it/);
});

test.run();
