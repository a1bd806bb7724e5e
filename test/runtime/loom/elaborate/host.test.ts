/** Host functions: what is accepted, what is rejected, and what the typed tree makes of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkAccepts, checkRejects, host, hostProgram, runMain } from './programs.js';

test('integers are i64 by default; conversions are written', () => {
  checkRejects(
    [
      [
        'mixed widths',
        'let a = n + b.i32[0]',
        /needs equal types, got i64 and i32[\s\S]*conversions are written/,
      ],
      ['a real index', 'let a = b.i64[1.5]', /expected i64/],
      ['shifts of reals', 'let a = 1.5\nlet c = f64(n) << f64(n)', /'<<' does not apply to f64/],
      ['a number as condition', 'if n { }', /the condition: expected bool, got i64/],
      ['bool from a number', 'let a = bool(n)', /i64 does not convert to bool[\s\S]*x != 0/],
      ['text arithmetic', 'let a = t - t', /'-' does not apply to string/],
      ['device types', 'var a : i8x4', /exists on devices only/],
      ['a missing member', 'let a = b.i16[0]', /buffer has no member 'i16'/],
      ['elements of a buffer', 'let a = b[0]', /elements are named/],
    ],
    host,
  );
});

test('variables: only `var` is assigned, names end with their block', () => {
  checkRejects(
    [
      ['let', 'let a = 1\na = 2', /cannot be assigned[\s\S]*declare it with `var`/],
      ['a parameter', 'n = 2', /'n' cannot be assigned/],
      ['another type', 'var a = n\na = t', /expected i64, got string/],
      ['out of scope', 'if n > 0 { let a = 1 }\nlet c = a', /'a' is not defined/],
      ['a jump outside', 'break', /outside of a loop/],
      ['no zero', 'var a : buffer', /has no zero value/],
      ['regions', 'parallel i in 0..4 { }', /regions stand in kernels only/],
      ['dispatch', 'dispatch k(b) grid(1)', /command programs only/],
    ],
    host,
  );
  checkAccepts(
    [
      [
        'loops',
        'var a = 0\nfor i in 0..n step 2 { if i == 4 { continue }\n a += i\n if a > 9 { break } }\nwhile a > 0 { a -= 1 }',
      ],
    ],
    host,
  );
});

test('records are values with named fields, each given once', () => {
  const records = 'record.def R { a: i64, b: string }\n';
  checkRejects([
    ['missing', `${records}func.def f() -> R { return R { a: 1 } }`, /lacks 'b'/],
    [
      'unknown',
      `${records}func.def f() -> R { return R { a: 1, b: "", c: 2 } }`,
      /has no field 'c'/,
    ],
    ['twice', `${records}func.def f() -> R { return R { a: 1, a: 1, b: "" } }`, /given twice/],
    ['assigned', `${records}func.def f(r: R) { var s = r\ns.a = 2 }`, /records are values/],
    ['device types', 'record.def R { a: i8x4 }', /cannot hold i8x4/],
    ['itself', 'record.def R { r: list<R> }', /refers to itself/],
  ]);
  const text = `${records}func.def export main() -> (i64, string) { let r = R { b: "x", a: 3 }\nreturn (r.a, r.b) }`;
  assert.equal(runMain(text), [3n, 'x']);
});

test('functions: arguments, results and ways', () => {
  const g = 'func.def g(a: i64) -> (i64, i64) { return (a, a + 1) }\n';
  checkRejects([
    ['too few', `${g}func.def f() { let (a, b) = g() }`, /'g' takes 1 arguments, got 0/],
    ['one name', `${g}func.def f() { let a = g(1) }`, /several results/],
    ['three names', `${g}func.def f() { let (a, b, c) = g(1) }`, /3 names for 2 results/],
    [
      'a way without return',
      'func.def f(a: i64) -> i64 { if a > 0 { return 1 } }',
      /does not return on every way/,
    ],
    ['results', 'func.def f() -> (i64, i64) { return 1 }', /2 results expected, got 1/],
    [
      'a kernel',
      'kernel.def k(x: in view<f32>) workgroup(1) { }\nfunc.def f() { k(1) }',
      /cannot be called[\s\S]*dispatch/,
    ],
    [
      'a device function',
      'func.def d(x: in view<f32>) -> f32 { return x[0] }\nfunc.def f() { let a = d(1) }',
      /runs on devices only|takes values/,
    ],
    ['a value as statement', 'func.def f() { let a = fail("x") }', /gives no value/],
  ]);
  assert.equal(
    runMain(`${g}func.def export main() -> (i64, i64) { return g(4) }`),
    [4n, 5n],
    'a tuple passes through',
  );
  assert.equal(
    runMain(
      'func.def export main() -> i64 { return f(10) }\nfunc.def f(n: i64) -> i64 { if n < 2 { return n } else { return f(n - 1) + f(n - 2) } }',
    ),
    [55n],
  );
});

test('buffers, layouts, lists and texts do what they say', () => {
  const text = `layout.def P { a: i32, v: f32x4, w: u32[3], big: i64 }
func.def export main() -> (i64, i64, f32, u32, i64, string) {
  let b = buffer.new(2 * P.size)
  let r = b.at<P>(1)
  r.a = 7; r.v = f32x4(1.0, 2.0, 3.0, 4.0); r.w[2] = 5u; r.big = 1 << 40
  r.a += 1
  let l = list<i64>(3, 4)
  l.push(5); l[0] = 9
  let sum = l[0] + l[1] + l[2] + l.len
  let word = "abc" + "def"
  return (i64(b.i32[P.size / 4]), sum, r.v.z, b.from(P.size).at<P>(0).w[2], b.at<P>(1).big >> 40, format("{}-{}", word.slice(1, 3), word.find("de")))
}`;
  assert.equal(runMain(text), [8n, 21n, 3, 5, 1n, 'bcd-3']);
});

test('constant places beyond i64 raise when they run, in both executors alike', () => {
  const max = '9223372036854775807';
  const places = [`b.at<P>(${max}).a`, `b.at<P>(-${max} - 1).big`, `b.at<P>(${max}).w[2]`];
  for (const place of places) {
    const text = `layout.def P { a: i32, w: u32[3], big: i64 }
func.def export main() { let b = buffer.new(64)
${place} = ${place} }`;
    assert.throws(() => runMain(text), /i64 overflow in '\*'/, place);
  }
});

test('a store into a narrower field is checked when it runs', () => {
  const text =
    'layout.def P { a: i32 }\nfunc.def export main(n: i64) -> i64 { let b = buffer.new(4)\nb.at<P>(0).a = n\nreturn i64(b.i32[0]) }';
  assert.equal(runMain(text, [5n]), [5n]);
  assert.throws(() => runMain(text, [1n << 40n]), /range|fit|i32/);
});

test('state: seal, open and cells are typed', () => {
  const record = 'record.def R { a: i64 }\n';
  checkRejects([
    ['a number', 'func.def f() -> ref { return seal(1) }', /seal takes a record/],
    ['an open number', 'func.def f(s: ref) { let a = open<i64>(s) }', /open<…> takes a record/],
    ['cells of numbers', 'func.def f(c: cell<i64>) { }', /cell<…> needs a record/],
    [
      'another record',
      `${record}record.def Q { a: i64 }\nfunc.def f(c: cell<R>) { c.write(Q { a: 1 }) }`,
      /expected R, got Q/,
    ],
  ]);
  assert.equal(
    runMain(
      `${record}func.def export main() -> i64 { let c = cell(R { a: 1 })\nc.write(R { a: c.read().a + 4 })\nreturn open<R>(seal(c.read())).a + c.a }`,
    ),
    [10n],
  );
});

test('formats are literals with one {} a value', () => {
  checkRejects(
    [
      ['too few values', 'reject("{} {}", n)', /has 2 \{\} and 1 values/],
      ['no literal', 'reject(t)', /literal text/],
      ['a buffer', 'fail("{}", b)', /a buffer cannot be printed/],
      ['no condition', 'require(n, "x")', /condition of 'require': expected bool/],
    ],
    host,
  );
});

test('capabilities and symbols are carried with their signatures', () => {
  const program = hostProgram(`library p
func.decl import("prepare") stage(root: symbol, tag: i64) -> i64
kernel.def k(x: in view<f32>) workgroup(1) { }
template.def <N: i64>
kernel.def kt(x: in view<f32>) workgroup(N) { }
func.def export main() -> i64 { let a = stage(@k, 1)\nlet b = stage(@kt<4 * 2>, 1)\nreturn stage(@k, 2) }`);
  assert.equal(program.symbols, [
    { name: 'p.k', args: [] },
    { name: 'p.kt', args: ['8'] },
  ]);
  assert.is(program.imports.length, 1);
  assert.equal(
    [program.imports[0]?.module, program.imports[0]?.name, program.imports[0]?.params.length],
    ['prepare', 'stage', 2],
  );
  checkRejects([
    [
      'an unknown symbol',
      'func.decl import("m") s(a: symbol)\nfunc.def f() { s(@nobody) }',
      /'nobody' is not defined/,
    ],
    [
      'a layout',
      'func.decl import("m") s(a: symbol)\nlayout.def L { a: i32 }\nfunc.def f() { s(@L) }',
      /is a layout/,
    ],
  ]);
});

test('a function over device types is one function on both sides', () => {
  const mix =
    'func.def mix(h: u32, x: u32) -> u32 { let a = (h ^ x) * 0x01000193u\nvar n = 3\nn += 1\nreturn a ^ (a >> (u32(n) + 11u)) }\n';
  const [value] = runMain(`${mix}func.def export main() -> u32 { return mix(0x811c9dc5u, 97u) }`);
  const a = Math.imul(0x811c9dc5 ^ 97, 0x01000193) >>> 0;
  assert.is(value, (a ^ (a >>> 15)) >>> 0);
});

test('entries are the exported functions, by short name', () => {
  const program = hostProgram(
    'library p\nfunc.def export a() { c() }\nfunc.def export b() { }\nfunc.def c() { }\nfunc.def d() { }\nfunc.def export e(x: in view<f32>) -> f32 { return x[0] }',
  );
  assert.equal(Object.keys(program.entries), ['a', 'b']);
  assert.equal(
    program.functions.map((entry) => entry.name).sort(),
    ['p.a', 'p.b', 'p.c'],
    'what is not reached is left out',
  );
});

test('blocks cost what runs straight-line', () => {
  const program = hostProgram(
    'func.def export main(n: i64) -> i64 { var a = 0\nfor i in 0..n { a += i }\nreturn a }',
  );
  const [main] = program.functions;
  const loop = main?.body.stmts.find((stmt) => stmt.op === 'for');
  // set, its constant; for, its two bounds; return, its local.
  assert.is(main?.body.cost, 7);
  // set, +, two locals.
  assert.is(loop?.op === 'for' ? loop.body.cost : 0, 4);
});

test.run();
