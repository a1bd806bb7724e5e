/** The grammar in the README speaks of every word and operator that the parser knows. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { precedenceOf } from '../../../runtime/loom/syntax/operators.js';
import { syntaxLimits } from '../../../runtime/loom/syntax/limits.js';
import {
  contextualWords,
  declarationHeads,
  reservedWords,
} from '../../../runtime/loom/syntax/words.js';

const readme = readFileSync('runtime/loom/README.md', 'utf8');
const grammar = /```ebnf\n([^]*?)```/.exec(readme)![1]!;

test('the reserved words are those of the lexer', () => {
  const listed = /Reserved: `([^`]*)`/.exec(readme)![1]!.split(/\s+/);
  assert.equal(listed.sort(), [...reservedWords].sort());
});

test('every keyword has a place in the grammar', () => {
  for (const word of [...reservedWords, ...contextualWords, ...declarationHeads]) {
    assert.ok(grammar.includes(`"${word}"`), word);
  }
});

test('the table of operators has the strengths of the parser', () => {
  const rows = [...readme.matchAll(/^\|[^|]*\| `((?:[^|\\]|\\\|)+)` \|[^|]*\|$/gm)];
  const strengths = rows.map((row) => row[1]!.replaceAll('\\|', '|').split(' '));
  const expected = new Map<number, string[]>();
  for (const [op, strength] of precedenceOf) {
    expected.set(strength, [...(expected.get(strength) ?? []), op]);
  }
  const sorted = [...expected].sort(([left], [right]) => right - left).map(([, ops]) => ops);
  assert.equal(
    strengths.map((ops) => ops.sort()),
    sorted.map((ops) => ops.sort()),
  );
});

test('the limits are those of the code', () => {
  const mib = 1024 * 1024;
  const { textBytes, bytecodeBytes, nameBytes, nesting } = syntaxLimits;
  assert.match(readme, `text ${textBytes / mib} MiB, bytecode ${bytecodeBytes / mib} MiB`);
  assert.match(readme, `${nameBytes} bytes, ${nesting} levels of blocks and ${nesting} of one`);
});

test.run();
