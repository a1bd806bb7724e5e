/**
 * Programs that would grow without bound: each ends with an error that states the limit, and soon.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkRejects, problemText } from './programs.js';

test('what multiplies is stopped while it grows', () => {
  const unrolls =
    'for a in 0..64 unroll { for b in 0..64 unroll { for c in 0..64 unroll { for d in 0..64 unroll { } } } }';
  const loops = 'for a in 0..8192 { for b in 0..8192 { for c in 0..8192 { } } }';
  const doubling = Array.from(
    { length: 30 },
    (_, i) => `func.def f${i}(v: in view<f32>) -> f32 { return f${i + 1}(v) + f${i + 1}(v) }`,
  );
  checkRejects([
    [
      'nested unrolls',
      `kernel.def k(y: out view<f32>) workgroup(1) { ${unrolls} }`,
      /grows beyond 200000 nodes/,
    ],
    ['nested command loops', `command.def c(p: root) { ${loops} }`, /grows beyond 2000000 nodes/],
    [
      'inlining that doubles',
      `${doubling.join('\n')}\nfunc.def f30(v: in view<f32>) -> f32 { return v[0] }`,
      /inlines to more than 4096 nodes/,
    ],
    [
      'too many rounds',
      'command.def c(p: root) { for a in 0..8193 { } }',
      /8193 rounds; the limit is 8192/,
    ],
  ]);
});

test('templates: depth and number of instances', () => {
  const deep =
    'template.def <N: i64>\nfunc.def f(x: i64) -> i64 { return f<N + 1>(x) }\nfunc.def g() -> i64 { return f<0>(1) }';
  assert.match(problemText(deep), /templates nest deeper than 32/);
  const wide =
    'template.def <N: i64>\nfunc.def f(x: i64) -> i64 { return f<2 * N>(x) + f<2 * N + 1>(x) }\nfunc.def g() -> i64 { return f<1>(1) }';
  assert.match(problemText(wide), /more than 4096 template instances/);
});

test('constants: chains, texts, tables', () => {
  const chain = Array.from({ length: 1000 }, (_, i) => `const.def C${i} = C${i + 1}`).join('\n');
  const texts = Array.from({ length: 40 }, (_, i) => `const.def T${i + 1} = T${i} + T${i}`).join(
    '\n',
  );
  checkRejects([
    ['a long chain', `${chain}\nconst.def C1000 = 1`, /more than 256 deep/],
    ['doubling text', `const.def T0 = "xxxxxxxx"\n${texts}`, /longer than 65536 bytes/],
    [
      'a huge array',
      'func.def f() { var a : i64[100000] }',
      /100000 elements; the limit is 4096[\s\S]*buffer/,
    ],
    ['an array beyond all limits', 'layout.def L { a: i32[2000000] }', /must be 1 to 1048576/],
    ['an empty bank', 'bank.def E { }\nbank.def B { e: E[2000000000] }', /at least one field/],
    [
      'many bank fields',
      'bank.def E { a: f32 }\nbank.def B { e: E[70000] }\ncommand.def c(w: param B) { }',
      /more than 65536 fields/,
    ],
    ['config of another type', 'config.decl a : string = "x"', /is bool, i32, i64 or f32/],
    [
      'many roots',
      `command.def c(${Array.from({ length: 9 }, (_, i) => `r${i}: root`).join(', ')}) { }`,
      /9 roots; the limit is 8/,
    ],
  ]);
});

test('many errors stay affordable and are cut off', () => {
  const body = Array.from({ length: 5000 }, (_, i) => `let a${i} = unknown${i}`).join('\n');
  assert.ok(problemText(`func.def f() {\n${body}\n}`).length > 0);
});

test.run();
