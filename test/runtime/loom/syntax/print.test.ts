/** The canonical text: how it looks, what it drops and keeps, and that it keeps to its width. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flat } from '../../../../runtime/loom/syntax/print-expressions.js';
import { print } from '../../../../runtime/loom/syntax/print.js';
import { expressions } from '../../../generators/syntax.js';
import { complaints, outline, outlineOf, parseDecl, parseModule } from './outline.js';

const printed = (text: string): string => print(parseModule(text));

test('a whole file in its canonical form', () => {
  const text = `library  a.b
use x;use y{p,q}
/// Rows.
config.decl rows:i64=4 // gone
config.decl cols:i64=0X1F
const.def   N=(rows+1)*2

const.def M:i32=((N))
layout.def T{a:i32;b:f32x4[2]}
template.def<N:i64,F:func(f32)->f32>
kernel.def export k(x:in view<f32>,n:i32)workgroup(N)grid(4,1){
shared p:f32[64];for i in 0..n step 2 unroll{once{p[i]=-x[i]}}
if n==1{return}else if n==2{}else{q()}
}
func.def f()->(i64,string){return(1,"a\\u{7}b")}
`;
  const canonical = `library a.b

use x
use y { p, q }

/// Rows.
config.decl rows : i64 = 4
config.decl cols : i64 = 0x1f

const.def N = (rows + 1) * 2
const.def M : i32 = N

layout.def T { a: i32, b: f32x4[2] }

template.def <N: i64, F: func(f32) -> f32>
kernel.def export k(x: in view<f32>, n: i32) workgroup(N) grid(4, 1) {
  shared p : f32[64]
  for i in 0..n step 2 unroll {
    once {
      p[i] = -x[i]
    }
  }
  if n == 1 {
    return
  } else if n == 2 {} else {
    q()
  }
}

func.def f() -> (i64, string) {
  return (1, "a\\u{7}b")
}
`;
  assert.is(printed(text), canonical);
  assert.is(printed(canonical), canonical);
});

test('an empty file prints nothing', () => {
  assert.is(printed('// only a note\n'), '');
});

test('documentation keeps its lines', () => {
  const text = '/// a\n///\n///   b\n/// /c\nconst.def a = 1\n';
  assert.is(printed(text), text);
});

test('long parameters, arguments, fields and names go one a line', () => {
  const long = 'a_rather_long_name_for_a_parameter_of_a_test';
  const text = `use library { ${long}1, ${long}2, ${long}3 }
func.decl import("m") f(${long}1: i64, ${long}2: i64) -> i64
record.def R { ${long}1: i64, ${long}2: i64, ${long}3: i64 }
func.def g(${long}1: i64, ${long}2: i64) -> i64 {
  let r = R { ${long}1: 1, ${long}2: 2, ${long}3: 3 }
  h(${long}1, f(${long}1, ${long}2, ${long}1), ${long}2)
  return (${long}1, ${long}2, ${long}1)
}`;
  const canonical = `use library {
  ${long}1,
  ${long}2,
  ${long}3,
}

func.decl import("m") f(
  ${long}1: i64,
  ${long}2: i64
) -> i64

record.def R {
  ${long}1: i64
  ${long}2: i64
  ${long}3: i64
}

func.def g(
  ${long}1: i64,
  ${long}2: i64
) -> i64 {
  let r = R {
    ${long}1: 1,
    ${long}2: 2,
    ${long}3: 3
  }
  h(
    ${long}1,
    f(
      ${long}1,
      ${long}2,
      ${long}1
    ),
    ${long}2
  )
  return (
    ${long}1,
    ${long}2,
    ${long}1
  )
}
`;
  assert.is(printed(text), canonical);
});

test('long conditions break after operators, but never after `>`', () => {
  const name = (index: number) => `some_condition_with_a_long_name_${index}`;
  const or = [1, 2, 3, 4].map(name).join(' || ');
  assert.is(
    printed(`func.def f() { if ${or} { g() } }`),
    `func.def f() {
  if ${name(1)} ||
    ${name(2)} ||
    ${name(3)} ||
    ${name(4)} {
    g()
  }
}
`,
  );
  const greater = `let a = ${'b'.repeat(60)} > ${'c'.repeat(60)}`;
  assert.match(printed(`func.def f() { ${greater} }`), greater);
});

test('a long dispatch breaks its arguments and keeps its grid behind them', () => {
  const args = [1, 2, 3].map((index) => `some_buffer_with_a_long_name_${index}`);
  assert.is(
    printed(`command.def c(r: root) { dispatch k<4>(${args.join(', ')}) grid(r, 2) }`),
    `command.def c(r: root) {
  dispatch k<4>(
    ${args.join(',\n    ')}
  ) grid(r, 2)
}
`,
  );
});

const kept: readonly string[] = [
  '(a < b) == c',
  '(a == b) < c',
  'a - (b - c)',
  'a - -b',
  '--a',
  '!(a && b)',
  '-(a + b).x',
  '(a + b).x',
  '(1).x',
  '(@f).x',
  '(@f) < b',
  '@f<4> == 1',
  'f<(a < b), (a >> 1)>()',
  'f<(a[1]), a[1], i32>()',
  'f<(R { a: 1 })>()',
  'f(a < b, (c > (d || e)))',
  'f(a < b, (c >> (d | e)))',
  'R {}',
  'i32[4][2](1, 2)',
];

test('parentheses stay where they are needed', () => {
  for (const text of kept) {
    const decl = parseDecl(`const.def v = ${text}`);
    assert.ok(decl.kind === 'const');
    assert.is(flat(decl.value), text);
  }
});

test('a record in the head of a block is put in parentheses', () => {
  const text = 'func.def f() {\n  while (a == R { x: 1 }) {\n    g(R { x: 2 })\n  }\n}\n';
  assert.is(printed(text), text);
});

test('a generated expression means the same in one line', () => {
  fc.assert(
    fc.property(expressions, (e) => {
      assert.is(outlineOf(flat(e)), outline(e), flat(e));
    }),
    { numRuns: 1000 },
  );
});

test('text far beyond the width prints in lines that mean the same', () => {
  const sum = Array.from({ length: 60 }, (_, index) => `value_number_${index} * factor`).join(
    ' + ',
  );
  const text = printed(`const.def v = f(${sum}, g(${sum}))`);
  assert.equal(complaints(text), []);
  assert.is(printed(text), text);
  assert.ok(text.split('\n').every((line) => line.length <= 100));
});

test.run();
