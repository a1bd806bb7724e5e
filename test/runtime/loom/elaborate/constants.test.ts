/** Exact constants, layouts, configuration, facts of the target. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Catalog } from '../../../../runtime/loom/elaborate/catalog.js';
import {
  bindConfiguration,
  parseConfigValue,
} from '../../../../runtime/loom/elaborate/configuration.js';
import { elaborateHost } from '../../../../runtime/loom/elaborate/elaborate.js';
import {
  catalogOf,
  checkAccepts,
  checkRejects,
  configurationOf,
  hostProgram,
  runMain,
  stageProgram,
} from './programs.js';

const evaluated = (expression: string): unknown =>
  runMain(`const.def X = ${expression}\nfunc.def export main() -> i64 { return X }`)[0];

test('constant expressions are exact integers', () => {
  assert.is(evaluated('(7 + 3) / 4 * 4'), 8n);
  assert.is(evaluated('-7 / 2'), -3n);
  assert.is(evaluated('-7 % 2'), -1n);
  assert.is(evaluated('1 << 40'), 1n << 40n);
  assert.is(evaluated('0xff & ~0x0f | 0x100'), 0x1f0n);
  assert.is(evaluated('ceil_div(10, 4) + min(3, 2) + max(3, 2) + log2(1024)'), 18n);
  assert.is(evaluated('select(3 > 2 && !(1 == 2), 5, 6)'), 5n);
  assert.is(evaluated('9223372036854775807'), 2n ** 63n - 1n);
});

test('a function of one return is a constant where constants are needed', () => {
  const texts = (body: string) =>
    `const.def width = 3
func.def double(n: i64) -> i64 { return n * 2 }
func.def size(k: i64, n: i64) -> i64 { return ceil_div(n, 32) * double(k) + double(width) }
func.def steps(n: i64) -> i64 {
  var m = n
  while m > 9 { m = m / 2 }
  return m
}
func.def again(n: i64) -> i64 { return again(n - 1) }
func.def byte(n: i32) -> i32 { return n }
kernel.def k(y: out view<f32>, n: i32) workgroup(32) { parallel i in 0..n { y[i] = 0.0 } }
command.def export main(x: root, y: root) {
${body}
}`;
  const program = stageProgram(texts('workspace w : f32[size(5, 33)]\ndispatch k(w, 1) grid(1)'));
  assert.is(program.workspaces[0]?.bytes, (2 * 10 + 6) * 4);
  checkRejects(
    [
      [
        'a loop',
        'workspace w : f32[steps(64)]',
        /'steps' cannot be called here[\s\S]*one `return`/,
      ],
      ['a word', 'workspace w : f32[double(word(x, 0))]', /'double' cannot be called here/],
      ['itself', 'workspace w : f32[again(3)]', /again/],
      ['out of range', 'workspace w : f32[byte(4294967296)]', /'n' takes i32/],
    ],
    texts,
  );
});

/** Random integer expressions with their value, computed beside the text. */
interface Sample {
  readonly text: string;
  readonly value: bigint;
}
const { expression } = fc.letrec<{ expression: Sample }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .integer({ min: 0, max: 1000 })
      .map((value) => ({ text: String(value), value: BigInt(value) })),
    fc
      .tuple(tie('expression'), tie('expression'), fc.constantFrom('+', '-', '*', '/', '%'))
      .map(([a, b, op]) => {
        const divides = op === '/' || op === '%';
        const right = divides && b.value === 0n ? { text: '3', value: 3n } : b;
        const text = `(${a.text} ${op} ${right.text})`;
        const results = {
          '+': a.value + right.value,
          '-': a.value - right.value,
          '*': a.value * right.value,
        };
        if (op === '/') return { text, value: a.value / right.value };
        if (op === '%') return { text, value: a.value % right.value };
        return { text, value: results[op as '+'] };
      }),
  ),
}));

test('folding agrees with integer arithmetic on random expressions', () => {
  const inRange = fc
    .sample(expression, { numRuns: 60, seed: 7 })
    .filter(({ value }) => value < 2n ** 62n && value > -(2n ** 62n));
  assert.ok(inRange.length > 30);
  for (const { text, value } of inRange) assert.is(evaluated(text), value, text);
});

