/** What is refused, by which name; bounds against hostile schemas; what is accepted, or is not. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../../runtime/base/errors.js';
import { compileGrammar } from '../../../../runtime/text/grammar/compile-grammar.js';
import { accepts, kjv, tinyText } from './vocabularies.js';

const place = 'response_format.json_schema.schema';
const deep = (depth: number): object =>
  depth === 0 ? {} : { type: 'array', items: deep(depth - 1) };
const many = (count: number, one: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => one(index));
const named = (count: number): Record<string, unknown> =>
  Object.fromEntries(many(count, (index) => [`p${index}`, {}]) as [string, unknown][]);

/** Schema, what `param` names below the schema, what the message says. */
const refusals: readonly (readonly [name: string, schema: unknown, at: string, says: RegExp])[] = [
  ['an unknown keyword', { type: 'string', pattern: '^a' }, '.pattern', /none of those/],
  ['a format', { properties: { at: { format: 'uri' } } }, '.properties.at.format', /one of date/],
  ['a format that is a list', { format: ['date'] }, '.format', /one of date, time, date-time/],
  ['a length of a format', { format: 'uuid', maxLength: 9 }, '.maxLength', /beside format/],
  ['not', { items: { not: {} } }, '.items.not', /none of those that are kept: \$ref/],
  ['an identifier within', { items: { $id: 'x' } }, '.items.$id', /none of/],
  ['an unknown type', { type: 'text' }, '.type', /must be of object, array/],
  ['a list with an unknown type', { type: ['null', 'date'] }, '.type', /must be of/],
  ['no types', { type: [] }, '.type', /must be of/],
  ['a schema that is a list', { items: [{}] }, '.items', /written as prefixItems/],
  ['a schema that is text', { items: 'x' }, '.items', /must be an object, true or false/],
  ['a schema that is null', null, '', /must be an object, true or false/],
  ['several schemas at once', { allOf: [{}, {}] }, '.allOf', /2 schemas; one is possible/],
  ['no alternatives', { anyOf: [] }, '.anyOf', /must not be empty/],
  ['alternatives that are none', { anyOf: {} }, '.anyOf', /must be a list/],
  ['a keyword beside a reference', { $ref: '#', type: 'null' }, '.type', /beside \$ref/],
  ['a keyword beside alternatives', { anyOf: [{}], required: [] }, '.required', /beside anyOf/],
  ['a keyword beside values', { enum: ['a'], minLength: 1 }, '.minLength', /beside enum/],
  ['a reference elsewhere', { $ref: 'http://a.test/b' }, '.$ref', /in this schema/],
  ['a reference to nothing', { $ref: '#/$defs/a' }, '.$ref', /leads nowhere/],
  ['a reference to what is inherited', { $ref: '#/constructor' }, '.$ref', /leads nowhere/],
  ['a length below zero', { minLength: -1 }, '.minLength', /whole number from 0/],
  ['half an item', { maxItems: 0.5 }, '.maxItems', /whole number from 0/],
  ['lengths that cross', { minLength: 3, maxLength: 2 }, '.minLength', /3 is more than the 2/],
  ['items that must differ', { uniqueItems: true }, '.uniqueItems', /false only/],
  ['a bound that is text', { minimum: '1' }, '.minimum', /must be a number/],
  ['a bound of halves', { type: 'number', maximum: 0.5 }, '.maximum', /0\.5 is not whole/],
  ['multiples', { type: 'integer', multipleOf: 2 }, '.multipleOf', /none of/],
  ['properties that are a list', { properties: [] }, '.properties', /must be an object/],
  ['a required number', { required: [1] }, '.required', /list of names/],
  [
    'what is required and excluded',
    { properties: {}, required: ['a'], additionalProperties: false },
    '.required',
    /'a' is neither/,
  ],
  ['nothing', false, '', /no text is of the schema/],
  ['a text without end', { $ref: '#' }, '', /no text is of the schema/],
  [
    'an object without end',
    { properties: { a: { $ref: '#' } }, required: ['a'] },
    '',
    /never ends/,
  ],
  ['values of no type that fits', { type: 'string', enum: [1] }, '', /no text is of the schema/],
  ['bounds that cross', { type: 'integer', minimum: 5, maximum: 4 }, '', /no text is of/],
  ['numbers between none', { type: 'number', exclusiveMinimum: 5, maximum: 5 }, '', /no text is/],
  ['a number that is too large', { const: 1 / 0 }, '', /too large/],
  ['a deep schema', deep(70), '', /nests deeper than 64 levels/],
  [
    'a schema of many values',
    { enum: many(10_000, (index) => index) },
    '',
    /more than 10000 values/,
  ],
  ['a long schema', { const: 'x'.repeat(131_073) }, '', /more than 131072 characters/],
  [
    'long texts',
    { enum: many(2, (index) => `${index}${'本'.repeat(30_000)}`) },
    '',
    /16384 states/,
  ],
  ['many properties', { properties: named(257) }, '.properties', /257 names .* 256 are possible/],
  ['many places', { prefixItems: many(513, () => ({})) }, '.prefixItems', /513 places; 512/],
];

