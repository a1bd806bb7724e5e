import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeText } from './code-text.js';
import { functionsOf } from './functions.js';
import { importsOf } from './imports.js';
import { allCode, report } from './sources.js';

const code = (text: string): string => codeText(text).code;

test('comments become spaces, literals underscores, positions stay', () => {
  assert.is(code('a // b\nc'), 'a     \nc');
  assert.is(code('a /* b\n d */ c'), 'a     \n      c');
  assert.is(code(`f('it\\'s', "x")`), `f('_____', "_")`);
  assert.is(code('`a${ b("c") }d`'), '`_${ b("_") }_`');
  assert.is(code('`a${ `x${y}` }`; z'), '`_${ `_${y}` }`; z');
  assert.is(code('`${ {a: 1} }b`; z'), '`${ {a: 1} }_`; z');
  assert.is(code('x = /a"[/]b/g; y'), 'x = /______/g; y');
  assert.is(code('a / b / c'), 'a / b / c');
  assert.is(code('return /x/.test(y)'), 'return /_/.test(y)');
});

test('comment lines are those with nothing else', () => {
  const { commentLines } = codeText('// a\nb // c\n/* d\n e */\n\nconst f = `//`');
  assert.equal([...commentLines], [1, 3, 4]);
});

test('the scanner finds its way through every file of the repository', () => {
  const breaches: string[] = [];
  for (const { path, text } of allCode) {
    const scanned = code(text);
    assert.is(scanned.length, text.length, path);
    let depth = 0;
    for (const here of scanned) {
      if (here === '{') depth += 1;
      if (here === '}') depth -= 1;
    }
    if (depth !== 0) breaches.push(`${path}: braces do not balance in what the scanner calls code`);
  }
  report(breaches);
});

test('functions are found with length and parameters', () => {
  const text = [
    'function one(a: number, b: Map<string, (x: number) => void>): Promise<void> {',
    '  if (a) {',
    '    b();',
    '  }',
    '}',
    'const two = async (x, { y, z }) => {',
    '};',
    'class C { get three(): number { return 1; } constructor() { super(); } }',
    'for (const a of b) { }',
    'type T = { a: number };',
  ].join('\n');
  assert.equal(
    functionsOf(text).map(({ name, line, lines, parameters }) => [name, line, lines, parameters]),
    [
      ['one', 1, 5, 2],
      ['two', 6, 2, 2],
      ['three', 8, 1, 0],
      ['constructor', 8, 1, 0],
    ],
  );
});

test('imports are found in all their forms, with what they are', () => {
  const text = [
    `import { a } from './a.js';`,
    `import type { b } from '../b.js';`,
    `export * from "./c.js";`,
    'import {',
    '  d,',
    `} from 'd';`,
    `const e = await import('./e.js');`,
    `import './f.js';`,
    `export type { g } from './g.js';`,
    `const h = new URL('./h.js', import.meta.url);`,
    `// import { no } from './no.js';`,
  ].join('\n');
  assert.equal(
    importsOf({ path: 'x/y.ts', text }).map(({ target, line, kind }) => [target, line, kind]),
    [
      ['./a.js', 1, 'value'],
      ['../b.js', 2, 'type'],
      ['./c.js', 3, 'value'],
      ['d', 4, 'value'],
      ['./e.js', 7, 'dynamic'],
      ['./f.js', 8, 'value'],
      ['./g.js', 9, 'type'],
      ['./h.js', 10, 'dynamic'],
    ],
  );
});

test.run();
