/**
 * Limits with reasons, and texts that try for a deep stack, a quadratic scan or a flood of errors.
 */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from '../../../../runtime/loom/syntax/parse.js';
import { print } from '../../../../runtime/loom/syntax/print.js';
import { complaints, parseModule } from './outline.js';

const inFunc = (text: string): string => `func.def f() {\n${text}\n}`;
const tooDeep = /nesting is deeper than 64 levels|blocks nest deeper than 64 levels/;

/** Nests `levels` levels, with the innermost thing a leaf that is the first level. */
const shapes: Readonly<Record<string, (levels: number) => string>> = {
  calls: (n) => `const.def a = ${'f('.repeat(n - 1)}1${')'.repeat(n - 1)}`,
  indices: (n) => `const.def a = ${'f['.repeat(n - 1)}1${']'.repeat(n - 1)}`,
  negations: (n) => `const.def a = ${'-'.repeat(n - 1)}1`,
  sums: (n) => `const.def a = 1${' + 1'.repeat(n - 1)}`,
  members: (n) => `const.def a = f()${'.m()'.repeat(Math.floor((n - 2) / 2))}`,
  records: (n) => `const.def a = ${'R { a: '.repeat(n - 1)}1${' }'.repeat(n - 1)}`,
  templates: (n) => `const.def a = ${'f<'.repeat(n - 1)}1${'>()'.repeat(n - 1)}`,
  symbols: (n) => `const.def a = ${'@f<'.repeat(n - 1)}1${'>'.repeat(n - 1)}`,
  types: (n) => `const.def a : ${'list<'.repeat(n - 1)}i64${'>'.repeat(n - 1)} = 1`,
  arrays: (n) => `const.def a : i64${'[1]'.repeat(n - 1)} = 1`,
  functions: (n) => `const.def a : ${'func('.repeat(n - 1)}i64${')'.repeat(n - 1)} = 1`,
  blocks: (n) => `func.def f() {${' if a {'.repeat(n - 1)}${' }'.repeat(n - 1)} }`,
  elses: (n) => inFunc(`if a { }${' else if a { }'.repeat(n - 2)}`),
};

for (const [name, shape] of Object.entries(shapes)) {
  test(`${name} may nest 64 levels`, () => {
    const module = parseModule(shape(64));
    assert.equal(complaints(print(module)), [], 'printed text keeps the limit');
  });

  test(`${name} deeper than 64 levels are one error, at any depth`, () => {
    for (const levels of [name === 'members' ? 68 : 66, 130, 1000, 30000]) {
      const found = complaints(shape(levels));
      assert.is(found.length, 1, found.join('\n'));
      assert.match(found[0]!, tooDeep);
    }
  });
}

test('a wide program is not a deep one', () => {
  const wide = [
    `const.def a = f(${'1, '.repeat(20000)}1)`,
    inFunc('f()\n'.repeat(20000)),
    inFunc('if a { } else { }\n'.repeat(10000)),
    `record.def R { ${Array.from({ length: 10000 }, (_, index) => `f${index}: i64`).join(', ')} }`,
  ];
  for (const text of wide) assert.equal(complaints(print(parseModule(text))), []);
});

test('a file has at most 1 MiB', () => {
  const line = `// ${'x'.repeat(1020)}\n`;
  assert.equal(complaints(line.repeat(1024)), []);
  const found = parse({ file: 'f', text: `${line.repeat(1024)}\n` }).diagnostics;
  assert.is(found[0]!.message, 'the file has 1048577 bytes; the limit is 1048576');
  assert.ok(found[0]!.hint !== undefined);
  const wide = `//${'é'.repeat(600 * 1024)}`;
  assert.match(complaints(wide)[0]!, 'the file has 1228802 bytes');
});

