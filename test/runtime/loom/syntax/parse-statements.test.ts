/** What each statement becomes, and where keywords are names. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { complaints, outlineBody } from './outline.js';

const cases: readonly [text: string, tree: string][] = [
  ['let a = 1', '(let [a] 1)'],
  ['let a : i64 = 1', '(let [a] :i64 1)'],
  ['let (a, b) = f()', '(let [a b] (call f))'],
  ['var a = 1', '(var a 1)'],
  ['var a : f32[4]', '(var a (of 4 :f32))'],
  ['var a : i64 = 2', '(var a :i64 2)'],
  ['a = 1; a += 2; a -= 3; a *= 4', '(= a 1) (+= a 2) (-= a 3) (*= a 4)'],
  ['a.b.c = 1', '(= a.b.c 1)'],
  ['up.at<Head>(0).rows = n', '(= (dot (call up.at<Head> 0) rows) n)'],
  ['rows[r].tail[i] = x', '(= (at (dot (at rows r) tail) i) x)'],
  ['acc.add(i, v)', '(call acc.add i v)'],
  ['if a { f() }', '(if a {(call f)})'],
  ['if a < b { } else { f() }', '(if (< a b) {} {(call f)})'],
  ['if a { }\nelse { }', '(if a {} {})'],
  ['if a { } else if b { } else { f() }', '(if a {} {(if b {} {(call f)})})'],
  ['if (a) { }', '(if a {})'],
  ['if a == (R { x: 1 }) { }', '(if (== a (record :R x=1)) {})'],
  ['if f(R { x: 1 }) { }', '(if (call f (record :R x=1)) {})'],
  ['if a { b = 1 }', '(if a {(= b 1)})'],
  ['for i in 0..n { }', '(for i=0..n {})'],
  ['for i in a..b step 2 { }', '(for i=a..b step=2 {})'],
  ['for i in 0..4 unroll { f() }', '(for i=0..4 unroll {(call f)})'],
  ['for i in lane..K / 32 step L unroll { }', '(for i=lane..(/ K 32) step=L unroll {})'],
  ['for i in 0..step step unroll unroll { }', '(for i=0..step step=unroll unroll {})'],
  ['while a { break; continue }', '(while a {(break) (continue)})'],
  ['return', '(return)'],
  ['return a', '(return a)'],
  ['return (a, b)', '(return a b)'],
  ['return (a)', '(return a)'],
  ['return (a + b) * c', '(return (* (+ a b) c))'],
  ['return (a).b', '(return a.b)'],
  ['if a { return }', '(if a {(return)})'],
  ['parallel i in 0..n { x[i] = 1 }', '(parallel i=0..n {(= (at x i) 1)})'],
  ['once { }', '(once {})'],
  ['shared a : f32[64]', '(shared a (of 64 :f32))'],
  ['private a : f32x4[8]', '(private a (of 8 :f32x4))'],
  ['workspace x : f32[n]', '(workspace x (of n :f32))'],
  ['workspace zero x : f32[n]', '(workspace zero x (of n :f32))'],
  ['workspace zero invocation x : f32[n]', '(workspace zero invocation x (of n :f32))'],
  ['workspace zero : f32[n]', '(workspace zero (of n :f32))'],
  ['workspace invocation zero : f32[n]', '(workspace invocation zero (of n :f32))'],
  ['dispatch k(a, b) grid(n)', '(dispatch @k a b grid=[n])'],
  ['dispatch k(a, b)', '(dispatch @k a b grid=[])'],
  ['dispatch m.k<4, L>() grid(n, 1, 2)', '(dispatch @m.k<4 L> grid=[n 1 2])'],
  ['dispatch k(a) grid indirect(v, 3)', '(dispatch @k a indirect=[v 3])'],
  ['part', '(part)'],
  ['if a { part }', '(if a {(part)})'],
  // Keywords by place are names everywhere else.
  ['part = 1; part[0] = 2; part(3)', '(= part 1) (= (at part 0) 2) (call part 3)'],
  ['shared = 1; private(2); once(3)', '(= shared 1) (call private 2) (call once 3)'],
  ['let s = dispatch(@k, 1)', '(let [s] (call dispatch @k 1))'],
  ['dispatch(@k, 1)', '(call dispatch @k 1)'],
  ['let out = root + in_ + acc + step', '(let [out] (+ (+ (+ root in_) acc) step))'],
  ['let a = x // note\nlet b = y', '(let [a] x) (let [b] y)'],
  ['f(); ; g()', '(call f) (call g)'],
];

for (const [text, tree] of cases) {
  test(`${text} is ${tree}`, () => assert.is(outlineBody(text), tree));
}

const wrong: readonly [text: string, complaint: string][] = [
  ['a', '2:1 an expression on its own does nothing; expected a call'],
  ['a + f()', '2:1 an expression on its own does nothing; expected a call'],
  ['f() = 1', '2:1 this cannot be assigned to'],
  ['a /= 2', "2:4 expected an expression, found '='"],
  ['let a', "2:6 expected '=', found the end of the line"],
  ['let a, b = f()', "2:6 expected '=', found ','"],
  ['var a', "2:6 expected ':' or '=', found the end of the line"],
  ['let if = 1', "2:5 expected a name, found 'if'"],
  ['if a f()', "2:6 expected '{', found 'f'"],
  ['if a\n{ }', "2:5 expected '{', found the end of the line"],
  ['for i in 0 { }', "2:12 expected '..', found '{'"],
  ['for i = 0..n { }', "2:7 expected 'in', found '='"],
  ['return ()', '2:8 nothing is returned by a plain `return`'],
  ['dispatch k(a) grid()', '2:19 a grid has 1 to 3 extents'],
  ['dispatch k(a) grid(1, 2, 3, 4)', '2:19 a grid has 1 to 3 extents'],
  ['dispatch k(a) grid indirect(v)', '2:28 an indirect grid has a view and an index'],
  ['shared a', "2:9 expected ':', found the end of the line"],
  ['f() g()', "2:5 expected the end of the line or ';', found 'g'"],
  ['if a { } f()', "2:10 expected the end of the line or ';', found 'f'"],
  ['else { }', "2:1 expected an expression, found 'else'"],
];

for (const [text, complaint] of wrong) {
  test(`${text} is an error at its place`, () => {
    assert.equal(complaints(`func.def f() {\n${text}\n}`), [complaint]);
  });
}

test.run();
