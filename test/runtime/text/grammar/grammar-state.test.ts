/** Laws of masks, over random schemas under two real vocabularies. */
import fc from '../../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../../runtime/base/errors.js';
import type { GrammarState } from '../../../../runtime/text/grammar/grammar-state.js';
import { Choices } from '../../../generators/choices.js';
import { makeSchema } from '../../../generators/json-schemas.js';
import { JsonTexts } from '../../../generators/json-texts.js';
import { Random } from '../../../generators/random.js';
import { isOfSchema } from '../../../oracles/json-schema.js';
import { tokenizerOf } from '../../tokenizer/tokenizer-files.js';
import { Vocabulary, accepts, joined, kjv, tinyText } from './vocabularies.js';

const schemas = fc
  .array(fc.nat(1000), { maxLength: 80 })
  .map((choices) => makeSchema(new Choices(choices)));
const seeds = fc.integer();
const vocabularies = fc.constantFrom(kjv, tinyText, joined);

/** Tokens that end things come first, in a string its end; those that open or go on come last. */
const closers = ['"', '}', ']', 'null', '0', '1', 'a'];
const openers = /[{[,\s\\]/;

/** A vocabulary's tokens, the best one to come to an end with first. */
function endingOrder(vocabulary: Vocabulary): readonly number[] {
  const cost = (id: number): number => {
    const text = Buffer.from(vocabulary.table.bytesOf(id)).toString();
    const closer = closers.indexOf(text);
    return closer >= 0 ? closer : text.length + (openers.test(text) ? 2000 : 1000);
  };
  const ids = Array.from({ length: vocabulary.size }, (_, id) => ({ id, cost: cost(id) }));
  return ids.sort((left, right) => left.cost - right.cost).map(({ id }) => id);
}

const orders = new Map([kjv, tinyText, joined].map((one) => [one, endingOrder(one)]));

function walk(vocabulary: Vocabulary, state: GrammarState, random: Random): string {
  const ids: number[] = [];
  for (let step = 0; step < 2000; step += 1) {
    const allowed = vocabulary.allowed(state);
    assert.ok(allowed.length > 0, `a way on after tokens ${ids.join(' ')}`);
    assert.is(allowed.includes(vocabulary.end), state.isComplete);
    assert.is(state.isExhausted, allowed.length === 1 && allowed[0] === vocabulary.end);
    if (state.isComplete && (step > 30 || random.chance(3) || state.isExhausted)) {
      return vocabulary.text(ids);
    }
    const texts = new Set(allowed.filter((id) => id !== vocabulary.end));
    const order = orders.get(vocabulary)!;
    const id = step < 30 ? random.of([...texts]) : order.find((one) => texts.has(one))!;
    state.advance(id);
    ids.push(id);
  }
  throw new Error(`no end: ${vocabulary.text(ids.slice(0, 100))}`);
}

test('whatever allowed token is chosen, texts end, parse, and are of their schema', () => {
  fc.assert(
    fc.property(schemas, seeds, vocabularies, (schema, seed, vocabulary) => {
      const text = walk(vocabulary, vocabulary.state(schema), new Random(seed));
      const value: unknown = JSON.parse(text);
      assert.ok(isOfSchema(value, schema, schema), text);
    }),
    { numRuns: 150 },
  );
});

test('json_object: whatever allowed token is chosen, the text is an object', () => {
  fc.assert(
    fc.property(seeds, vocabularies, (seed, vocabulary) => {
      const text = walk(vocabulary, vocabulary.json(), new Random(seed));
      assert.match(text, /^\s*\{/);
      assert.type(JSON.parse(text), 'object');
    }),
    { numRuns: 60 },
  );
});

test('every text of a schema is accepted, token by token', () => {
  fc.assert(
    fc.property(schemas, seeds, vocabularies, (schema, seed, vocabulary) => {
      const text = new JsonTexts(new Random(seed), schema).whole();
      assert.ok(isOfSchema(JSON.parse(text), schema, schema), `the generator: ${text}`);
      const ids = vocabulary.encode(text);
      assert.is(vocabulary.text(ids), text);
      assert.ok(accepts(vocabulary.state(schema), ids), text);
      assert.ok(accepts(vocabulary.state(schema), vocabulary.spelled(text)), text);
    }),
    { numRuns: 200 },
  );
});

test('a changed text that is accepted still parses and is of its schema', () => {
  let accepted = 0;
  fc.assert(
    fc.property(schemas, seeds, (schema, seed) => {
      const random = new Random(seed);
      const text = new JsonTexts(random, schema).whole();
      for (let round = 0; round < 8; round += 1) {
        const ids = tinyText.spelled(text);
        const at = random.below(ids.length);
        const others = tinyText.spelled('{}[],:"\\0123.eE-+ \n\tanu/');
        const inserted = random.chance(3) ? [] : [random.of(random.chance(2) ? others : ids)];
        ids.splice(at, random.below(3), ...inserted);
        if (!accepts(tinyText.state(schema), ids)) continue;
        accepted += 1;
        const changed = tinyText.text(ids);
        assert.ok(isOfSchema(JSON.parse(changed), schema, schema), changed);
      }
    }),
    { numRuns: 250 },
  );
  assert.ok(accepted > 50, `${accepted} of the changed texts were accepted`);
});

test('a mask has exactly the tokens whose bytes go on, wherever the text stands', () => {
  const joints = fc.constantFrom(kjv, joined, joined);
  fc.assert(
    fc.property(schemas, seeds, fc.nat(60), joints, (schema, seed, most, vocabulary) => {
      const random = new Random(seed);
      const text = new JsonTexts(random, schema).whole();
      const before = vocabulary.spelled(text).slice(0, most);
      const at = (): GrammarState => {
        const state = vocabulary.state(schema);
        for (const id of before) state.advance(id);
        return state;
      };
      const allowed = new Set(vocabulary.allowed(at()));
      for (let tried = 0; tried < 100; tried += 1) {
        const id = random.chance(2) ? random.below(vocabulary.size) : random.of([...allowed]);
        if (id !== vocabulary.end) assert.is(allowed.has(id), canAdvance(at(), id), `token ${id}`);
      }
    }),
    { numRuns: 60 },
  );
});

test('a mask near the end of a long string is that of its place', () => {
  const schema = { type: 'string', minLength: 40, maxLength: 60 };
  for (let length = 0; length <= 60; length += 1) {
    const at = (): GrammarState => {
      const state = joined.state(schema);
      for (const id of joined.spelled(`"${'a'.repeat(length)}`)) state.advance(id);
      return state;
    };
    const allowed = new Set(joined.allowed(at()));
    for (let id = 0; id < joined.end; id += 1) {
      const text = Buffer.from(joined.table.bytesOf(id)).toString();
      if (!/^[a"]+$/.test(text)) continue;
      assert.is(allowed.has(id), canAdvance(at(), id), `${text} after ${length}`);
    }
  }
});

function canAdvance(state: GrammarState, id: number): boolean {
  try {
    state.advance(id);
    return true;
  } catch (error) {
    assert.instance(error, StatusError);
    return false;
  }
}

test('lengths are counted in characters, and end strings of thousands where they must', () => {
  const state = kjv.state({ type: 'string', minLength: 2999, maxLength: 3000 });
  const quote = kjv.spelled('"')[0]!;
  const bytes = kjv.spelled('"' + '本'.repeat(2998));
  bytes.forEach((id) => state.advance(id));
  assert.not(kjv.allowed(state).includes(quote));
  kjv.spelled('\\n').forEach((id) => state.advance(id));
  assert.ok(kjv.allowed(state).includes(quote));
  kjv.spelled('a').forEach((id) => state.advance(id));
  const last = kjv.allowed(state).map((id) => kjv.text([id]));
  assert.equal(last, ['"']);
});

test('objects nest to a bound and no further, and still end', () => {
  const state = tinyText.json();
  const [open, quote, colon, close] = tinyText.spelled('{":}') as [number, number, number, number];
  let depth = 0;
  while (tinyText.allowed(state).includes(open)) {
    state.advance(open);
    depth += 1;
    if (!tinyText.allowed(state).includes(quote)) break;
    for (const id of [quote, quote, colon]) state.advance(id);
  }
  assert.ok(depth > 90 && depth <= 101, `${depth} levels`);
  for (; depth > 0; depth -= 1) state.advance(close);
  assert.ok(state.isExhausted);
});

test('a vocabulary that lacks a byte says that it is stuck', () => {
  const words = ['{', '"a"', ':', '1', 'end'];
  const file = {
    model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])) },
    decoder: { type: 'Fuse' },
  };
  const vocabulary = new Vocabulary(tokenizerOf(file), 5, 4);
  const state = vocabulary.json();
  for (const id of [0, 1, 2]) {
    assert.not(state.isStuck);
    state.advance(id);
  }
  assert.not(state.isStuck);
  state.advance(3);
  for (let digits = 1; digits < 20; digits += 1) state.advance(3);
  assert.ok(state.isStuck);
  assert.not(state.isComplete);
  assert.throws(
    () => vocabulary.state({ type: 'array' }),
    (error: unknown) => error instanceof StatusError && error.code === 'invalidArgument',
  );
});

test('a token that the mask does not have is a fault of the package', () => {
  const state = kjv.json();
  assert.throws(() => state.advance(kjv.spelled('}')[0]!), /the package chose token/);
  assert.throws(() => state.advance(kjv.end), /the package chose token/);
  kjv.spelled('{}').forEach((id) => state.advance(id));
  state.advance(kjv.end);
  assert.ok(state.isExhausted);
});

test.run();
