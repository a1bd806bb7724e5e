/**
 * Bodies of templates that nothing applies: what no instance could make right is told, what some
 * instance may make right is not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoryRoot } from '../../packages/repository-root.js';
import { checkAccepts, checkRejects, problems, problemText } from './programs.js';

const known = `record.def R { a: i64 }
layout.def L { a: i32 }
func.def two(a: i64, b: i64) -> i64 { return a + b }
func.def scale(x: f32) -> f32 { return x * 2.0 }
kernel.def other(y: out view<f32>) workgroup(1) { once { y[0] = 1.0 } }
template.def <M: i64> func.def sized(a: i64) -> i64 { return a * M }
`;
const host = (body: string): string =>
  `${known}template.def <N: i64, G: func(i64) -> i64>
func.def t(a: i64, b: buffer, r: R, f: f32) -> i64 {\n${body}\n}`;
const kernel = (body: string): string =>
  `${known}template.def <N: i64, F: func(f32) -> f32>
kernel.def t(x: in view<f32>, y: out view<f32>, rows: i32) workgroup(N) {\n${body}\n}`;
const typed = (body: string, types = 'f32 | f32x4'): string =>
  `${known}template.def <T: ${types}>\nfunc.def t(x: T, n: i32) -> T {\n${body}\n}`;

test('arity, members, kinds and types that no argument changes', () => {
  checkRejects(
    [
      ['few arguments', 'return two(a)', /'two' takes 2 arguments, got 1/],
      ['many of an unknown', 'return two(a, N, 1)', /'two' takes 2 arguments, got 3/],
      ['a member', 'return r.b', /'b'/],
      ['a field of a layout', 'return L.b', /'b'/],
      ['a method', 'return b.lenght', /lenght/],
      ['no function', 'return R(1)', /cannot/],
      ['a kernel', 'return other(a)', /cannot be called|kernel/],
      ['template arguments', 'return sized<1, 2>(a)', /takes 1 template arguments, got 2/],
      ['unlike types', 'return a + f', /'\+' needs equal types/],
      ['the result', 'return f', /expected i64, got f32/],
      ['results', 'return (a, a)', /1 results expected, got 2/],
      ['an assignment', 'a = 3\nreturn a', /'a'/],
      ['in a loop', 'for i in 0..N { let x = two(i) }\nreturn a', /'two' takes 2/],
      ['in a branch', 'if N > 4 { let x = r.b }\nreturn a', /'b'/],
      ['in the other', 'if N > 4 { } else { let x = r.b }\nreturn a', /'b'/],
      ['in a while', 'while a < G(a) { let x = r.b }\nreturn a', /'b'/],
      ['outside of a loop', 'if N > 4 { break }\nreturn a', /`break` stands outside/],
    ],
    host,
  );
});

test('kernels whose workgroup is an argument', () => {
  checkRejects(
    [
      ['a store', 'parallel i in 0..N { y[i] = rows }', /expected f32, got i32/],
      ['in a region', 'parallel i in 0..N { y[i] = scale() }', /'scale' takes 1 argument/],
      ['an access', 'once { let a = y[0] }', /y|out/],
      ['nested regions', 'parallel i in 0..N { once { } }', /regions do not nest/],
      ['a known range', 'parallel i in 0..rows { y[i] = x[f32(i)] }', /i32|index/],
    ],
    kernel,
  );
  checkAccepts(
    [
      [
        'private state, exact if N is 32',
        'private p : f32[2]\nparallel i in 0..32 { p[0] = x[i] }\nparallel i in 0..N { y[i] = p[0] }',
      ],
      ['an unrolled index', 'once { let a = f32[4]()\nfor i in 0..N unroll { y[i] = a[i] } }'],
      ['shared of its size', 'shared s : f32[N]\nparallel i in 0..N { s[i] = F(x[i]) }'],
      [
        'a reduction',
        'shared s : f32[64]\nparallel i in 0..N { s[i] = 1.0 }\nlet a = s.reduce_add()',
      ],
    ],
    kernel,
  );
});

test('types: wrong when no alternative is right', () => {
  checkRejects([
    ['for both', typed('return x + n'), /needs equal types/],
    ['for any', typed('return x + n', 'type').replace('x + n', 'scale(x, 1.0)'), /'scale' takes 1/],
    ['a result', typed('return n'), /expected f32/],
  ]);
  checkAccepts([
    ['right for both', typed('return x * T(2.0)')],
    ['right for vectors', typed('return f32x4(x.x, x.y, x.z, x.w)')],
    ['right for scalars', typed('return select(x > 0.0, x, scale(x))')],
    ['unknown', typed('let y = x.anything\nreturn y + x', 'type')],
    [
      'a parameter of unknown size',
      `template.def <N: i64> func.def t(a: f32[N]) -> f32 { return a[N - 1] }`,
    ],
  ]);
});

test('what an argument decides is left to instances, which say where they are asked for', () => {
  const text = `template.def <N: i64> func.def t() -> i32 { return N }`;
  assert.is(problemText(text), '');
  assert.match(
    problemText(`${text}\nfunc.def f() -> i32 { return t<3000000000>() }`),
    /expected i32, got the constant 3000000000/,
  );
  checkAccepts(
    [
      ['branches', 'if N == 1 { return G(a) }\nreturn sized<N>(a) + N'],
      ['names bound from it', 'let x = G(a) + N\nvar y = x\ny += 1\nreturn y'],
      ['a list of it', 'let l = list<i64>(N, a)\nreturn l[0]'],
    ].map(([what, body]) => [what, host(body as string)] as [string, string]),
  );
});

test('a template in use is told once', () => {
  const text = `${host('return two(a)')}
func.def id(a: i64) -> i64 { return a }
func.def f(b: buffer, r: R) -> i64 { return t<3, @id>(1, b, r, 1.0) }`;
  const found = problems(text).filter(({ message }) => message.includes('two'));
  assert.is(found.length, 1);
});

test('commands may be templates', () => {
  const command = (body: string): string =>
    `${known}template.def <N: i64>\ncommand.def t(y: root) {\n${body}\n}`;
  checkAccepts([['a name', command('dispatch other(y) grid(N)')]]);
  checkRejects([['no name', command('dispatch nobody(y) grid(N)'), /'nobody' is not defined/]]);
});

test('the libraries that packages share pass', () => {
  const folder = join(repositoryRoot, 'models/motifs');
  const names = readdirSync(folder).filter((name) => name.endsWith('.loom'));
  assert.ok(names.length > 3);
  const texts = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  assert.equal(problems(Object.fromEntries(texts)), []);
});

test.run();
