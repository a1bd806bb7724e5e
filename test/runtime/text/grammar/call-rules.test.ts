/** Calls in the forms that packages may have: what is accepted, and what is not. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../../runtime/base/errors.js';
import type { CalledFunction, CallForm } from '../../../../runtime/profiles/text.js';
import { compileGrammar } from '../../../../runtime/text/grammar/compile-grammar.js';
import { GrammarState } from '../../../../runtime/text/grammar/grammar-state.js';
import { accepts, tinyText } from './vocabularies.js';

const plain = { isOneLine: false, marks: [], leads: [] };
const line: CallForm = {
  begin: '!',
  middle: ' ',
  end: '',
  between: '\n',
  ...plain,
  isOneLine: true,
};
const marked: CallForm = {
  begin: '<c>\n{"name": "',
  middle: '", "arguments": ',
  end: '}\n</c>',
  between: '\n',
  ...plain,
};
const bare: CallForm = { ...marked, begin: '{"name":"', end: '}', between: null };

const place = 'tools[0].function.parameters';
const called = (name: string, parameters: unknown, isStrict = false): CalledFunction => ({
  name,
  parameters,
  place,
  isStrict,
});
const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const offered = [called('f', number), called('ff', null), called('g', { type: 'object' })];

const grammar = { kind: 'calls', functions: offered, isSingle: false, orElse: null } as const;

function state(form: CallForm, isSingle = false, functions = offered): GrammarState {
  const asked = { ...grammar, functions, isSingle, form };
  return new GrammarState(compileGrammar(asked), tinyText.table);
}

const takes = (form: CallForm, text: string, isSingle = false): boolean =>
  accepts(state(form, isSingle), tinyText.spelled(text));

test('a call is its name and its arguments in the form of the package', () => {
  assert.ok(takes(line, '!f {"n":1}'));
  assert.ok(takes(line, '!ff {"any":[{"thing":null}]}'));
  assert.ok(takes(marked, '<c>\n{"name": "g", "arguments": {\n "a": 1}}\n</c>'));
  assert.ok(takes(marked, '\n<c>\n{"name": "g", "arguments": {}}\n</c>'));
  assert.ok(takes(bare, '{"name":"f", "arguments": {"n":-2}}'));
  for (const other of [
    '!f {"n":"1"}',
    '!f {}',
    '!fff {}',
    '!h {}',
    '!f 1',
    'f {"n":1}',
    '!f {"n":1} ',
    ' !f {"n":1}',
    '!f {"n":1}\n',
    '!f {\n"n":1}',
    '',
  ]) {
    assert.not.ok(takes(line, other), other);
  }
});

test('several calls stand behind each other where they may, and end', () => {
  const two = '!f {"n":1}\n!ff {}';
  assert.ok(takes(line, two));
  assert.not.ok(takes(line, two, true));
  assert.ok(takes(line, '!ff {}', true));
  assert.not.ok(takes(bare, '{"name":"ff", "arguments": {}}{"name":"ff", "arguments": {}}'));
  const many = (count: number): string => Array.from({ length: count }, () => '!ff {}').join('\n');
  assert.ok(takes(line, many(32)));
  assert.not.ok(takes(line, many(33)));
});

test('beside a form the answer is calls or of that form, and nothing else', () => {
  const schema = { type: 'object', properties: { a: { type: 'null' } }, required: ['a'] };
  const orElse = { kind: 'schema', schema } as const;
  for (const form of [line, marked, bare]) {
    const either = (text: string): boolean => {
      const program = compileGrammar({ ...grammar, form, orElse });
      return accepts(new GrammarState(program, tinyText.table), tinyText.spelled(text));
    };
    const call = `${form.begin}f${form.middle}{"n":1}${form.end}`;
    assert.ok(either(call));
    assert.ok(either('{"a":null}'));
    assert.not.ok(either('{}'));
    assert.not.ok(either(`${call}{"a":null}`));
  }
  const wrong = {
    ...grammar,
    form: line,
    orElse: { kind: 'schema', schema: { not: {} } },
  } as const;
  assert.throws(
    () => compileGrammar(wrong),
    (error: unknown) =>
      error instanceof StatusError &&
      error.status.param === 'response_format.json_schema.schema.not',
  );
});

test('what is strict and cannot be held to is refused by its place; else it is any object', () => {
  const patterned = { type: 'object', properties: { a: { pattern: 'x' } } };
  const listed = { type: 'array' };
  for (const [schema, param] of [
    [patterned, `${place}.properties.a.pattern`],
    [listed, `${place}.type`],
    [{}, `${place}.type`],
  ] as const) {
    assert.throws(
      () => state(line, true, [called('f', schema, true)]),
      (error: unknown) => error instanceof StatusError && error.status.param === param,
      param,
    );
    const loose = state(line, true, [called('f', schema)]);
    assert.ok(accepts(loose, tinyText.spelled('!f {"a":["b"]}')));
  }
});

test('tools are bounded as a schema is, all together', () => {
  const large = { type: 'object', properties: { a: { const: 'x'.repeat(70_000) } } };
  const refused = (functions: readonly CalledFunction[]): unknown => {
    try {
      state(line, true, [...functions]);
    } catch (error) {
      return (error as StatusError).status.param;
    }
    return null;
  };
  assert.is(refused([called('f', large), called('g', large)]), 'tools');
  const wide = { type: 'object', properties: { b: { not: {} }, a: { const: 'x'.repeat(9_000) } } };
  // What is given up half way leaves states behind, and what is large then is any object.
  const loose = [called('f', wide), called('g', wide)];
  const { nodes } = compileGrammar({ ...grammar, functions: loose, form: line });
  assert.ok(nodes.length <= 16_384, `${nodes.length} states`);
  const hundred = Array.from({ length: 128 }, (_, at) => called(`f${at}`, number));
  assert.is(refused(hundred), null);
});

test.run();