test('what does not fit or is not constant is an error', () => {
  checkRejects([
    ['beyond i64', 'const.def X = 9223372036854775807 + 1', /outside the range of i64/],
    ['by zero', 'const.def X = 1 / (2 - 2)', /division of a constant by zero/],
    ['a typed constant', 'const.def X : i32 = 1 << 31', /expected i32/],
    [
      'a call',
      'func.def f() -> i64 {\n  var n = 1\n  return n\n}\nconst.def X = f()',
      /constant expression is needed/,
    ],
    ['unlike types', 'const.def X = 1u + 2.5', /expected u32/],
    ['a wrong kind', 'const.def X : bool = 1', /expected bool/],
    [
      'a store',
      'func.def f() -> i32 { return 3000000000 }',
      /expected i32, got the constant 3000000000/,
    ],
    ['a fact', 'const.def X = target.lanez', /no fact[\s\S]*target.lanes/],
  ]);
});

test('a constant that f32 cannot hold is an error where it is used, never an infinity', () => {
  const device = (value: string) =>
    `const.def big = 1e38
template.def <V: f32> func.def held() -> f32 { return V }
func.def plain(x: f32) -> f32 { return x }
bank.def B { a: f32[4] }
kernel.def k(y: out view<f32>, v: out view<f32x4>, s: f32) workgroup(1) { once { y[0] = s } }
command.def main(x: root, y: root) { dispatch k(y, x, ${value}) grid(1) }`;
  const inKernel = (body: string) =>
    `const.def big = 1e38
template.def <V: f32> func.def held() -> f32 { return V }
func.def plain(x: f32) -> f32 { return x }
kernel.def k(y: out view<f32>, v: out view<f32x4>) workgroup(1) { once { ${body} } }`;
  const beyond = /1e\+(39|40)(, which is)? beyond f32|must be a constant of type f32/;
  const bodies = [
    'y[0] = 1e40',
    'y[0] = -1e40',
    'y[0] = big * 10.0',
    'y[0] = 100.0 * big',
    'var x = 1e40',
    'y[0] = f32(1e40)',
    'y[0] = f32(y.len) + 1e40',
    'v[0] = f32x4(1e40)',
    'v[0] = f32x4(0.0, 1.0, 1e40, 2.0)',
    'y[0] = plain(1e40)',
    'y[0] = held<1e40>()',
    'let a = f32[2](0.0, 1e40)',
  ];
  for (const body of bodies) {
    checkRejects([[body, inKernel(body), beyond]]);
  }
  checkRejects([
    ['a scalar of a dispatch', device('1e40'), beyond],
    ['a host function', 'func.def f() -> f32 { return 1e40 }', beyond],
    ['a constant', 'const.def X : f32 = 1e40', beyond],
    ['a default', 'config.decl x : f32 = 1e40\nconst.def Y = x', beyond],
    ['a layout', 'layout.def L { a: f32 }\nfunc.def f(b: buffer) { b.at<L>(0).a = 1e40 }', beyond],
    ['beyond f64', 'func.def f() -> f64 { return 1e400 }', /1e400 is beyond f64/],
  ]);
  checkAccepts([
    ['the largest', inKernel('y[0] = f32.max\ny[0] = f32.lowest\ny[0] = 3.4028234663852886e38')],
    ['f64', 'func.def f() -> f64 { return 1e40 }'],
    ['that it rounds to the largest', inKernel('y[0] = 3.4028235e38')],
  ]);
});

test('messages show constants as they are written', () => {
  checkRejects([
    ['a whole real', 'func.def f() -> i64 { return 1.0 }', /got the constant 1\.0/],
    ['a negative one', 'func.def f() -> i64 { return -2.0 }', /got the constant -2\.0/],
    ['an integer', 'func.def f() -> string { return 1 }', /got the constant 1$/],
    ['a size', 'layout.def L { a: i32[4.0] }', /got the constant 4\.0/],
  ]);
});

test('constants adapt to the type needed', () => {
  checkAccepts([
    [
      'i64 constants as i32',
      'const.def N : i64 = 4\nfunc.def f(x: i32) -> i32 { return x * N + i32(N) }',
    ],
    ['integers as reals', 'func.def f(x: f32) -> f32 { return x * 2 + 1 }'],
    [
      'u32 literals stay u32',
      'const.def S : u32 = 0xffffffff\nfunc.def f(x: u32) -> u32 { return (x ^ S) * 16777619u }',
    ],
  ]);
  assert.is(
    runMain(
      'const.def S : u32 = 0xffffffff\nfunc.def export main() -> i64 { return i64(S + 2u) }',
    )[0],
    1n,
    'u32 wraps',
  );
});

