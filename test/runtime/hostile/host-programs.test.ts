/**
 * Termination and memory of host programs under both executors: what never ends, or wants it all,
 * ends with an error that names function and place, and the instance serves the next call.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RecordType } from '../../../runtime/loom/typed.js';
import type { SealedState } from '../../../runtime/vm/heap.js';
import { Heap } from '../../../runtime/vm/heap.js';
import { FROZEN_STATE } from '../../../runtime/vm/host-value.js';
import { fingerprintOf } from '../../../runtime/vm/type-text.js';
import { errorOf, executors, instance } from './executors.js';

/** Each row: what it is, the body of `spin`, and what its error says. */
const endless: readonly (readonly [string, string, RegExp])[] = [
  ['while', 'while true { }', /out of fuel: .* 10000 steps/],
  ['while with work', 'var i = 0\nwhile i >= 0 { i = 1 - i }', /out of fuel/],
  ['an immense range', 'for i in 0..9223372036854775807 { }', /out of fuel/],
  [
    'a range up to the last integer, in steps that pass it',
    'for i in 9223372036854770000..9223372036854775807 step 5 { for j in 0..100 { } }',
    /out of fuel/,
  ],
  ['continue', 'while true { continue }', /out of fuel/],
  ['calls that double', 'let a = f(60)', /out of fuel/],
  ['recursion', 'let a = down(1)', /nested deeper than 256/],
  ['mutual recursion', 'let a = ping(1)', /nested deeper than 256/],
  ['text that doubles', 'var s = "abcdefgh"\nwhile true { s = s + s }', /out of (fuel|memory)/],
  ['a list that grows', 'let l = list<i64>()\nwhile true { l.push(1) }', /out of (fuel|memory)/],
  ['one immense buffer', 'let b = buffer.new(1 << 62)', /out of (fuel|memory)/],
  ['searching', 'let s = long()\nwhile true { let at = s.find("b") }', /out of fuel/],
  ['formatting', 'while true { let t = format("{}", 12345) }', /out of (fuel|memory)/],
  ['sealing', 'while true { let r = seal(R { n: 1 }) }', /out of (fuel|memory)/],
];

const spinning = (body: string): string => `record.def R { n: i64 }
func.def f(n: i64) -> i64 { if n < 2 { return n } else { return f(n - 1) + f(n - 2) } }
func.def down(n: i64) -> i64 { return down(n + 1) + 1 }
func.def ping(n: i64) -> i64 { return pong(n) }
func.def pong(n: i64) -> i64 { return ping(n) }
func.def long() -> string { var s = "aaaaaaaa"
for i in 0..8 { s = s + s }
return s }
func.def export spin() {
${body}
}
func.def export well(n: i64) -> i64 { return n + 1 }`;

