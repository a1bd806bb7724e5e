/**
 * One run reports every mistake, each once and at its place, and still gives what could be read.
 */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../../../runtime/loom/syntax/parse.js';
import { precedenceOf } from '../../../../runtime/loom/syntax/operators.js';
import { print } from '../../../../runtime/loom/syntax/print.js';
import { columnOf, lineOf } from '../../../../runtime/loom/tree.js';
import { modules } from '../../../generators/syntax.js';
import { complaints } from './outline.js';

test('mistakes in several declarations and statements are all reported', () => {
  const text = `library a
config.decl rows i64 = 4
func.def f(x: i64) -> i64 {
  let a = x +
  let b = 2 * * 3
  if b > 1 {
    c = = 3
    return b
  }
  return 1 +
}
layout.def T { a: i32, b i32, c: f32[ }
kernel.def k(x: in view<f32>) workgrup(1) {
  parallel i in 0..n { x[i] = }
}
const.def ok = 1
`;
  assert.equal(complaints(text), [
    "2:18 expected ':', found 'i64'",
    "4:13 expected an expression after '+', found the end of the line",
    "5:15 expected an expression, found '*'",
    "7:9 expected an expression, found '='",
    "10:12 expected an expression after '+', found '}'",
    "12:26 expected ':', found 'i32'",
    "12:37 '[' is not closed before '}'",
    "13:31 expected 'workgroup', found 'workgrup'",
    "14:31 expected an expression, found '}'",
  ]);
  const { module } = parse({ file: 'f', text });
  assert.equal(
    module.decls.map(({ name }) => name),
    ['f', 'T', 'ok'],
  );
});

test('an operator that ends its line without an operand is told where it stands', () => {
  for (const op of [...precedenceOf.keys(), '=', '+=']) {
    const start = op === '=' || op === '+=' ? 'x' : 'x = x';
    for (const gap of ['\n', ' // why\n', '\n\n\n', '\r\n']) {
      for (const next of ['}', 'let y = 1\n}', 'return\n}']) {
        const told = complaints(`func.def f() {\n  ${start} ${op}${gap}${next}\n`);
        assert.is(told.length, 1, `${op} ${JSON.stringify(gap + next)}: ${told.join('; ')}`);
        const column = 4 + start.length;
        const expected = `2:${column} expected an expression after '${op}', found `;
        assert.ok(told[0]!.startsWith(expected), told[0]);
      }
    }
  }
});

test('an unclosed parenthesis is reported where it opens, and only there', () => {
  const text = `func.def f() {
  let a = g(1, 2
  let b = 3
  h(a[1, b)
  if (a == b { return }
}
func.def g() {
  h((1)
}
`;
  assert.equal(complaints(text), [
    "2:12 '(' is not closed before 'let'",
    "4:6 '[' is not closed before ')'",
    "5:6 '(' is not closed before '}'",
    "8:4 '(' is not closed before '}'",
  ]);
});

test('an unclosed block ends at the next declaration', () => {
  const text = 'func.def f() {\n  if a {\n    b()\n}\nfunc.def g() {\n  c(\n}\n';
  assert.equal(complaints(text), [
    "1:14 '{' is not closed before the next declaration",
    "6:4 '(' is not closed before '}'",
  ]);
  assert.is(parse({ file: 'f', text }).module.decls.length, 2);
});

test('an unclosed block at the end of the file is reported once', () => {
  assert.equal(complaints('func.def f() {\n  g()\n'), [
    "1:14 '{' is not closed before the end of the file",
  ]);
});

test('a closer that closes nothing is reported and ignored', () => {
  assert.equal(complaints('func.def f() {\n  g(1))\n}\n}\nconst.def a = 1'), [
    "2:7 ')' closes nothing",
    "4:1 '}' closes nothing",
  ]);
});

test('a run of foreign characters is one mistake', () => {
  assert.equal(complaints('const.def a = $$$ 1\nconst.def é = 2'), [
    '1:15 "$$$" is not part of the language',
    '2:11 "é" is not part of the language',
    "2:13 expected the name of the declaration, found '='",
  ]);
});

test('lines between declarations are one mistake each run', () => {
  assert.equal(complaints('const.def a = 1\nfoo bar\nbaz\n\nconst.def b = 2'), [
    "2:1 expected a declaration, found 'foo'",
  ]);
});

test('hints say what to do', () => {
  const { diagnostics } = parse({ file: 'f', text: "func.def f() {\n  a\n    .b()\n  c('x')\n}" });
  assert.match(diagnostics[0]!.hint!, 'after an operator');
  assert.ok(diagnostics.some(({ hint }) => hint?.includes('double quotes')));
});

test('a damaged program never breaks the parser and every place lies in the text', () => {
  const edits = fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(3),
      insert: fc.constantFrom(
        '',
        '(',
        ')',
        '{',
        '}',
        '[',
        '<',
        '>',
        '"',
        '@',
        '\n',
        ';',
        'let ',
        '.',
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(modules, edits, (module, changes) => {
      let text = print(module);
      for (const { at, remove, insert } of changes) {
        const index = Math.floor(at * text.length);
        text = text.slice(0, index) + insert + text.slice(index + remove);
      }
      const lines = text.split('\n');
      const { module: read, diagnostics } = parse({ file: 'f', text });
      for (const { at, message } of diagnostics) {
        const line = lines[lineOf(at) - 1];
        assert.ok(line !== undefined && columnOf(at) <= line.length + 1, `${message} at ${at}`);
      }
      // What was read is a tree like any other: without a mistake its text is its own.
      if (diagnostics.length === 0)
        assert.is(print(parse({ file: 'g', text: print(read) }).module), print(read));
    }),
    { numRuns: 500 },
  );
});

test.run();