for (const [name, schema, at, says] of refusals) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => compileGrammar({ kind: 'schema', schema }),
      (error: unknown) => {
        assert.instance(error, StatusError);
        assert.is((error as StatusError).code, 'invalidArgument');
        assert.is((error as StatusError).status.param, `${place}${at}`);
        assert.match((error as StatusError).message, says);
        return true;
      },
    );
  });
}

/** Schemas that are made to be large: each compiles, to a program that grows with the schema. */
const hostile: readonly (readonly [name: string, schema: unknown])[] = [
  ['a chain of references', chain(2000)],
  ['references that double', doubling(40)],
  ['many properties, all optional', { properties: named(256) }],
  ['many values', { enum: many(3000, (index) => `value ${index}`) }],
  ['lengths without end', { type: 'string', minLength: 1, maxLength: Number.MAX_SAFE_INTEGER }],
  ['alternatives of itself', { anyOf: [{ $ref: '#' }, { type: 'null' }] }],
];

function chain(length: number): object {
  const links = many(length, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]);
  const $defs = Object.fromEntries([...links, [`d${length}`, { type: 'null' }]] as [
    string,
    object,
  ][]);
  return { $defs, $ref: '#/$defs/d0' };
}

function doubling(length: number): object {
  const links = many(length, (index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [`d${index}`, { anyOf: [{ type: 'array', items: next }, next, next] }];
  });
  const $defs = Object.fromEntries([...links, [`d${length}`, { type: 'null' }]] as [
    string,
    object,
  ][]);
  return { $defs, $ref: '#/$defs/d0' };
}

for (const [name, schema] of hostile) {
  test(`bounded: ${name}`, () => {
    const { nodes } = compileGrammar({ kind: 'schema', schema });
    const { length } = JSON.stringify(schema);
    assert.ok(nodes.length < 400 + 3 * length, `${nodes.length} nodes of ${length} characters`);
    assert.ok(kjv.allowed(kjv.state(schema)).length > 0);
  });
}

test('a schema of too many readings ends its own turn, with a limit', () => {
  const lists = many(150, (most) => {
    return { type: 'array', items: { $ref: '#/$defs/d0' }, maxItems: 1000 + most };
  });
  assert.throws(
    () => kjv.state({ ...chain(4000), $ref: undefined, anyOf: lists }),
    (error: unknown) => error instanceof StatusError && error.code === 'resourceExhausted',
  );
});

const isAccepted = (schema: unknown, text: string): boolean =>
  accepts(tinyText.state(schema), tinyText.spelled(text));

