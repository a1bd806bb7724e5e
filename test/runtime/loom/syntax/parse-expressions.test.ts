/** How expressions group, and what each form becomes. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flat } from '../../../../runtime/loom/syntax/print-expressions.js';
import { parse } from '../../../../runtime/loom/syntax/parse.js';
import type { Expr } from '../../../../runtime/loom/tree.js';
import { columnOf, packAt } from '../../../../runtime/loom/tree.js';
import { complaints, outline, outlineOf, parseDecl } from './outline.js';

const cases: readonly [text: string, tree: string][] = [
  // Operators, weakest last.
  ['a + b * c', '(+ a (* b c))'],
  ['a - b - c', '(- (- a b) c)'],
  ['a / b % c * d', '(* (% (/ a b) c) d)'],
  ['a << b + c', '(<< a (+ b c))'],
  ['a >> 2 << 3', '(<< (>> a 2) 3)'],
  ['a & b << c', '(& a (<< b c))'],
  ['a ^ b & c', '(^ a (& b c))'],
  ['a | b ^ c', '(| a (^ b c))'],
  ['flags & 1 != 0', '(!= (& flags 1) 0)'],
  ['a == b | c', '(== a (| b c))'],
  ['a < b && c >= d', '(&& (< a b) (>= c d))'],
  ['a || b && c || d', '(|| (|| a (&& b c)) d)'],
  ['(a + b) * c', '(* (+ a b) c)'],
  ['(a < b) == (c < d)', '(== (< a b) (< c d))'],
  ['-a * b', '(* (- a) b)'],
  ['-a.x', '(- a.x)'],
  ['!a && ~b == c', '(&& (! a) (== (~ b) c))'],
  ['- -a', '(- (- a))'],
  // Numbers, strings, names.
  ['0', '0'],
  ['007', '7'],
  ['0x1F', '31h'],
  ['0xffffffffu', '4294967295uh'],
  ['9223372036854775808', '9223372036854775808'],
  ['12u', '12u'],
  ['1.50', '1.50'],
  ['2e-3', '2e-3'],
  ['1.5E+10', '1.5E+10'],
  ['true', '#true'],
  ['"a\\n\\t\\r\\\\\\"\\u{1f600}"', '"a\\n\\t\\r\\\\\\"😀"'],
  ['"// no comment"', '"// no comment"'],
  ['f32.lowest', 'f32.lowest'],
  ['part + out + step + grid + root', '(+ (+ (+ (+ part out) step) grid) root)'],
  // Postfix forms.
  ['a.b.c', 'a.b.c'],
  ['(a).b', 'a.b'],
  ['a[1].b', '(dot (at a 1) b)'],
  ['a.b[i][j]', '(at (at a.b i) j)'],
  ['f()', '(call f)'],
  ['f(a, b,)', '(call f a b)'],
  ['a.f(x).g(y)', '(call (dot (call a.f x) g) y)'],
  ['1.x', '(dot 1 x)'],
  ['"{}".len', '(dot "{}" len)'],
  // Template arguments: types, constants, and names that may be either.
  ['list<i64>()', '(call list<:i64>)'],
  ['f<64, @gelu, n>(x)', '(call f<64 @gelu n> x)'],
  ['x.tile<K * TNV>(b)', '(call x.tile<(* K TNV)> b)'],
  ['p.from(S).at<Span>(s)', '(call (dot (call p.from S) at)<Span> s)'],
  [
    'f<i32, f32x4[4], view<E>, func(f32) -> f32>()',
    '(call f<:i32 (of 4 :f32x4) :view<E> (func [:f32] [:f32])>)',
  ],
  ['f<list<list<i64>>>()', '(call f<:list<:list<:i64>>>)'],
  ['f<g<i64>(1)>()', '(call f<(call g<:i64> 1)>)'],
  ['f<(a < b), (a >> 1)>()', '(call f<(< a b) (>> a 1)>)'],
  ['f<(a[1]), a[1]>()', '(call f<(at a 1) (of 1 :a)>)'],
  ['@f<64>', '@f<64>'],
  ['@a.b.c', '@a.b.c'],
  // `<` that is a comparison.
  ['a < b', '(< a b)'],
  ['a < b >> c', '(< a (>> b c))'],
  ['select(i < n, x, y)', '(call select (< i n) x y)'],
  ['f(a < b, c + d > e)', '(call f (< a b) (> (+ c d) e))'],
  ['a < b || c > (d)', '(|| (< a b) (> c d))'],
  // Reads as a call with template arguments, as in other languages; parentheses tell otherwise.
  ['f(a < b, c > (d))', '(call f (call a<b c> d))'],
  ['f((a < b), c > (d))', '(call f (< a b) (> c d))'],
  // Values of arrays and records.
  ['i32[4](1, 2)', '(array (of 4 :i32) 1 2)'],
  ['f32x4[2 * n]()', '(array (of (* 2 n) :f32x4))'],
  ['i32[4][2]()', '(array (of 2 (of 4 :i32)))'],
  ['Cold { dim: 4, b: a[1] }', '(record :Cold dim=4 b=(at a 1))'],
  ['a.Pair<i64, n> {}', '(record :a.Pair<:i64 n>)'],
  ['Cold { a: 1 }.a', '(dot (record :Cold a=1) a)'],
];

for (const [text, tree] of cases) {
  test(`${text} is ${tree}`, () => assert.is(outlineOf(text), tree));
}

test('a line goes on after an operator, a comma or an open bracket', () => {
  assert.is(outlineOf('a +\n  b *\n\n // why\n c'), '(+ a (* b c))');
  assert.is(outlineOf('f(\n a\n ,\n b\n)[\n1\n]'), '(at (call f a b) 1)');
  assert.is(outlineOf('R {\n a: 1\n b: 2,\n\n c: 3\n}'), '(record :R a=1 b=2 c=3)');
});

test('a line that ends in `>` does not go on, so a type may end a line', () => {
  const text = 'func.def f() {\n var a : list<i64>\n a.push(1)\n}';
  const decl = parseDecl(text);
  assert.ok(decl.kind === 'func' && decl.body.stmts.length === 2);
});

test('a node stands where a reader would look for it', () => {
  const decl = parseDecl('const.def v = foo(1) + a.b[2].c');
  assert.ok(decl.kind === 'const' && decl.value.kind === 'binary');
  const { value } = decl;
  assert.is(decl.at, packAt(1, 11), 'a declaration at its name');
  assert.is(value.at, packAt(1, 22), 'an operation at its operator');
  assert.is(value.left.at, packAt(1, 15), 'a call at its callee');
  assert.is(value.right.at, packAt(1, 31), 'a member at its name');
  assert.ok(value.right.kind === 'member');
  assert.is(value.right.base.at, packAt(1, 27), 'an index at its bracket');
});

const wrong: readonly [text: string, complaint: string][] = [
  ['a < b < c', '1:21 comparisons do not chain'],
  ['a == b != c', '1:22 comparisons do not chain'],
  ['f(x)(y)', '1:19 this cannot be called'],
  ['(a + b)(y)', '1:22 this cannot be called'],
  ['4294967296u', '1:15 4294967296u is too large; the limit is 4294967295'],
  [
    '9223372036854775809',
    '1:15 9223372036854775809 is too large; the limit is 9223372036854775808',
  ],
  ['12abc', '1:15 "12abc" is not a number'],
  ['0x', '1:15 "0x" is not a number'],
  ['"abc', '1:15 the string is not closed on its line'],
  ['"a\\q"', '1:17 this escape is not known'],
  ['"\\u{d800}"', '1:16 this escape is not known'],
  ["'a'", '1:15 "\'" is not part of the language'],
  ['a + ', "1:17 expected an expression after '+', found the end of the file"],
  ['a b', "1:17 expected the end of the line, found 'b'"],
  ['(1, 2)', "1:17 expected ')', found ','"],
  ['a.1', "1:17 expected the name of a member, found '1'"],
  ['let', "1:15 expected an expression, found 'let'"],
  ['f<a >> b>()', '1:23 comparisons do not chain'],
];

for (const [text, complaint] of wrong) {
  test(`${text} is an error at its place`, () => {
    assert.is(complaints(`const.def v = ${text}`)[0], complaint);
  });
}

test('taking any parentheses of a printed expression away changes what it means', () => {
  const leaf = fc.constantFrom<Expr>(
    { kind: 'name', at: 4097, name: 'a' },
    { kind: 'name', at: 4097, name: 'b' },
  );
  const ops = ['+', '-', '*', '<<', '>>', '&', '|', '<', '>', '==', '&&', '||'] as const;
  const { tree } = fc.letrec<{ tree: Expr }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc
        .tuple(fc.constantFrom(...ops), tie('tree'), tie('tree'))
        .map(([op, left, right]): Expr => ({ kind: 'binary', at: 4097, op, left, right })),
      tie('tree').map((value): Expr => ({ kind: 'unary', at: 4097, op: '-', value })),
    ),
  }));
  fc.assert(
    fc.property(tree, (e) => {
      const text = flat(e);
      for (const [open, close] of parentheses(text)) {
        const without = text.slice(0, open) + text.slice(open + 1, close) + text.slice(close + 1);
        const { module, diagnostics } = parse({ file: 'f', text: `const.def v = ${without}` });
        const decl = module.decls[0];
        const isSame = decl?.kind === 'const' && outline(decl.value) === outline(e);
        assert.not(diagnostics.length === 0 && isSame, `${text} needs no parentheses: ${without}`);
      }
    }),
  );
});

function parentheses(text: string): [number, number][] {
  const open: number[] = [];
  const pairs: [number, number][] = [];
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') open.push(index);
    if (text[index] === ')') pairs.push([open.pop()!, index]);
  }
  return pairs;
}

test('columns beyond the packed range are kept as the last one', () => {
  const decl = parseDecl(`const.def v = ${' '.repeat(5000)}1`);
  assert.ok(decl.kind === 'const' && columnOf(decl.value.at) === 4095);
});

test.run();