test('a name has at most 128 bytes, dots included', () => {
  assert.equal(complaints(`const.def ${'n'.repeat(128)} = ${'a.'.repeat(63)}aa`), []);
  assert.equal(complaints(`const.def ${'n'.repeat(129)} = 1`), [
    '1:11 the name has 129 bytes; the limit is 128',
  ]);
  assert.equal(complaints(`const.def a = ${'a.'.repeat(64)}a`), [
    '1:15 the name has 129 bytes; the limit is 128',
  ]);
});

test('a number has at most 128 characters', () => {
  assert.equal(complaints(`const.def a = 0.${'1'.repeat(126)}`), []);
  const limit = 'the limit is 128';
  assert.match(complaints(`const.def a = ${'1'.repeat(100000)}`)[0]!, limit);
  assert.match(complaints(`const.def a = 0x${'f'.repeat(127)}`)[0]!, limit);
});

test('a declaration has at most 255 parameters, and as many results', () => {
  const params = (n: number) => Array.from({ length: n }, (_, i) => `a${i}: i64`).join(', ');
  const results = (n: number) => Array.from({ length: n }, () => 'i64').join(', ');
  const text = (n: number, m: number) => `func.def f(${params(n)}) -> (${results(m)}) { f() }`;
  assert.equal(complaints(text(255, 255)), []);
  assert.match(complaints(text(256, 2))[0]!, '256 parameters; the limit is 255');
  assert.match(complaints(text(2, 256))[0]!, '256 results; the limit is 255');
});

test('half a surrogate pair is refused, because it could not be stored', () => {
  assert.equal(complaints('const.def a =\n "x\ud800"'), [
    '2:4 the text has half a surrogate pair here',
  ]);
});

/** Each would take minutes, or the stack, if any scan were quadratic or any recursion unbounded. */
const floods: Readonly<Record<string, string>> = {
  openers: '('.repeat(500000),
  braces: '{'.repeat(500000),
  closers: ')}]'.repeat(200000),
  crossed: `${'([{'.repeat(100000)}${')'.repeat(100000)}${'}'.repeat(100000)}`,
  angles: `const.def a = ${'a<'.repeat(300000)}`,
  'angles in lists': `const.def a = f(${'a < b, '.repeat(100000)}1)`,
  'angles in lines': inFunc('a < b\n'.repeat(100000)),
  strings: '"'.repeat(500000),
  lines: '\n'.repeat(1000000),
  documentation: '/// x\n'.repeat(150000),
  garbage: '$ é '.repeat(200000),
  'broken statements': inFunc('let = {\n'.repeat(60000)),
  'broken declarations': 'func.def f( {\n'.repeat(60000),
  dots: `const.def a = a${'.'.repeat(500000)}`,
  members: `const.def a = f()${'.a'.repeat(300000)}`,
  'long lines of else': inFunc(`if a { }${' else'.repeat(100000)}`),
};

for (const [name, text] of Object.entries(floods)) {
  test(`a flood of ${name} ends with a bounded number of errors`, () => {
    const { diagnostics } = parse({ file: 'f', text });
    assert.ok(diagnostics.length <= 100);
  });
}

test('any text gives a tree and never an exception', () => {
  const word = fc.constantFrom(
    ...'let var if else for in while return ( ) { } [ ] < > , ; : . .. -> @ = == + - * "s" 1 1.5 0x1 a b'.split(
      ' ',
    ),
    ...[
      'func.def ',
      'kernel.def ',
      'template.def ',
      '\n',
      ' ',
      'part',
      'dispatch ',
      'grid',
      '///d\n',
    ],
  );
  const text = fc.oneof(
    fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
    fc.array(word, { maxLength: 60 }).map((words) => inFunc(words.join(' '))),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  fc.assert(
    fc.property(text, (source) => {
      const { module, diagnostics } = parse({ file: 'f', text: source });
      assert.is(module.kind, 'module');
      if (diagnostics.length === 0) assert.equal(complaints(print(module)), []);
    }),
    { numRuns: 3000 },
  );
});

test.run();