test('what a schema does not say is taken narrowly, and stated', () => {
  const declared = { type: 'object', properties: { a: { type: 'null' }, b: {} }, required: ['b'] };
  assert.ok(isAccepted(declared, '{"a":null,"b":[{"x": 1}]}'));
  assert.not(isAccepted(declared, '{"b":1,"a":null}'), 'declared order');
  assert.not(isAccepted(declared, '{"b":1,"c":1}'), 'nothing besides, unless it is said');
  assert.ok(isAccepted({ ...declared, additionalProperties: true }, '{"b":1,"c":1}'));
  assert.ok(isAccepted({ ...declared, required: ['b', 'z'] }, '{"b":1,"z":1}'));
  assert.not(isAccepted({ ...declared, required: ['b', 'z'] }, '{"b":1}'));
  assert.ok(isAccepted({ properties: {} }, '{}'), 'keywords say the type');
  assert.not(isAccepted({ properties: {} }, '[]'));
  assert.ok(isAccepted({ description: 'anything' }, '[1,{"a":"b"}]'));
});

test('a key besides the declared ones is not one of them in disguise', () => {
  const schema = {
    properties: { ab: { type: 'null' } },
    additionalProperties: { type: 'integer' },
  };
  assert.ok(isAccepted(schema, '{"ab":null,"a":1,"abc":2,"":3,"本":4}'));
  assert.not(isAccepted(schema, '{"ab":1}'));
  assert.not(isAccepted(schema, '{"ab":null,"ab":1}'));
  assert.not(isAccepted(schema, '{"\\u0061b":1}'));
});

test('white space and digits are bounded', () => {
  const list = { type: 'array', items: { type: 'number' } };
  assert.ok(isAccepted(list, `[\n${' '.repeat(32)}1,\n\t2 ]`));
  for (const text of ['[  1]', '[\n\n1]', `[\n${' '.repeat(33)}1]`, '[1] ', '[1 ,2]', '[\r\n1]']) {
    assert.not(isAccepted(list, text), JSON.stringify(text));
  }
  assert.ok(isAccepted(list, `[${'9'.repeat(20)}.${'0'.repeat(20)}e-99]`));
  for (const text of [
    '9'.repeat(21),
    `0.${'0'.repeat(21)}`,
    '1e100',
    '01',
    '.5',
    '1.',
    '+1',
    '-',
  ]) {
    assert.not(isAccepted(list, `[${text}]`), text);
  }
});

test('a number that must not reach its bound does not reach it when it is read either', () => {
  const schema = { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 100 };
  for (const text of ['0.00000000001', '99.999999999999', '50', '0.5']) {
    assert.ok(isAccepted(schema, text), text);
  }
  for (const text of [`99.${'9'.repeat(17)}`, '0', '0.0', '100', '100.0', '-1', '-0.5', '1e1']) {
    assert.not(isAccepted(schema, text), text);
  }
  const large = { type: 'number', exclusiveMaximum: 2 ** 53 - 1 };
  assert.ok(isAccepted(large, '9007199254740990'));
  assert.not(isAccepted(large, '9007199254740990.9999'));
});

test('whole numbers keep their bounds to the last one', () => {
  for (const [minimum, maximum] of [
    [-12, 113],
    [7, 7],
    [-230, -18],
    [0, 1000],
    [-1, 0],
  ] as const) {
    const state = { type: 'integer', minimum, maximum };
    for (let value = -1300; value <= 1300; value += value % 100 === 0 ? 1 : 3) {
      const isWithin = value >= minimum && value <= maximum;
      assert.is(isAccepted(state, String(value)), isWithin, `${value} in ${minimum} to ${maximum}`);
    }
    for (const value of [minimum - 1, minimum, maximum, maximum + 1]) {
      assert.is(isAccepted(state, String(value)), value >= minimum && value <= maximum);
    }
  }
});

test('references lead by pointers, with escapes', () => {
  const schema = {
    $defs: { 'a/b~c d': { type: 'null' } },
    properties: { x: { $ref: '#/$defs/a~1b~0c%20d' }, y: { $ref: '#/properties/x' } },
    required: ['x', 'y'],
  };
  assert.ok(isAccepted(schema, '{"x":null,"y":null}'));
});

test('half a surrogate pair is no text', () => {
  const text = { type: 'string', maxLength: 1 };
  assert.ok(isAccepted(text, '"\\ud834\\udd1e"'));
  for (const half of ['"\\ud834"', '"\\udd1e"', '"\\ud834\\ud834"', '"\\ud834a"']) {
    assert.not(isAccepted(text, half), half);
  }
});

test.run();
