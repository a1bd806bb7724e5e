/** Instances: calls and limits, capabilities, handles, and state that is sealed and opened. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Expr, HostFunction } from '../../../runtime/loom/typed.js';
import { capabilityOf, type CapabilityTable } from '../../../runtime/vm/capability.js';
import type { SealedState } from '../../../runtime/vm/heap.js';
import { FROZEN_STATE } from '../../../runtime/vm/host-value.js';
import { checkEntry } from '../../../runtime/vm/host-vm.js';
import * as b from '../../generators/typed-builder.js';
import { errorOf, vmOf } from './run-expression.js';

const { t } = b;

function echo(): HostFunction {
  const f = new b.FunctionBuilder('echo');
  const types = [t.i64, t.u32, t.f32, t.bool, t.string, t.buffer, t.list(t.i64), t.handle('work')];
  const params = types.map((type, i) => f.param(`p${i}`, type));
  return f.build(types, b.block(b.ret(...params.map((param) => param.get))));
}

test('values go in and come out unchanged, buffers by copy', () => {
  const vm = vmOf([echo()]);
  const bytes = new Uint8Array([1, 2, 3]);
  const work = { id: 7 };
  const args = [-5n, 4294967295, 0.5, true, 'añ', bytes, [1n, -2n], work];
  const results = vm.call('echo', args);
  assert.equal(results, args);
  assert.is(results[7], work);
  assert.is.not(results[5], bytes);
  assert.match(
    errorOf(() => vm.call('echo', [1n << 63n, ...args.slice(1)])).message,
    'expected a value of type i64',
  );
  assert.match(errorOf(() => vm.call('echo', [1n])).message, 'takes 8 arguments, got 1');
  assert.match(
    errorOf(() => vm.call('nothing', [])).message,
    "exports no 'nothing' (it exports echo)",
  );
});

test('a contract names what it expects and what it found', () => {
  const program = b.hostProgram([echo()]);
  const types = ['i64', 'u32', 'f32', 'bool', 'string', 'buffer', 'list<i64>', 'work'];
  checkEntry(program, { name: 'echo', params: types, results: types });
  const error = errorOf(() => checkEntry(program, { name: 'echo', params: ['ref'], results: [] }));
  assert.match(
    error.message,
    /echo is \(i64, u32, .*work\); the contract asks for \(ref\) -> \(\)/,
  );
});

test('a loop without end runs out of fuel and says where', () => {
  const f = new b.FunctionBuilder('spin');
  const body = b.block(b.whileLoop(b.bool(true), b.block()));
  const error = errorOf(() =>
    vmOf([f.build([], body)], { limits: { fuel: 1000 } }).call('spin', []),
  );
  assert.is(error.code, 'resourceExhausted');
  assert.match(error.message, /^spin \(test\.loom:\d+:1\): out of fuel/);
});

test('fuel is the cost of the blocks that ran, plus bytes that were copied', () => {
  const f = new b.FunctionBuilder('f');
  const i = f.local('i', t.i64);
  const n = f.param('n', t.i64);
  void i;
  const inner = b.block(b.callStmt([], b.heap('buffer.new', t.buffer, [b.i64(160)])));
  const g = new b.FunctionBuilder('g');
  const count = g.param('n', t.i64);
  const k = g.local('k', t.i64);
  const outer = b.block(b.loop(k, { from: b.i64(0), to: count.get }, inner));
  void n;
  const vm = vmOf([g.build([], outer)]);
  for (const rounds of [0, 1, 10]) {
    vm.call('g', [BigInt(rounds)]);
    assert.is(vm.fuelSpent, outer.cost + rounds * (inner.cost + 10));
  }
});

test('calls nest 256 deep and no deeper, and errors carry the calls that led there', () => {
  const f = new b.FunctionBuilder('down');
  const n = f.param('n', t.i64);
  const next = b.call(0, t.i64, [b.sub(n.get, b.i64(1))]);
  const body = b.block(
    b.when(b.compare('==', n.get, b.i64(0)), b.block(b.ret(b.i64(0)))),
    b.ret(b.add(next, b.i64(1))),
  );
  const vm = vmOf([f.build([t.i64], body)]);
  assert.equal(vm.call('down', [256n]), [256n]);
  const error = errorOf(() => vm.call('down', [257n]));
  assert.is(error.code, 'resourceExhausted');
  assert.match(error.message, 'nested deeper than 256');
  assert.match(error.status!.details![0]!, /^called from down \(test\.loom:\d+:1\)$/);
  assert.equal(vm.call('down', [3n]), [3n]);
});

test('reject is the mistake of the caller, fail is not', () => {
  for (const [kind, code] of [
    ['reject', 'invalidArgument'],
    ['fail', 'internal'],
  ] as const) {
    const f = new b.FunctionBuilder('f');
    const message = b.format(['got ', ' of ', ''], [b.i64(3), b.text('x')]);
    const error = errorOf(() => vmOf([f.build([], b.block(b.raise(kind, message)))]).call('f', []));
    assert.is(error.code, code);
    assert.match(error.message, /^f \(.*\): got 3 of x$/);
  }
});

test('many calls leave memory as one does', () => {
  const f = new b.FunctionBuilder('f');
  const n = f.param('n', t.i64);
  const bytes = b.heap('buffer.new', t.buffer, [n.get]);
  const vm = vmOf([f.build([t.i64], b.block(b.ret(b.heap('buffer.len', t.i64, [bytes]))))]);
  vm.call('f', [3_000_000n]);
  const [used, size] = [vm.arenaUsed, vm.heap.bytes.length];
  for (let i = 0; i < 20_000; i++) vm.call('f', [100n]);
  vm.call('f', [3_000_000n]);
  assert.is(vm.arenaUsed, used);
  assert.is(vm.heap.bytes.length, size);
});

function withImport(
  capabilities: CapabilityTable,
  name: string,
  params: (typeof t.i64)[],
  results: (typeof t.i64)[],
): () => unknown {
  const f = new b.FunctionBuilder('f');
  const args = params.map((type, i) => f.param(`p${i}`, type).get);
  const value = b.capability(0, results[0] ?? t.void, args);
  const body = results.length > 0 ? b.block(b.ret(value)) : b.block(b.callStmt([], value));
  return () =>
    vmOf([f.build(results, body)], {
      capabilities,
      extra: { imports: [b.importOf(name, params, results)] },
    });
}

test('imports are bound by name and by signature', () => {
  const twice = capabilityOf(
    { module: 'm', name: 'twice', params: ['i64', 'string'], results: ['string'] },
    (n: bigint, text: string) => [text.repeat(Number(n))],
  );
  const table: CapabilityTable = new Map([['m.twice', twice]]);
  const vm = withImport(table, 'm.twice', [t.i64, t.string], [t.string])() as ReturnType<
    typeof vmOf
  >;
  assert.equal(vm.call('f', [2n, 'ab']), ['abab']);
  assert.match(
    errorOf(withImport(table, 'm.twice', [t.i64], [t.string])).message,
    /^test\.loom:\d+:1: import m\.twice\(i64\) -> string, but the server has m\.twice\(i64, string\) -> string$/,
  );
  assert.match(
    errorOf(withImport(table, 'm.thrice', [], [])).message,
    'import m.thrice does not exist; the module has twice',
  );
  assert.match(errorOf(withImport(table, 'x.y', [], [])).message, "there is no module 'x' here");
});

test('device buffers are sliced through their handles, and null has no length', () => {
  const f = new b.FunctionBuilder('f');
  const hal = t.handle('hal.buffer');
  const buffer = f.param('buffer', hal);
  const part = b.heap('hal.slice', hal, [buffer.get, b.i64(4), b.i64(8)]);
  const vm = vmOf([f.build([hal, t.i64], b.block(b.ret(part, b.heap('hal.len', t.i64, [part]))))]);
  const made = (offset: number, length: number): object => ({
    offset,
    length,
    slice: (o: number, n: number) => made(offset + o, n),
  });
  const [slice, length] = vm.call('f', [made(100, 12)]) as [{ offset: number }, bigint];
  assert.is(slice.offset, 104);
  assert.is(length, 8n);
  assert.match(
    errorOf(() => vm.call('f', [made(0, 11)])).message,
    '8 bytes at offset 4 are outside a buffer of 11 bytes',
  );
  assert.match(errorOf(() => vm.call('f', [null])).message, 'the hal.buffer is null');
});

// --- sealed state

const inner = t.record('test.Inner', { name: t.string, ids: t.list(t.i64) });
const cold = t.record('test.Cold', { table: t.buffer, inner, more: t.list(inner), scale: t.f64 });

/** (n) -> a ref to a record graph in which one object is reached twice. */
function sealing(): HostFunction {
  const f = new b.FunctionBuilder('prepare');
  const n = f.param('n', t.i64);
  const ids = f.local('ids', t.list(t.i64));
  const table = f.local('table', t.buffer);
  const item = f.local('item', inner);
  const more = f.local('more', t.list(inner));
  const record = b.recordNew(cold, [table.get, item.get, more.get, b.f64(0.25)]);
  return f.build(
    [t.ref],
    b.block(
      b.set(ids, b.heap('list.new', t.list(t.i64))),
      b.listPush(ids.get, n.get),
      b.set(table, b.heap('buffer.new', t.buffer, [b.i64(24)])),
      b.bufferSet(table.get, 'i64', b.i64(2), b.mul(n.get, n.get)),
      b.set(item, b.recordNew(inner, [b.format(['no. ', ''], [n.get]), ids.get])),
      b.set(more, b.heap('list.new', t.list(inner))),
      b.listPush(more.get, item.get),
      b.ret(b.heap('seal', t.ref, [record])),
    ),
  );
}