for (const executor of executors) {
  test(`${executor}: what never ends does end, by name and place, and the next call is served`, () => {
    for (const [what, body, expected] of endless) {
      const vm = instance(spinning(body), executor, {
        limits: { fuel: 10_000, arenaBytes: 1 << 20 },
      });
      const error = errorOf(() => vm.call('spin', []));
      assert.is(error.code, 'resourceExhausted', what);
      assert.match(error.message, expected, what);
      assert.match(error.message, /^(spin|f|down|ping|pong|long) \(main\.loom:\d+:\d+\): /, what);
      assert.equal(vm.call('well', [41n]), [42n], what);
    }
  });

  test(`${executor}: fuel is at its limit, and one unit beyond`, () => {
    const text =
      'func.def export count(n: i64) -> i64 { var s = 0\nfor i in 0..n { s += i }\nreturn s }';
    const probe = instance(text, executor);
    probe.call('count', [100n]);
    const fuel = probe.fuelSpent;
    assert.equal(instance(text, executor, { limits: { fuel } }).call('count', [100n]), [4950n]);
    const short = instance(text, executor, { limits: { fuel: fuel - 1 } });
    const { message } = errorOf(() => short.call('count', [100n]));
    assert.match(
      message,
      new RegExp(`more than its ${fuel - 1} steps .*deployment\\.capacity\\.fuel`),
    );
  });

  test(`${executor}: an arena is at its limit, and one byte beyond`, () => {
    const text =
      'func.def export take(n: i64) -> i64 { let b = buffer.new(n)\nreturn b.len }\nfunc.def export twice(n: i64) -> i64 { let a = take(n)\nreturn a + take(n) }';
    const vm = instance(text, executor, { limits: { arenaBytes: 65536 } });
    assert.equal(vm.call('take', [65536n - 16n]), [65520n]);
    const error = errorOf(() => vm.call('take', [65536n - 15n]));
    assert.match(error.message, /65536 bytes a call .*deployment\.memory\.arena_bytes/);
    assert.match(errorOf(() => vm.call('twice', [40_000n])).message, /40000 bytes do not fit/);
    assert.equal(vm.call('take', [65520n]), [65520n]);
  });

  test(`${executor}: calls nest 256 deep, whatever the expressions around them`, () => {
    const deep = (inner: string) => `${'('.repeat(40)}${inner}${' + 1)'.repeat(40)}`;
    const text = `func.def export down(n: i64) -> i64 { if n == 0 { return 0 }
return ${deep('down(n - 1)')} }`;
    const vm = instance(text, executor);
    const told = errorOf(() => vm.call('down', [300n]));
    assert.is(told.code, 'resourceExhausted');
    assert.match(told.message, /^down \(main\.loom:\d+:\d+\): calls/);
    assert.equal(vm.call('down', [10n]), [400n]);
  });

  test(`${executor}: messages are cut at 1 KiB`, () => {
    const text =
      'func.def export say(n: i64) { var s = "é"\nfor i in 0..n { s = s + s }\nfail("{}", s) }';
    const vm = instance(text, executor);
    const length = (n: bigint) =>
      Buffer.byteLength(errorOf(() => vm.call('say', [n])).message.replace(/^.*?\): /, ''));
    assert.is(length(9n), 1024);
    assert.ok(length(10n) <= 1024 && length(10n) > 1000);
  });

  test(`${executor}: what is sealed nests 256 deep and no deeper`, () => {
    const text = `record.def N { next: ref, n: i64 }
record.def E { n: i64 }
func.def export chain(n: i64) -> ref { var r = seal(E { n: 0 })
for i in 0..n { r = seal(N { next: r, n: i }) }
return r }`;
    const vm = instance(text, executor);
    assert.ok(vm.call('chain', [120n])[0] !== null);
    const error = errorOf(() => vm.call('chain', [300n]));
    assert.is(error.code, 'resourceExhausted');
    assert.match(error.message, /more than 256 deep/);
  });

  test(`${executor}: frozen state refuses every store, and keeps its bytes`, () => {
    const text = `record.def In { b: buffer, l: list<i64> }
record.def S { b: buffer, l: list<i64>, all: list<In> }
func.def export prepare() -> ref { let b = buffer.new(16)
let l = list<i64>(1, 2, 3)
let all = list<In>(In { b: b, l: l })
return seal(S { b: b, l: l, all: all }) }
func.def export store(s: ref) { open<S>(s).b.u8[0] = 1 }
func.def export sliced(s: ref) { open<S>(s).b.slice(4, 4).i32[0] = 1 }
func.def export inner(s: ref) { open<S>(s).all[0].b.fill(0, 16, 7) }
func.def export copied(s: ref) { open<S>(s).b.copy(0, buffer.new(4), 0, 4) }
func.def export pushed(s: ref) { open<S>(s).l.push(4) }
func.def export set(s: ref) { open<S>(s).all[0].l[0] = 9 }
func.def export replaced(s: ref) { let other = open<S>(s)
other.all[0] = In { b: buffer.new(1), l: list<i64>() } }
func.def export sum(s: ref) -> i64 { let v = open<S>(s)
return v.l[0] + v.all[0].l[2] + v.b.i64[0] + v.all.len }`;
    const [state] = instance(text, executor).call('prepare', []) as [SealedState];
    const vm = instance(text, executor, { state });
    for (const entry of ['store', 'sliced', 'inner', 'copied', 'pushed', 'set', 'replaced']) {
      for (const given of [FROZEN_STATE, state]) {
        const error = errorOf(() => vm.call(entry, [given]));
        assert.match(error.message, new RegExp(`^${entry} \\(.*\\): .*is read-only`));
      }
    }
    assert.equal(vm.call('sum', [FROZEN_STATE]), [5n]);
  });

  test(`${executor}: a returned slice is a copy, whatever happens to what it was cut from`, () => {
    const text = `record.def S { b: buffer }
func.def export part(b: buffer) -> (buffer, buffer) { let s = b.slice(2, 4)
b.u8[2] = 77
return (s, b) }
func.def export seen(s: ref) -> buffer { return open<S>(s).b.slice(1, 2) }
func.def export prepare(b: buffer) -> ref { return seal(S { b: b.slice(1, 4) }) }`;
    const vm = instance(text, executor);
    const input = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7);
    const [part, whole] = vm.call('part', [input]) as Uint8Array[];
    assert.equal(input, Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7), 'what the caller gave is untouched');
    input.fill(9);
    vm.call('part', [new Uint8Array(4096).fill(255)]);
    assert.equal([...part!], [77, 3, 4, 5]);
    assert.equal([...whole!], [0, 1, 77, 3, 4, 5, 6, 7]);
    const [state] = vm.call('prepare', [Uint8Array.of(0, 1, 2, 3, 4, 5)]) as [SealedState];
    const other = instance(text, executor, { state });
    const [seen] = other.call('seen', [FROZEN_STATE]) as [Uint8Array];
    seen.fill(0);
    assert.equal(other.call('seen', [FROZEN_STATE]), [Uint8Array.of(2, 3)]);
  });
}

