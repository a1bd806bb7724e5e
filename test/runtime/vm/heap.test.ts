/** Objects of host programs: strings, buffers that alias, lists, arrays as values, formats. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Expr, Stmt } from '../../../runtime/loom/typed.js';
import * as b from '../../generators/typed-builder.js';
import { errorOf, evaluate, vmOf } from './run-expression.js';

const { t } = b;
const str = (name: Parameters<typeof b.heap>[0], ...args: Expr[]): Expr =>
  b.heap(name, t.string, args);
const int = (name: Parameters<typeof b.heap>[0], ...args: Expr[]): Expr =>
  b.heap(name, t.i64, args);
const buf = (name: Parameters<typeof b.heap>[0], ...args: Expr[]): Expr =>
  b.heap(name, t.buffer, args);
const act = (name: Parameters<typeof b.heap>[0], ...args: Expr[]): Stmt =>
  b.callStmt([], b.heap(name, t.void, args));

test('strings are UTF-8 bytes', () => {
  const text = b.text('añb');
  assert.is(evaluate(int('string.len', text)), 4n);
  assert.is(evaluate(str('string.concat', text, b.text('€'))), 'añb€');
  assert.is(evaluate(str('string.slice', text, b.i64(1), b.i64(2))), 'ñ');
  assert.is(evaluate(int('string.find', text, b.text('b'), b.i64(0))), 3n);
  assert.is(evaluate(int('string.find', text, b.text('a'), b.i64(1))), -1n);
  assert.is(evaluate(int('string.byte', text, b.i64(1))), 0xc3n);
  assert.is(
    evaluate(b.heap('string.eq', t.bool, [text, str('string.concat', b.text('añ'), b.text('b'))])),
    true,
  );
  assert.match(
    errorOf(() => evaluate(str('string.slice', text, b.i64(2), b.i64(1)))).message,
    'inside a character',
  );
  assert.match(
    errorOf(() => evaluate(str('string.slice', text, b.i64(2), b.i64(9)))).message,
    '9 bytes at offset 2 are outside a string of 4 bytes',
  );
});

test('format writes every type, floats as short as they read back', () => {
  const args = [
    b.i64(-5),
    b.u32(4294967295),
    b.f32(0.1),
    b.f64(0.1),
    b.bool(true),
    b.text('x'),
    b.f32(NaN),
    b.i32(-1),
  ];
  assert.is(
    evaluate(b.format(['a', ' ', ' ', ' ', ' ', ' ', ' ', ' ', 'z'], args)),
    'a-5 4294967295 0.1 0.1 true x nan -1z',
  );
  const nested = b.format(['<', '>'], [b.format(['[', ']'], [b.i64(1)])]);
  assert.is(evaluate(nested), '<[1]>');
});

test('slices alias their buffer, frozen views of it refuse stores', () => {
  const f = new b.FunctionBuilder('f');
  const whole = f.local('whole', t.buffer);
  const part = f.local('part', t.buffer);
  const body = b.block(
    b.set(whole, buf('buffer.new', b.i64(16))),
    b.set(part, buf('buffer.slice', whole.get, b.i64(8), b.i64(4))),
    b.bufferSet(part.get, 'u8', b.i64(1), b.i64(0x1ff)),
    b.bufferSet(whole.get, 'i32', b.i64(0), b.i32(-2)),
    act('buffer.copy', whole.get, b.i64(9), whole.get, b.i64(8), b.i64(4)),
    act('buffer.fill', buf('buffer.from', whole.get, b.i64(14)), b.i64(0), b.i64(2), b.i64(7)),
    b.ret(whole.get, int('buffer.len', part.get)),
  );
  const [bytes, length] = vmOf([f.build([t.buffer, t.i64], body)]).call('f', []);
  assert.equal(
    [...(bytes as Uint8Array)],
    [254, 255, 255, 255, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 7, 7],
  );
  assert.is(length, 4n);
  const frozen = buf('buffer.freeze', buf('buffer.new', b.i64(4)));
  const g = new b.FunctionBuilder('g');
  const store = b.block(b.bufferSet(frozen, 'u8', b.i64(0), b.i64(1)));
  assert.match(errorOf(() => vmOf([g.build([], store)]).call('g', [])).message, 'read-only');
});

test('an access outside a buffer tells index, length, function and position', () => {
  const f = new b.FunctionBuilder('prepare_request');
  const get = b.bufferGet(buf('buffer.new', b.i64(8)), 'u8', b.i64(9));
  const error = errorOf(() =>
    vmOf([f.build([t.i64], b.block(b.ret(get)))]).call('prepare_request', []),
  );
  assert.match(
    error.message,
    /^prepare_request \(test\.loom:\d+:1\): index 9 is outside a buffer of 8 bytes$/,
  );
  for (const [elem, size] of [
    ['u8', 1],
    ['i32', 4],
    ['f64', 8],
  ] as const) {
    const at = (index: number): Expr =>
      b.bufferGet(buf('buffer.new', b.i64(8)), elem, b.i64(index));
    assert.equal(Number(evaluate(at(8 / size - 1))), 0);
    assert.match(errorOf(() => evaluate(at(8 / size))).message, 'is outside a buffer of 8 bytes');
  }
  for (const index of [-1n, 1n, 2n ** 62n]) {
    const wide = b.bufferGet(buf('buffer.new', b.i64(8)), 'i64', b.i64(index));
    assert.match(
      errorOf(() => evaluate(wide)).message,
      `i64 element ${index} is outside a buffer of 8 bytes`,
    );
  }
});

test('narrow stores check the range of the field', () => {
  const run = (elem: 'u8' | 'i32' | 'u32', value: bigint): Uint8Array => {
    const f = new b.FunctionBuilder('f');
    const bytes = f.local('bytes', t.buffer);
    const body = b.block(
      b.set(bytes, buf('buffer.new', b.i64(4))),
      b.bufferNarrow(bytes.get, elem, b.i64(0), b.i64(value)),
      b.ret(bytes.get),
    );
    return vmOf([f.build([t.buffer], body)]).call('f', [])[0] as Uint8Array;
  };
  assert.equal([...run('i32', -2n)], [254, 255, 255, 255]);
  assert.equal([...run('u32', 2n ** 32n - 1n)], [255, 255, 255, 255]);
  assert.equal([...run('u8', 255n)], [255, 0, 0, 0]);
  for (const [elem, value] of [
    ['i32', 2n ** 31n],
    ['u32', -1n],
    ['u8', 256n],
  ] as const) {
    assert.match(errorOf(() => run(elem, value)).message, `${value} does not fit into ${elem}`);
  }
});

test('lists grow, are shared by reference, and give packed bytes', () => {
  const f = new b.FunctionBuilder('f');
  const list = f.local('list', t.list(t.i32));
  const same = f.local('same', t.list(t.i32));
  const i = f.local('i', t.i32);
  const body = b.block(
    b.set(list, b.heap('list.new', t.list(t.i32))),
    b.set(same, list.get),
    b.loop(
      i,
      { from: b.i32(0), to: b.i32(100) },
      b.block(b.listPush(list.get, b.mul(i.get, b.i32(3)))),
    ),
    b.listSet(same.get, b.i64(99), b.i32(-1)),
    b.ret(
      b.heap('list.bytes', t.buffer, [list.get]),
      int('list.len', same.get),
      b.listGet(list.get, b.i64(99)),
    ),
  );
  const [bytes, length, last] = vmOf([f.build([t.buffer, t.i64, t.i32], body)]).call('f', []);
  const expected = Int32Array.from({ length: 100 }, (_, k) => (k === 99 ? -1 : k * 3));
  assert.equal(bytes, new Uint8Array(expected.buffer));
  assert.is(length, 100n);
  assert.is(last, -1);
});

test('arrays are values: a copy does not see later stores', () => {
  const f = new b.FunctionBuilder('f');
  const type = t.array(t.i64, 2);
  const box = t.record('test.Box', { a: type });
  const [a, c] = [f.local('a', type), f.local('c', type)];
  const r = f.local('r', box);
  const body = b.block(
    b.set(a, b.arrayNew(type, [b.i64(1), b.i64(2)])),
    b.set(c, a.get),
    b.set(r, b.recordNew(box, [a.get])),
    b.arraySet(a.get, b.i64(0), b.i64(9)),
    b.ret(
      b.arrayGet(a.get, b.i64(0)),
      b.arrayGet(c.get, b.i64(0)),
      b.arrayGet(b.field(r.get, 0), b.i64(0)),
    ),
  );
  assert.equal(vmOf([f.build([t.i64, t.i64, t.i64], body)]).call('f', []), [9n, 1n, 1n]);
  const outside = b.arrayGet(b.arrayNew(type, [b.i64(1), b.i64(2)]), b.i64(2));
  assert.match(
    errorOf(() => evaluate(outside)).message,
    'index 2 is outside an array of 2 elements',
  );
});

test('cells change in place, records do not', () => {
  const f = new b.FunctionBuilder('f');
  const point = t.record('test.Point', { x: t.i64, y: t.f32x4 });
  const at = (x: number): Expr => b.recordNew(point, [b.i64(x), b.constant(t.f32x4, [x, 2, 3, 4])]);
  const cell = f.local('cell', t.cell(point));
  const before = f.local('before', point);
  const body = b.block(
    b.set(cell, b.heap('cell.new', t.cell(point), [at(1)])),
    b.set(before, b.heap('cell.read', point, [cell.get])),
    act('cell.write', cell.get, at(7)),
    b.ret(b.field(before.get, 0), b.extract(b.field(b.heap('cell.read', point, [cell.get]), 1), 0)),
  );
  assert.equal(vmOf([f.build([t.i64, t.f32], body)]).call('f', []), [1n, 7]);
});

test('the arena of a call is capped', () => {
  const f = new b.FunctionBuilder('f');
  const n = f.param('n', t.i64);
  const vm = vmOf([f.build([t.i64], b.block(b.ret(int('buffer.len', buf('buffer.new', n.get)))))], {
    limits: { arenaBytes: 1 << 20 },
  });
  assert.equal(vm.call('f', [1_000_000n]), [1_000_000n]);
  const error = errorOf(() => vm.call('f', [(1n << 20n) + 1n]));
  assert.is(error.code, 'resourceExhausted');
  assert.match(error.message, '1048577 bytes do not fit into the arena of 1048576 bytes');
  assert.match(errorOf(() => vm.call('f', [1n << 60n])).message, 'out of');
  assert.match(errorOf(() => vm.call('f', [-1n])).message, 'a length of -1 bytes');
  assert.equal(vm.call('f', [5n]), [5n]);
});

test.run();
