import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import {
  finiteTraffic,
  runScenario,
  scenarioSchema,
} from '../../../runtime/packages/check-scenario.js';
import type { Infer } from '../../../runtime/packages/check-request.js';
import type { EmbeddingInput, EmbeddingsBody } from '../../../runtime/profiles/embeddings.js';

const rowOf = (input: EmbeddingInput): Float32Array =>
  Float32Array.of(input.kind === 'text' ? input.text.length : -1);

/** Answers in a later turn, or with a cancel when the signal came first. */
const steady: Infer = async (body, signal) => {
  const { inputs } = body as EmbeddingsBody;
  await new Promise((resolve) => setImmediate(resolve));
  if (signal.aborted) throw new StatusError('cancelled', 'the client left');
  if (inputs.some((input) => input.kind === 'tokens')) {
    throw new StatusError('invalidArgument', 'no tokens');
  }
  return inputs.map(rowOf);
};

const run = (scenario: unknown, infer: Infer = steady) =>
  runScenario(
    scenarioSchema.parse(scenario),
    finiteTraffic(infer, async () => undefined),
  );

const send = (name: string, input: unknown) => ({ send: name, request: { input } });

test('a scenario that holds reports nothing', async () => {
  const problems = await run({
    steps: [
      send('a', ['one', 'three']),
      { pause_ms: 1 },
      send('b', 'one'),
      { cancel: 'b' },
      { await: 'a' },
      send('c', 'one'),
      send('d', [[1, 2]]),
    ],
    expect: {
      a: { outcome: 'answer', same_as_alone: true },
      b: { outcome: 'error', code: 'cancelled' },
      c: { outcome: 'answer' },
      d: { outcome: 'error', code: 'invalidArgument' },
    },
  });
  assert.equal(problems, []);
});

test('an answer that depends on its neighbours is found, down to the sign of zero', async () => {
  const leaky: Infer = async (body) => {
    const { inputs } = body as EmbeddingsBody;
    return inputs.map(() => Float32Array.of(inputs.length > 1 ? -0 : 0));
  };
  const problems = await run(
    {
      steps: [send('a', ['x', 'y'])],
      expect: { a: { outcome: 'answer', same_as_alone: true } },
    },
    leaky,
  );
  assert.equal(problems, [
    'a: row 0 differs in bits from the one alone',
    'a: row 1 differs in bits from the one alone',
  ]);
});

test('two answers that should be the same are compared', async () => {
  let calls = 0;
  const drifting: Infer = async () => [Float32Array.of((calls += 1))];
  const problems = await run(
    {
      steps: [send('a', 'x'), { await: 'a' }, send('b', 'x')],
      expect: { b: { outcome: 'answer', same_as: 'a' } },
    },
    drifting,
  );
  assert.equal(problems, ["b: row 0 differs in bits from the one of 'a'"]);
});

test('outcomes that are not the expected ones are told', async () => {
  const problems = await run({
    steps: [send('a', 'x'), send('b', [[1]]), send('c', [[1]])],
    expect: {
      a: { outcome: 'error' },
      b: { outcome: 'answer' },
      c: { outcome: 'error', code: 'internal' },
      d: { outcome: 'any' },
    },
  });
  assert.equal(problems, [
    'a: it was answered; an error was expected',
    'b: invalidArgument: no tokens',
    'c: invalidArgument: no tokens; internal was expected',
    'd: it is never sent',
  ]);
});

test('steps about requests that were not sent are told', async () => {
  const problems = await run({
    steps: [{ cancel: 'x' }, { await: 'y' }, send('a', 'x'), send('a', 'x')],
    expect: { a: { outcome: 'any', same_as: 'nobody' } },
  });
  assert.equal(problems, [
    '{"cancel":"x"} before it is sent',
    '{"await":"y"} before it is sent',
    "'a' is sent twice",
    "a: 'nobody' has no answer",
  ]);
});

test.run();
