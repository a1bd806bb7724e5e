/** Linking: who sees what, and errors that name both places. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkAccepts, checkRejects, problems, problemText } from './programs.js';

test('a file sees its own names, used libraries and full names', () => {
  const a =
    'library a.lib\nconst.def export N = 4\nconst.def hidden = 1\nfunc.def export inc(x: i64) -> i64 { return x + N }';
  assert.equal(
    problemText({ a, b: 'use a.lib\nconst.def M = N + 1\nfunc.def f() -> i64 { return inc(M) }' }),
    '',
  );
  assert.equal(
    problemText({ a, b: 'use a.lib { inc }\nfunc.def f() -> i64 { return inc(1) }' }),
    '',
  );
  assert.equal(problemText({ a, b: 'func.def f() -> i64 { return a.lib.inc(a.lib.N) }' }), '');
  assert.equal(
    problemText({ a, b: 'library a.lib\nfunc.def f() -> i64 { return inc(N) }' }),
    '',
    'files of one library',
  );
});

test('private names stay private and the error shows where they are', () => {
  const a = 'library a.lib\nconst.def export N = 4\nconst.def hidden = 1';
  const [problem] = problems({ a, b: 'use a.lib\nconst.def M = hidden' });
  assert.match(problem?.message ?? '', /'hidden' is not visible/);
  assert.equal(problem?.related?.[0]?.file, 'a');
  assert.match(
    problemText({ a, b: 'use a.lib { hidden }' }),
    /exports no 'hidden'[\s\S]*it is private/,
  );
  assert.match(
    problemText({ a, b: 'use a.lib { N }\nconst.def M = NN' }),
    /'NN' is not defined[\s\S]*did you mean 'N'/,
  );
});

test('a name bound twice names both places', () => {
  const twice = problems('const.def N = 1\nconst.def N = 2');
  assert.is(twice.length, 1);
  assert.match(twice[0]?.message ?? '', /'N' is bound twice/);
  assert.is(twice[0]?.related?.length, 1);
  const a = 'library a\nconst.def export N = 1';
  const b = 'library b\nconst.def export N = 2';
  const [both] = problems({ a, b, c: 'use a\nuse b' });
  assert.match(both?.message ?? '', /'N' is bound twice/);
  assert.equal([both?.file, both?.related?.[0]?.file], ['c', 'b']);
  const [exported] = problems({ a, b: a });
  assert.match(exported?.message ?? '', /'a.N' is bound twice/);
  assert.match(
    problemText('func.def f(a: i64) { let x = 1\n let x = 2 }'),
    /'x' is bound twice[\s\S]*first bound/,
  );
});

test('a library that is not there is an error with a suggestion', () => {
  assert.match(
    problemText({ a: 'library motif.math\nconst.def export N = 1', b: 'use motif.moth' }),
    /no library 'motif.moth'[\s\S]*motif.math/,
  );
});

test('reference cycles show the whole way; host recursion is allowed', () => {
  checkRejects([
    [
      'constants',
      'const.def A = B\nconst.def B = C\nconst.def C = A',
      /refers to itself: A -> B -> C -> A/,
    ],
    ['layouts', 'const.def N = L.size\nlayout.def L { a: i32[N] }', /refers to itself/],
    ['banks', 'bank.def B { b: B }', /refers to itself/],
    [
      'device functions',
      'func.def f(v: in view<f32>, i: i32) -> f32 { return f(v, i) }',
      /refers to itself|inlined more than/,
    ],
  ]);
  checkAccepts([
    [
      'host recursion',
      'func.def f(n: i64) -> i64 { if n == 0 { return 0 }\n return g(n - 1) }\nfunc.def g(n: i64) -> i64 { return f(n) }',
    ],
  ]);
});

test('templates are checked for names before any instance exists', () => {
  checkRejects([
    [
      'a name',
      'template.def <N: i64>\nfunc.def f(x: f32) -> f32 { let y = x + M\n return y }',
      /'M' is not defined/,
    ],
    [
      'a type',
      'template.def <N: i64>\nfunc.def f(x: f32) -> g32 { return x }',
      /'g32' is not defined/,
    ],
    [
      'a kernel',
      'template.def <N: i64>\nkernel.def k(x: in view<f32>) workgroup(M) { }',
      /'M' is not defined/,
    ],
    [
      'a callee',
      'template.def <N: i64>\nfunc.def f(x: f32) -> f32 { return foo(x) }',
      /'foo' is not defined/,
    ],
  ]);
  checkAccepts([
    [
      'names of all kinds',
      'template.def <N: i64, F: func(f32) -> f32>\nfunc.def f(x: f32[N]) -> f32 { var s = 0.0\n for i in 0..N unroll { s += F(x[i]) }\n let (a, b) = g(s)\n return max(a, b) * f32.lowest }\nfunc.def g(x: f32) -> (f32, f32) { return (x, x) }',
    ],
  ]);
});

test('several errors are reported at once, and no error twice', () => {
  const found = problems(
    'func.def f(n: i64) -> i64 {\n let a = foo\n let b = a + 1\n let c = bar\n return b + c }',
  );
  assert.equal(
    found.map((entry) => entry.message),
    ["'foo' is not defined", "'bar' is not defined"],
  );
});

test.run();
