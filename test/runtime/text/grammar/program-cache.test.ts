/** A form is compiled once, and refused once, as long as few others are asked for meanwhile. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGrammar } from '../../../../runtime/text/grammar/compile-grammar.js';
import { ProgramCache } from '../../../../runtime/text/grammar/program-cache.js';

const form = (value: unknown) => ({ kind: 'schema', schema: { const: value } }) as const;
const refused = { kind: 'schema', schema: { type: 'string', pattern: 'a' } } as const;

function refusal(cache: ProgramCache): unknown {
  try {
    cache.programOf(refused);
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
}

test('the same program for the same text, another one for another', () => {
  const cache = new ProgramCache();
  const first = cache.programOf(form('a'));
  assert.equal(first, compileGrammar(form('a')));
  assert.is(cache.programOf(form('a')), first);
  assert.equal(cache.programOf(form('b')), compileGrammar(form('b')));
  assert.equal(cache.programOf({ kind: 'json' }), compileGrammar({ kind: 'json' }));
  // Properties come in the order of the schema.
  const ordered = (...names: string[]) =>
    ({
      kind: 'schema',
      schema: { properties: Object.fromEntries(names.map((name) => [name, true])) },
    }) as const;
  assert.is.not(cache.programOf(ordered('a', 'b')), cache.programOf(ordered('b', 'a')));
});

test('a refusal is remembered as what it is', () => {
  const cache = new ProgramCache();
  const first = refusal(cache);
  assert.match((first as Error).message, /none of those that are kept/);
  assert.is(refusal(cache), first);
});

test('the last eight are kept', () => {
  const cache = new ProgramCache();
  const first = cache.programOf(form(0));
  const second = cache.programOf(form(1));
  for (let other = 2; other < 8; other += 1) cache.programOf(form(other));
  assert.is(cache.programOf(form(0)), first);
  cache.programOf(form(8));
  assert.is(cache.programOf(form(0)), first);
  assert.is.not(cache.programOf(form(1)), second);
});

test('what is too large is refused before anything else', () => {
  const cache = new ProgramCache();
  const large = form('x'.repeat(131_073));
  assert.throws(() => cache.programOf(large), /more than 131072 characters/);
  assert.throws(() => cache.programOf(form(1 / 0)), /too large/);
});

test.run();