test('layouts align fields to their size and round up to the largest', () => {
  const text =
    'layout.def L { a: i32, b: i64, c: f32x4, d: u32[3], e: f32x2 }\nlayout.def S { a: f32 }\n';
  const offsets = runMain(
    `${text}func.def export main() -> (i64, i64, i64, i64, i64, i64, i64) { return (L.a, L.b, L.c, L.d, L.e, L.size, S.size) }`,
  );
  // a 0..4, b 8..16, c 16..32, d 32..44, e 48..56, rounded up to 16.
  assert.equal(offsets, [0n, 8n, 16n, 32n, 48n, 64n, 4n]);
  checkRejects([
    ['bool', 'layout.def L { a: bool }', /layout field cannot be bool/],
    ['twice', 'layout.def L { a: i32, a: i32 }', /exists twice/],
    ['unknown', 'layout.def L { a: i32 }\nconst.def X = L.b', /has no field 'b'/],
    ['nested arrays', 'layout.def L { a: i32[2][2] }', /do not nest/],
  ]);
});

test('configuration: reads are recorded, bindings replace defaults, errors name the key', () => {
  const text =
    'library p.q\nconfig.decl width : i64 = 8\nconfig.decl fast : bool = false\nconfig.decl scale : f32 = 0.5\nfunc.def export main() -> i64 { return width }';
  const catalog = catalogOf(text);
  const run = elaborateHost(
    catalog,
    'main.loom',
    configurationOf(catalog, { config: { width: '32' } }),
  );
  assert.equal(run.configRead, ['p.q.width']);
  assert.equal(
    [
      ...bindConfiguration(catalog, [
        ['p.q.fast', 'true'],
        ['scale', '0.1'],
      ]),
    ],
    [
      ['p.q.fast', true],
      ['p.q.scale', Math.fround(0.1)],
    ],
  );
  const bind = (key: string, value: string) => () => bindConfiguration(catalog, [[key, value]]);
  assert.throws(bind('widht', '1'), /no configuration key 'widht'.*width/);
  assert.throws(bind('main', '1'), /not a config.decl/);
  assert.throws(bind('width', 'true'), /'width'.*not an i64/);
  assert.throws(
    () =>
      bindConfiguration(catalog, [
        ['width', '1'],
        ['p.q.width', '2'],
      ]),
    /bound twice/,
  );
  assert.throws(
    () =>
      bindConfiguration(new Catalog(['a', 'b'].map((file) => ({ ...sourceOf(file), file }))), [
        ['n', '1'],
      ]),
    /ambiguous: a.n, b.n/,
  );
});

function sourceOf(library: string) {
  const catalog = catalogOf(`library ${library}\nconfig.decl n : i64 = 1`);
  return { file: library, module: catalog.files[0]!.module, source: null };
}

test('textual values are parsed by type', () => {
  assert.is(parseConfigValue('i64', ' -0x10 '), -16n);
  assert.is(parseConfigValue('f32', '1e-1'), Math.fround(0.1));
  for (const [type, value] of [
    ['i32', '2147483648'],
    ['i64', '1.5'],
    ['f32', '1e99'],
    ['f32', ''],
    ['bool', '1'],
    ['i64', ''],
  ] as const) {
    assert.throws(() => parseConfigValue(type, value), /is not|range/);
  }
});

test('constant arrays: any index on the host, constant ones on devices', () => {
  const table = 'const.def T : i32[4] = i32[4](2, 3, 5, 7)\n';
  const sum = `${table}func.def export main() -> i64 { var s = 0\nfor i in 0..4 { s += i64(T[i]) }\nreturn s + i64(T[3]) + T.len }`;
  assert.equal(runMain(sum), [28n]);
  checkAccepts([
    ['a device', `${table}kernel.def k(y: out view<i32>) workgroup(1) { once { y[0] = T[2] } }`],
  ]);
  checkRejects([
    ['beyond', `${table}const.def X = T[4]`, /must be 0 to 3/],
    [
      'dynamic on a device',
      `${table}kernel.def k(y: out view<i32>, n: i32) workgroup(1) { once { y[0] = T[n] } }`,
      /must be constant/,
    ],
    [
      'another type',
      'const.def T : i32[3] = i32[4](1, 2, 3, 4)',
      /expected i32\[3\], got i32\[4\]/,
    ],
  ]);
});

test('facts that are read become part of the key', () => {
  const text =
    'kernel.def k(y: out view<f32>) workgroup(select(target.simt, 64, 1)) { parallel i in 0..4 { y[i] = 1.0 } }\ncommand.def main(y: root) { dispatch k(y) grid(1) }';
  assert.is(stageProgram(text).kernels[0]?.lanes, 1);
  assert.is(stageProgram(text, 'main', { target: { simt: true } }).kernels[0]?.lanes, 64);
  assert.ok(hostProgram('func.def export main() { }').files.length === 1);
});

test.run();