/** (state) -> what is in it. */
function opening(): HostFunction {
  const f = new b.FunctionBuilder('look');
  const state = f.param('state', t.ref);
  const c = f.local('c', cold);
  const first = b.listGet(b.field(c.get, 2), b.i64(0));
  return f.build(
    [t.i64, t.string, t.i64, t.f64, t.ref],
    b.block(
      b.set(c, b.heap('open', cold, [state.get])),
      b.ret(
        b.bufferGet(b.field(c.get, 0), 'i64', b.i64(2)),
        b.field(b.field(c.get, 1), 0),
        b.listGet(b.field(first, 1), b.i64(0)),
        b.field(c.get, 3),
        state.get,
      ),
    ),
  );
}

/** A function that stores into the opened state. */
function storing(name: string, store: (c: Expr) => ReturnType<typeof b.listPush>): HostFunction {
  const f = new b.FunctionBuilder(name);
  const state = f.param('state', t.ref);
  const c = f.local('c', cold);
  return f.build([], b.block(b.set(c, b.heap('open', cold, [state.get])), store(c.get)));
}

const sealed = (n: bigint): SealedState => vmOf([sealing()]).call('prepare', [n])[0] as SealedState;

test('a sealed record graph is read in place by another instance, and brought into a call', () => {
  const state = structuredClone(sealed(12n));
  const vm = vmOf([opening()], { state });
  const results = vm.call('look', [FROZEN_STATE]);
  assert.equal(results, [144n, 'no. 12', 12n, 0.25, FROZEN_STATE]);
  const other = sealed(5n);
  const imported = vm.call('look', [other]);
  assert.equal(imported.slice(0, 4), [25n, 'no. 5', 5n, 0.25]);
  // What comes out of a call again is the same image.
  assert.equal(imported[4], other);
  assert.equal(vm.call('look', [FROZEN_STATE]), results);
});

