/**
 * Turns that must call a tool, on real threads: what the package reads in the answer is calls of
 * what was offered, with arguments of their schemas, whatever is drawn.
 */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import type { CalledFunction, Grammar } from '../../../runtime/profiles/text.js';
import { isOfSchema } from '../../oracles/json-schema.js';
import { rejection, runServer } from '../running-server.js';
import { Texts } from '../texts.js';

const server = await runServer(['tiny-text']);
const texts = new Texts(server);

test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
});

const schemas = {
  look: {
    type: 'object',
    properties: { at: { enum: ['sky', 'sea\nside', 'é"'] }, often: { type: 'boolean' } },
    required: ['at'],
  },
  look_up: { type: 'object', properties: {} },
  walk: {
    type: 'object',
    properties: { steps: { type: 'integer', minimum: 1, maximum: 30 } },
    required: ['steps'],
    additionalProperties: false,
  },
} as const;

const functions: readonly CalledFunction[] = Object.entries(schemas).map(
  ([name, parameters], at) => ({ name, parameters, place: `tools[${at}]`, isStrict: false }),
);

const forced = (offered = functions, isSingle = true): Grammar => ({
  kind: 'calls',
  functions: offered,
  isSingle,
  form: null,
  orElse: null,
});

async function called(grammar: Grammar, seed: number, temperature: number) {
  const { result, text } = await texts.say('tiny-text', {
    prompt: { kind: 'text', text: `call it ${seed}` },
    maxTokens: 160,
    sampling: { seed, temperature },
    grammar,
    hasTools: true,
  });
  const chat = JSON.parse(result.chat!) as {
    content: string | null;
    tool_calls: { function: { name: keyof typeof schemas; arguments: string } }[];
  };
  return { ...chat, finish: result.finish, text };
}

test('whatever is drawn, the answer is calls of what was offered', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(2 ** 31), fc.boolean(), fc.boolean(), async (seed, isHot, isSingle) => {
      const answer = await called(forced(functions, isSingle), seed, isHot ? 2 : 0);
      const { finish, content, tool_calls: calls, text } = answer;
      for (const { function: one } of calls) {
        const schema = schemas[one.name];
        assert.ok(isOfSchema(JSON.parse(one.arguments), schema, schema), text);
      }
      if (finish !== 'stop') return;
      assert.is(content, null, text);
      assert.ok(isSingle ? calls.length === 1 : calls.length >= 1, text);
    }),
    { numRuns: 10 },
  ));

test('beside a form an answer is calls, or of that form', async () => {
  const schema = { type: 'object', properties: { said: { type: 'boolean' } }, required: ['said'] };
  const orElse = { kind: 'schema', schema } as const;
  const kinds = new Set<string>();
  for (let seed = 0; seed < 40 && kinds.size < 2; seed += 1) {
    const grammar = { ...forced(), orElse } as Grammar;
    const { content, tool_calls: calls, finish } = await called(grammar, seed, 2);
    assert.is(finish, 'stop');
    kinds.add(calls.length > 0 ? 'calls' : 'form');
    if (calls.length > 0) assert.is(content, null);
    else assert.ok(isOfSchema(JSON.parse(content!), schema, schema), content!);
  }
  assert.is(kinds.size, 2);
});

test('a function that is named is the one that is called', async () => {
  for (const one of functions) {
    const { tool_calls: calls } = await called(forced([one]), 5, 2);
    assert.equal(
      calls.map((call) => call.function.name),
      [one.name],
    );
  }
});

test('a schema that cannot be held to is any object, or is refused where that is strict', async () => {
  const parameters = { type: 'object', properties: { at: { type: 'string', pattern: 'a' } } };
  const loose = { name: 'loose', parameters, place: 'tools[0].function.parameters' };
  const { tool_calls: calls } = await called(forced([{ ...loose, isStrict: false }]), 3, 0);
  assert.type(JSON.parse(calls[0]!.function.arguments), 'object');
  const strict = await rejection(called(forced([{ ...loose, isStrict: true }]), 3, 0));
  assert.is(strict.code, 'invalidArgument');
  assert.is(toStatus(strict).param, 'tools[0].function.parameters.properties.at.pattern');
});

test.run();
