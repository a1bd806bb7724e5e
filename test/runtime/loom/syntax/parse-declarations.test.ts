/** The head of a file and every kind of declaration. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Param } from '../../../../runtime/loom/tree.js';
import { packAt } from '../../../../runtime/loom/tree.js';
import {
  complaints,
  outline,
  outlineBlock,
  outlineType,
  parseDecl,
  parseModule,
} from './outline.js';

const params = (list: readonly Param[]): string =>
  list
    .map(({ name, mode, type }) => `${name} ${mode} ${type === null ? '-' : outlineType(type)}`)
    .join(', ');

test('a file names its library and what it uses', () => {
  const module = parseModule('library a.b\nuse c.d\nuse e { x, y }\nuse f {\n  z\n}\n');
  assert.is(module.library, 'a.b');
  assert.equal(
    module.uses.map(({ path, names }) => [path, names]),
    [
      ['c.d', null],
      ['e', ['x', 'y']],
      ['f', ['z']],
    ],
  );
  assert.equal(parseModule('').decls, []);
  assert.is(parseModule('// nothing\n\n').library, '');
});

test('config.decl and const.def have values', () => {
  const config = parseDecl('config.decl rows : i64 = 4 * 2');
  assert.ok(config.kind === 'config');
  assert.is(outlineType(config.type) + outline(config.value), ':i64(* 4 2)');
  const plain = parseDecl('const.def export N = 4');
  assert.ok(plain.kind === 'const' && plain.type === null && plain.exported);
  const typed = parseDecl('const.def N : i32 = 4');
  assert.ok(typed.kind === 'const' && typed.type !== null && !typed.exported);
});

test('records, layouts and banks list fields by comma, semicolon or line', () => {
  for (const kind of ['record', 'layout', 'bank'] as const) {
    const decl = parseDecl(`${kind}.def export T { a: i32, b: f32[4]; c: view<E>\n\n d: x.Y,\n }`);
    assert.ok(decl.kind === kind && decl.exported);
    assert.is(
      decl.fields.map(({ name, type }) => `${name}${outlineType(type)}`).join(' '),
      'a:i32 b(of 4 :f32) c:view<E> d:x.Y',
    );
  }
  const empty = parseDecl('record.def Empty {}');
  assert.ok(empty.kind === 'record' && empty.fields.length === 0);
});

test('func.decl imports from a module', () => {
  const decl = parseDecl('func.decl import("weights") dim(t: tensor, axis: i64) -> i64');
  assert.ok(decl.kind === 'import');
  assert.is(decl.module, 'weights');
  assert.is(params(decl.params), 't  :tensor, axis  :i64');
  assert.is(decl.results.map(outlineType).join(), ':i64');
  const none = parseDecl('func.decl export import("m") f()');
  assert.ok(none.kind === 'import' && none.exported && none.results.length === 0);
});

test('func.def has any number of results', () => {
  const one = parseDecl('func.def export f(a: i64, b: list<ref>) -> i64 { return a }');
  assert.ok(one.kind === 'func' && one.exported);
  assert.is(params(one.params), 'a  :i64, b  :list<ref>'.replace('ref', ':ref'));
  assert.is(outlineBlock(one.body), '{(return a)}');
  const two = parseDecl('func.def f(\n  a: i64,\n) -> (i64, hal.buffer) { }');
  assert.ok(two.kind === 'func');
  assert.is(two.results.map(outlineType).join(), ':i64,:hal.buffer');
});

test('kernel.def has views with access, lanes and perhaps a grid', () => {
  const decl = parseDecl(
    'kernel.def export k(x: in view<f32>, y: out view<Tok>, s: inout view<f32x4>, h: acc view<u32>, n: i32) workgroup(L * 2) { }',
  );
  assert.ok(decl.kind === 'kernel');
  assert.is(
    params(decl.params),
    'x in :view<:f32>, y out :view<Tok>, s inout :view<:f32x4>, h acc :view<:u32>, n  :i32',
  );
  assert.is(outline(decl.lanes), '(* L 2)');
  assert.equal(decl.grid, []);
  const direct = parseDecl('kernel.def k() workgroup(1) grid(4, n) { }');
  assert.ok(direct.kind === 'kernel');
  assert.is(direct.grid.map(outline).join(), '4,n');
});

test('a parameter may have a type that is named like an access', () => {
  const decl = parseDecl('func.def f(out: out, acc: acc) { }');
  assert.ok(decl.kind === 'func');
  assert.is(params(decl.params), 'out  :out, acc  :acc');
});

test('command.def takes roots and banks', () => {
  const decl = parseDecl('command.def export c(packet: root, w: param Llama<4>) { part }');
  assert.ok(decl.kind === 'command');
  assert.is(params(decl.params), 'packet root -, w param :Llama<4>');
  assert.is(outlineBlock(decl.body), '{(part)}');
});

test('check.def has a body', () => {
  const decl = parseDecl('check.def adds { expect(1 + 1 == 2) }');
  assert.ok(decl.kind === 'check');
  assert.is(outlineBlock(decl.body), '{(call expect (== (+ 1 1) 2))}');
});

test('template.def stands on the line before its declaration', () => {
  const decl = parseDecl(
    'template.def <N: i64, T: f32 | f32x4, F: func(f32) -> f32>\nfunc.def f(x: T[N]) { }',
  );
  assert.is(
    decl.template.map((p) => `${p.name} ${p.constraint.map(outlineType).join('|')}`).join(', '),
    'N :i64, T :f32|:f32x4, F (func [:f32] [:f32])',
  );
  assert.is(decl.at, packAt(2, 10));
  assert.is(parseDecl('template.def <N: i64> func.def f() { }').template.length, 1);
});

test('documentation belongs to the declaration that follows', () => {
  const text = `/// not of a declaration
library a
/// First line.
///   indented
///
// between
/// last   \r
template.def <N: i64>
/// of the kernel
kernel.def k() workgroup(1) {
  /// inside a body: an ordinary comment
}
const.def a = 1 /// behind: an ordinary comment
const.def b = 2
//// four slashes: an ordinary comment
const.def c = 3`;
  const { decls } = parseModule(text);
  assert.equal(
    decls.map(({ doc }) => doc),
    ['First line.\n  indented\n\nlast\nof the kernel', '', '', ''],
  );
});

test('a byte order mark and carriage returns are no part of the program', () => {
  const decl = parseDecl('\ufeffconst.def a = 1\r\n');
  assert.is(decl.name, 'a');
  assert.is(decl.at, packAt(1, 11));
});

const wrong: readonly [text: string, complaint: string][] = [
  ['const.def a = 1\nlibrary b', '2:1 `library` is the first line of a file'],
  ['const.def a = 1\nuse b', '2:1 `use` stands before the declarations'],
  ['use a.*', "1:6 expected the end of the line, found '.'"],
  ['use a { }', '1:9 name what is used, or leave the braces away'],
  ['library 1', "1:9 expected the name of the library, found '1'"],
  ['func foo() { }', "1:1 expected a declaration, found 'func'"],
  ['fun.def foo() { }', "1:1 expected a declaration, found 'fun'"],
  ['config.decl export a : i64 = 1', '1:13 `config.decl` is not exported'],
  ['check.def export a { }', '1:11 `check.def` is not exported'],
  ['config.decl a = 1', "1:15 expected ':', found '='"],
  ['config.decl a : i64', "1:20 expected '=', found the end of the line"],
  ['const.def if = 1', "1:11 expected the name of the declaration, found 'if'"],
  ['func.decl f()', "1:11 expected 'import', found 'f'"],
  ['func.decl import(m) f()', "1:18 expected the name of a module in quotes, found 'm'"],
  ['func.def f() -> () { }', '1:17 a result list is not empty'],
  ['func.def f(a) { }', "1:13 expected ':', found ')'"],
  ['func.def f(a: ) { }', "1:15 expected a type, found ')'"],
  ['func.def f(a: i64 b: i64) { }', "1:19 expected ',' or ')', found 'b'"],
  ['kernel.def k() { }', "1:16 expected 'workgroup', found '{'"],
  ['kernel.def k() workgroup(1) grid() { }', '1:29 a grid has 1 to 3 extents'],
  ['command.def c(a: i64) { }', "1:18 expected 'param', found 'i64'"],
  [
    'template.def <N: i64>\ntemplate.def <M: i64>\nfunc.def f() { }',
    '2:1 one `template.def` stands before a declaration',
  ],
  ['template.def <N>\nfunc.def f() { }', "1:16 expected ':', found '>'"],
  [
    'template.def <>\nfunc.def f() { }',
    "1:15 expected the name of a template parameter, found '>'",
  ],
  ['func.def f()\n{ }', "1:13 expected '{', found the end of the line"],
];

for (const [text, complaint] of wrong) {
  test(`${JSON.stringify(text)} is an error at its place`, () => {
    assert.equal(complaints(text), [complaint]);
  });
}

test.run();