test('sealed state refuses every store', () => {
  const functions = [
    storing('push', (c) => b.listPush(b.field(b.field(c, 1), 1), b.i64(1))),
    storing('set', (c) => b.listSet(b.field(b.field(c, 1), 1), b.i64(0), b.i64(1))),
    storing('store', (c) => b.bufferSet(b.field(c, 0), 'u8', b.i64(0), b.i64(1))),
  ];
  const state = sealed(3n);
  const vm = vmOf(functions, { state });
  for (const name of ['push', 'set', 'store']) {
    for (const argument of [FROZEN_STATE, sealed(4n)]) {
      assert.match(errorOf(() => vm.call(name, [argument])).message, 'is read-only');
    }
  }
  assert.equal(
    vm.heap.bytes.slice(2 * 1024 * 1024, 2 * 1024 * 1024 + state.image.length),
    state.image,
  );
});

test('a ref opens as the type that was sealed only', () => {
  const f = new b.FunctionBuilder('f');
  const state = f.param('state', t.ref);
  const similar = t.record('test.Inner', { name: t.string, ids: t.list(t.u32) });
  const body = b.block(b.ret(b.field(b.heap('open', similar, [state.get]), 0)));
  const vm = vmOf([f.build([t.string], body)]);
  assert.match(
    errorOf(() => vm.call('f', [sealed(1n)])).message,
    'the ref does not hold test.Inner',
  );
  assert.match(
    errorOf(() => vm.call('f', [{ some: 'server value' }])).message,
    'the ref does not hold test.Inner',
  );
});

test.run();
