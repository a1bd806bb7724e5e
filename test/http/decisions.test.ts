import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness, type Harness } from './harness.js';

const path = '/v1/decisions';
const model = 'first-output';
const yesNo = { kind: 'yes_no', text: 'Is it?' };

function answering(...rows: number[][]): Harness {
  const made = harness();
  made.serving.distributions = rows.map((row) => Float32Array.from(row));
  return made;
}

test('each question gets its answers in the order asked, the best one, and usage', async () => {
  const { post, serving } = answering([0.25, 0.5, 0.25], [0.5, 0.5], [0.125, 0.25, 0.625]);
  const response = await post(path, {
    model,
    context: 'shared',
    questions: [
      { kind: 'choice', text: 'Which?', labels: ['c', 'a', 'b'] },
      { ...yesNo, context: 'own' },
      { kind: 'score', text: 'How?', min: -1, max: 1 },
    ],
  });
  assert.is(response.status, 200);
  const answer = (label: string, probability: number) => ({ label, probability });
  const tie = [answer('yes', 0.5), answer('no', 0.5)];
  assert.equal(await response.json(), {
    object: 'list',
    data: [
      {
        object: 'decision',
        index: 0,
        kind: 'choice',
        answers: [answer('c', 0.25), answer('a', 0.5), answer('b', 0.25)],
        best: answer('a', 0.5),
      },
      { object: 'decision', index: 1, kind: 'yes_no', answers: tie, best: tie[0] },
      {
        object: 'decision',
        index: 2,
        kind: 'score',
        answers: [answer('-1', 0.125), answer('0', 0.25), answer('1', 0.625)],
        best: answer('1', 0.625),
        mean: 0.5,
      },
    ],
    model,
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
  assert.equal(serving.calls[0]?.body, {
    profile: 'decisions',
    questions: [
      { kind: 'choice', text: 'Which?', context: 'shared', labels: ['c', 'a', 'b'] },
      { kind: 'yes_no', text: 'Is it?', context: 'own' },
      { kind: 'score', text: 'How?', context: 'shared', min: -1, max: 1 },
    ],
  });
});

test('one question needs no array', async () => {
  const { post, serving } = answering([1, 0]);
  const response = await post(path, { model, questions: yesNo });
  assert.is(response.status, 200);
  assert.equal(serving.calls[0]?.body, {
    profile: 'decisions',
    questions: [{ ...yesNo, context: '' }],
  });
});

const choice = (labels?: unknown) => ({ kind: 'choice', text: 'Which?', labels });
const wrong: readonly [string, object, string, RegExp][] = [
  ['no model', { questions: yesNo }, 'model', /must be a string, not missing/],
  ['no questions', { model }, 'questions', /must be an object, not missing/],
  ['an empty list', { model, questions: [] }, 'questions', /must not be empty/],
  ['no labels', { model, questions: [yesNo, choice()] }, 'questions[1].labels', /not missing/],
  ['empty labels', { model, questions: choice([]) }, 'questions.labels', /needs labels/],
  [
    'doubled labels',
    { model, questions: [choice(['a', 'b', 'a'])] },
    'questions[0].labels[2]',
    /"a" is label 0 already/,
  ],
  [
    'a scale without length',
    { model, questions: [{ kind: 'score', text: 'How?', min: 3, max: 3 }] },
    'questions[0].max',
    /is 3; it must be above min, which is 3/,
  ],
  ['a context that is no text', { model, questions: yesNo, context: 4 }, 'context', /a number/],
];

test('what is wrong answers 400 and names the field, and nothing is asked of the server', async () => {
  for (const [name, body, param, message] of wrong) {
    const { post, serving } = harness();
    const response = await post(path, body);
    assert.is(response.status, 400, name);
    const error = await errorOf(response);
    assert.is(error.param, param, name);
    assert.match(error.message, message, name);
    assert.is(serving.calls.length, 0, name);
  }
});

test('too many questions answer 400 with limit, number and knob', async () => {
  const { post } = harness({ limits: { batchMax: 2 } });
  const response = await post(path, { model, questions: [yesNo, yesNo, yesNo] });
  assert.is(response.status, 400);
  const error = await errorOf(response);
  assert.is(error.param, 'questions');
  assert.match(error.message, /has more than 2 elements, which is the limit; .* --max-batch N/);
});

test('a model that is not served is 404, a server that drains 503', async () => {
  const made = harness();
  const missing = await made.post(path, { model: 'nobody', questions: yesNo });
  assert.is(missing.status, 404);
  assert.is((await errorOf(missing)).code, 'model_not_found');
  made.draining = true;
  assert.is((await made.post(path, { model, questions: yesNo })).status, 503);
});

test('the request is measured and logged under its route and model', async () => {
  const { post, services, lines } = answering([1, 0]);
  await post(path, { model, questions: yesNo });
  const { text } = await services.metrics.text();
  const labels = `route="${path}",model="${model}",outcome="ok"`;
  assert.match(text, `loom_requests_total{${labels}} 1`);
  const line = lines.find(({ fields }) => 'cohortSize' in fields);
  assert.is((line!.fields as { rows: number }).rows, 1);
});

test.run();
