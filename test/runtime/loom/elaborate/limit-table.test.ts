/**
 * Every limit of elaboration at its value and one beyond. Each error states the limit, what was
 * asked where that is known, and the knob where there is one.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bindConfiguration } from '../../../../runtime/loom/elaborate/configuration.js';
import { catalogOf, problemText } from './programs.js';

interface Limit {
  readonly name: string;
  readonly max: number;
  /** A program that asks for `n`. */
  readonly text: (n: number) => string;
  readonly error: RegExp;
  /** Where one beyond is not what a program can ask for. */
  readonly beyond?: number;
}

const kernel = (head: string, body: string): string =>
  `kernel.def k(x: in view<f32>, y: out view<f32>) workgroup(${head}) {\n${body}\n}`;
const small = kernel('1', 'once { y[0] = 1.0 }');
const list = (n: number, one: (index: number) => string, separator = '\n'): string =>
  Array.from({ length: n }, (_, index) => one(index)).join(separator);

const limits: readonly Limit[] = [
  {
    name: 'rounds of unroll',
    max: 64,
    text: (n) => kernel('1', `once { for i in 0..${n} unroll { y[i] = 1.0 } }`),
    error: /unrolling takes 65 rounds; the limit is 64/,
  },
  {
    name: 'dispatches of a program',
    max: 8192,
    text: (n) =>
      `${small}\ncommand.def c(x: root, y: root) { for i in 0..${n - 1} { dispatch k(x, y) grid(1) }\ndispatch k(x, y) grid(1) }`,
    error: /more than 8192 dispatches/,
  },
  {
    name: 'views of a kernel',
    max: 16,
    text: (n) =>
      `kernel.def k(${list(n - 1, (i) => `x${i}: in view<f32>`, ', ')}, y: out view<f32>) workgroup(1) { once { y[0] = x0[0] } }`,
    error: /17 views; the limit is 16 \(target\.views\)/,
  },
  {
    name: 'shared bytes of a kernel',
    max: 16_384 / 4,
    text: (n) => kernel('1', `shared a : f32[${n}]\nonce { a[0] = 1.0 }`),
    error: /shared arrays take 16388 bytes; the limit is 16384 \(target\.shared_bytes\)/,
  },
  {
    name: 'lanes of a workgroup',
    max: 256,
    text: (n) => kernel(String(n), 'once { y[0] = 1.0 }'),
    beyond: 512,
    error: /the workgroup size is 512; it must be 1 to 256/,
  },
  {
    name: 'elements of a register array',
    max: 64,
    text: (n) => kernel('1', `once { var a : f32[${n}]\na[0] = 1.0\ny[0] = a[0] }`),
    error: /register array of 65 elements; the limit is 64/,
  },
  {
    name: 'private vectors a lane',
    max: 64,
    text: (n) => kernel('1', `private a : f32x4[${n}]\nparallel i in 0..1 { a[0] = f32x4(1.0) }`),
    error: /private arrays take 65 vectors a lane; the limit is 64/,
  },
  {
    name: 'fields of a bank',
    max: 65_536,
    text: (n) => `bank.def E { a: f32 }\nbank.def B { e: E[${n}] }\ncommand.def c(w: param B) { }`,
    error: /more than 65536 fields/,
  },
  {
    name: 'roots of a program',
    max: 8,
    text: (n) => `command.def c(${list(n, (i) => `r${i}: root`, ', ')}) { }`,
    error: /9 roots; the limit is 8/,
  },
  {
    name: 'extent of a grid',
    max: 65_535,
    text: (n) => `${small}\ncommand.def c(x: root, y: root) { dispatch k(x, y) grid(${n}) }`,
    error: /grid extent of 65536; the limit is 65535/,
  },
  {
    name: 'bytes of a tile',
    max: (1024 * 1024) / 4,
    text: (n) => kernel('1', `once { let t = x.tile<${n}>(0)\ny[0] = t[0] }`),
    error: /262145; it must be \d to 262144/,
  },
  {
    name: 'nested templates',
    max: 32,
    text: (n) =>
      `${list(n - 1, (i) => `template.def <N: i64>\nfunc.def t${i}(x: i64) -> i64 { return t${i + 1}<N>(x) }`)}
template.def <N: i64>\nfunc.def t${n - 1}(x: i64) -> i64 { return x + N }
func.def g() -> i64 { return t0<1>(1) }`,
    error: /deeper than 32/,
  },
  {
    name: 'template instances',
    max: 4096,
    text: (n) =>
      `template.def <N: i64>\nfunc.def f(x: i64) -> i64 { return x + N }\n${list(Math.ceil(n / 64), (block) => `func.def g${block}() { ${list(Math.min(64, n - block * 64), (i) => `let a${i} = f<${block * 64 + i}>(1)`, '; ')} }`)}`,
    error: /more than 4096 template instances/,
  },
  {
    name: 'words in one scalar',
    max: 256,
    text: (n) =>
      `${small}\ncommand.def c(x: root, y: root) { let w = word(x, 0)\nlet a = ${list(63, () => 'w', ' + ')}
let all = a + a + a + a${' + w'.repeat(n - 252)}\ndispatch k(x, y) grid(all) }`,
    error: /computes with 257 words; the limit is 256/,
  },
  {
    name: 'elements of a host array',
    max: 4096,
    text: (n) => `func.def f() { var a : i64[${n}] }`,
    error: /array of 4097 elements; the limit is 4096/,
  },
  {
    name: 'declarations in declarations',
    max: 256,
    text: (n) => `${list(n - 1, (i) => `const.def C${i} = C${i + 1}`)}\nconst.def C${n - 1} = 1`,
    error: /more than 256 deep/,
  },
  {
    name: 'bytes of a constant text',
    max: 65_536,
    text: (n) => `const.def A = "${'x'.repeat(n - 1)}"\nconst.def B = A + "y"`,
    error: /longer than 65536 bytes/,
  },
];

for (const { name, max, text, error, beyond } of limits) {
  test(`${name}: ${max} and no more`, () => {
    assert.is(problemText(text(max)), '', `${max} is allowed`);
    assert.match(problemText(text(beyond ?? max + 1)), error);
  });
}

test('nodes of a kernel after unrolling: 200000', () => {
  const text = (rounds: number) => {
    const inner = 'for b in 0..64 unroll { for c in 0..64 unroll { y[a] = y0 + x[c] } }';
    return kernel('1', `once { let y0 = x[0]\nfor a in 0..${rounds} unroll { ${inner} } }`);
  };
  assert.is(problemText(text(4)), '');
  assert.match(problemText(text(40)), /grows beyond 200000 nodes here[\s\S]*unroll less/);
});

test('nodes of an inlined function: 4096', () => {
  const text = (count: number) =>
    `func.def f(x: f32) -> f32 { return x${' + x'.repeat(60)} }
func.def g(v: in view<f32>) -> f32 { var s = v[0]\n${list(count, () => 's = f(s)')}\nreturn s }
${kernel('1', 'once { y[0] = g(x) }')}`;
  assert.is(problemText(text(20)), '');
  assert.match(problemText(text(40)), /'g' inlines to more than 4096 nodes/);
});

test('configuration keys: 256 and no more', () => {
  const catalog = catalogOf(list(257, (i) => `config.decl k${i} : i64 = 0`));
  const bind = (count: number) =>
    bindConfiguration(
      catalog,
      Array.from({ length: count }, (_, i): [string, string] => [`k${i}`, '1']),
    );
  assert.is(bind(256).size, 256);
  assert.throws(() => bind(257), /257 configuration keys are bound; the limit is 256/);
});

test.run();