const MANY = { interpret: 50_000, wasm: 1_000_000 };
for (const executor of executors) {
  test(`${executor}: ${MANY[executor]} calls leave the memory as one does`, () => {
    const text = `record.def R { b: buffer, l: list<i64> }
func.def export step(n: i64) -> i64 { let l = list<i64>(n)
l.push(n)
let r = R { b: buffer.new(64), l: l }
r.b.i64[1] = r.l[1]
return r.b.i64[1] }`;
    const vm = instance(text, executor);
    const args = [7n];
    vm.call('step', args);
    const [used, size] = [vm.arenaUsed, vm.heap.bytes.length];
    for (let i = 0; i < 1000; i++) vm.call('step', args);
    const before = heapUsed();
    for (let i = 0; i < MANY[executor]; i++) vm.call('step', args);
    assert.is(vm.arenaUsed, used);
    assert.is(vm.heap.bytes.length, size);
    // A single object kept a call would be tens of megabytes.
    assert.ok(heapUsed() - before < 1024 * 1024, `${heapUsed() - before} bytes more`);
  });
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('records that double with every level are told apart by digest, not by text', () => {
  const levels = Array.from(
    { length: 60 },
    (_, i) => `record.def R${i + 1} { a: R${i}, b: R${i} }`,
  );
  const text = `record.def R0 { n: i64 }\n${levels.join('\n')}
func.def export main(r: ref) -> i64 { return open<R60>(r).a.b.a.b.a.a.a.a.a.a${'.a'.repeat(50)}.n }`;
  for (const executor of executors) {
    const error = errorOf(() => instance(text, executor).call('main', [{}]));
    assert.match(error.message, /the ref does not hold R60/);
  }
});

test('types whose fingerprints collide are not taken for each other', () => {
  const [first, second] = collision();
  assert.is(fingerprintOf(first), fingerprintOf(second));
  const prepare = `record.def ${first.name} { n: i64 }
func.def export prepare() -> ref { return seal(${first.name} { n: 4294967296 }) }`;
  const [state] = instance(prepare, 'interpret').call('prepare', []) as [SealedState];
  const control = `record.def ${second.name} { l: list<i64> }
func.def export look(s: ref) -> i64 { return open<${second.name}>(s).l[0] }`;
  for (const executor of executors) {
    const frozen = instance(control, executor, { state });
    for (const [vm, given] of [
      [frozen, FROZEN_STATE],
      [instance(control, executor), state],
    ] as const) {
      const { message } = errorOf(() => vm.call('look', [given]));
      assert.match(message, new RegExp(`the ref does not hold ${second.name}`));
    }
  }
});

/** Two records of different structure with one fingerprint: some 80,000 tries by the birthdays. */
function collision(): [RecordType, RecordType] {
  const i64 = { kind: 'scalar', name: 'i64' } as const;
  const seen = new Map<number, RecordType>();
  for (let i = 0; ; i++) {
    const isFirst = i % 2 === 0;
    const type = isFirst ? i64 : ({ kind: 'list', elem: i64 } as const);
    const record = { name: `R${i}`, fields: [{ name: isFirst ? 'n' : 'l', type }] };
    const other = seen.get(fingerprintOf(record));
    if (other !== undefined && other.fields[0]!.name !== record.fields[0]!.name)
      return isFirst ? [record, other] : [other, record];
    seen.set(fingerprintOf(record), record);
  }
}

test('a function that the optimising compiler would never finish is refused by size', () => {
  const text = (n: number) =>
    `func.def export main(n: i64) -> i64 {\n${Array.from({ length: n }, (_, i) => `if n == ${i} { return ${i} }`).join('\n')}\nreturn -1 }`;
  assert.equal(instance(text(500), 'wasm').call('main', [499n]), [499n]);
  const { code, message } = errorOf(() => instance(text(9000), 'wasm'));
  assert.is(code, 'resourceExhausted');
  assert.match(
    message,
    /^main \(main\.loom:1:17\) compiles to \d+ .* the limit is 16384: split it/,
  );
});

test('a frozen state is at its limit of 256 MiB, and one byte beyond; an arena at 3 GiB', () => {
  const limit = 256 * 1024 * 1024;
  const stateOf = (length: number) => ({
    image: { length } as Uint8Array,
    root: 0,
    pointers: new Uint32Array(),
    types: [],
  });
  assert.throws(
    () => new Heap({ state: stateOf(limit + 1) }),
    /state of 268435457 bytes .* limit is 268435456/,
  );
  assert.is(new Heap({ arenaBytes: 3 * 1024 ** 3 }).arenaBytes, 3 * 1024 ** 3);
  assert.throws(
    () => new Heap({ arenaBytes: 3 * 1024 ** 3 + 1 }),
    /limit is 3221225472 \(deployment\.memory\.arena_bytes\)/,
  );
});

test.run();
