/** Templates over constants, types, functions and symbols; checks and the functions they reach. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  elaborateChecks,
  elaborateHost,
  elaborateKernel,
} from '../../../../runtime/loom/elaborate/elaborate.js';
import { parseSymbolText } from '../../../../runtime/loom/elaborate/templates.js';
import {
  asFloats,
  catalogOf,
  checkAccepts,
  checkRejects,
  configurationOf,
  floats,
  hostProgram,
  problemText,
  runMain,
  runStage,
  stageOf,
} from './programs.js';

test('host templates: arguments are written or inferred, instances are shared', () => {
  const text = `template.def <T: i64 | f64 | string>
func.def twice(x: T) -> T { return x + x }
template.def <N: i64>
func.def first(a: i64[N]) -> i64 { return a[0] + N }
template.def <T: type>
func.def size(l: list<T>) -> i64 { return l.len }
func.def export main() -> (i64, f64, string, i64, i64) {
  let l = list<bool>()
  return (twice(2) + twice<i64>(4), twice(1.5), twice("ab"), first(i64[3](7, 8, 9)), size(l))
}`;
  assert.equal(runMain(text), [12n, 3, 'abab', 10n, 0n]);
  const names = hostProgram(text)
    .functions.map((entry) => entry.name)
    .sort();
  assert.equal(names, [
    'first<3>',
    'main',
    'size<bool>',
    'twice<f64>',
    'twice<i64>',
    'twice<string>',
  ]);
});

test('functions as arguments, by symbol, through several levels', () => {
  const text = `func.def double(x: f32) -> f32 { return x * 2.0 }
template.def <N: i64>
func.def power(x: f32) -> f32 { var p = 1.0\nfor i in 0..N unroll { p *= x }\nreturn p }
template.def <F: func(f32) -> f32>
func.def apply(x: f32) -> f32 { return F(x) + 1.0 }
template.def <F: func(f32) -> f32>
kernel.def map(x: in view<f32>, y: out view<f32>) workgroup(4) { parallel i in 0..4 { y[i] = apply<@F>(x[i]) } }
command.def main(x: root, y: root, z: root) {
  dispatch map<@double>(x, y) grid(1)
  dispatch map<@power<3>>(x, z) grid(1)
}`;
  const y = new Uint8Array(16);
  const z = new Uint8Array(16);
  runStage(text, [floats(1, 2, 3, 4), y, z]);
  assert.equal(asFloats(y), [3, 5, 7, 9]);
  assert.equal(asFloats(z), [2, 9, 28, 65]);
  checkRejects([
    ['no function', text.replace('map<@double>', 'map<3>'), /F must be a function like @name/],
    [
      'its own arguments',
      text.replace('@power<3>', '@power'),
      /argument N of 'power' is not given/,
    ],
  ]);
});

test('a device template works on scalars and vectors', () => {
  const text = `template.def <T: f32 | f32x4>
func.def sigmoid(x: T) -> T { return T(1.0) / (T(1.0) + x * x) }
kernel.def k(x: in view<f32>, v: in view<f32x4>, y: out view<f32>, w: out view<f32x4>) workgroup(1) { once { y[0] = sigmoid(x[0])\nw[0] = sigmoid(v[0]) } }
command.def main(x: root, y: root, w: root) { dispatch k(x.view<f32>(0, 4), x.view<f32x4>(16, 1), y, w) grid(1) }`;
  const y = new Uint8Array(4);
  const w = new Uint8Array(16);
  runStage(text, [floats(1, 0, 0, 0, 0, 1, 2, 3), y, w]);
  assert.equal(asFloats(y), [0.5]);
  assert.equal(asFloats(w), [1, 0.5, 0.2, 0.1].map(Math.fround));
  checkRejects([
    [
      'another type',
      text.replace('sigmoid(x[0])', 'sigmoid(x[0] > 0.0)'),
      /T must be f32 or f32x4, got bool/,
    ],
  ]);
});

test('symbol parameters name kernels', () => {
  checkAccepts([
    [
      'a kernel by symbol',
      `kernel.def k(y: out view<f32>) workgroup(1) { once { y[0] = 1.0 } }
func.decl import("prepare") dispatch(root: symbol, tag: i64) -> i64
template.def <S: symbol>
func.def declare(tag: i64) -> i64 { return dispatch(S, tag) }
func.def f() -> i64 { return declare<@k>(1) }`,
    ],
  ]);
});

test('errors inside an instance say where it was asked for', () => {
  const text = `template.def <N: i64>
func.def pick(a: i64) -> i64 { return pickIt<N>(a) }
template.def <N: i64>
func.def pickIt(a: i64) -> i64 { let b : i32 = N\nreturn a }
func.def f() -> i64 { return pick<3000000000>(1) }`;
  assert.match(
    problemText(text),
    /expected i32, got the constant 3000000000[\s\S]*in pickIt<3000000000>, called here[\s\S]*in pick<3000000000>, called here/,
  );
});

test('only functions, kernels and commands are templates', () => {
  checkRejects([
    ['a layout', 'template.def <N: i64>\nlayout.def L { a: i32[N] }', /a layout is no template/],
    ['a check', 'template.def <N: i64>\ncheck.def c { }', /a check is no template/],
  ]);
});

test('roots by canonical text of their arguments', () => {
  assert.equal(parseSymbolText('a.f<64, @g<1, f32x4>, "x">'), {
    kind: 'symbol',
    name: 'a.f',
    args: ['64', '@g<1, f32x4>', '"x"'],
    declaration: null,
  });
  const text = `template.def <N: i64, E: f32 | f32x4, F: func(f32) -> f32, B: bool>
command.def c(p: root) { if B { dispatch k<N, @F>(p) grid(N) } }
template.def <N: i64, F: func(f32) -> f32>
kernel.def k(y: out view<f32>) workgroup(1) grid(N) { once { y[0] = F(1.0) } }
func.def id(x: f32) -> f32 { return x }`;
  const catalog = catalogOf(text);
  const configuration = configurationOf(catalog);
  const kernel = elaborateKernel(catalog, { name: 'k', args: ['2', '@id'] }, configuration);
  assert.is(kernel.program?.key, 'k<2, @id>');
  const wrong = elaborateKernel(catalog, { name: 'k', args: ['2'] }, configuration);
  assert.match(wrong.diagnostics[0]?.message ?? '', /takes 2 template arguments, got 1/);
  assert.match(
    stageOf(text, 'c').diagnostics[0]?.message ?? '',
    /takes 4 template arguments, got 0/,
  );
});

test('checks and what they reach see the check functions; nothing else does', () => {
  const text = `library p
func.def expects(a: i64) { expect(a == 1) }
func.def rejecting() { reject("no {}", 1) }
check.def c { expects(1)\nexpect_equal(1, 1)\nexpect_equal("a", "a")\nexpect_near(1.5, 1.5, 0.0, 0.0)\nexpect_rejects(@rejecting, "no") }`;
  const catalog = catalogOf(text);
  const { program } = elaborateChecks(catalog, 'main.loom', configurationOf(catalog));
  assert.equal(
    program?.checks.map((entry) => entry.name),
    ['c'],
  );
  assert.equal(program?.imports.map((entry) => `${entry.module}.${entry.name}`).sort(), [
    'check.expect',
    'check.expect_equal_i64',
    'check.expect_equal_string',
    'check.expect_near_f64',
    'check.expect_rejects',
  ]);
  assert.ok(
    program?.functions.some((entry) => entry.name === 'p.rejecting'),
    'functions named by symbol come along',
  );
  const outside = catalogOf('func.def export main() { expect(true) }');
  const host = elaborateHost(outside, 'main.loom', configurationOf(outside));
  assert.match(host.diagnostics[0]?.message ?? '', /'expect' is for checks only/);
  checkRejects([['a pair', 'check.def c { expect_equal(1, "a") }', /expected|does not compare/]]);
});

test.run();
