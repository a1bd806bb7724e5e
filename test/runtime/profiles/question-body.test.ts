import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { ANSWERS_MAX, readQuestion } from '../../../runtime/profiles/question-body.js';

const text = 'Which?';

test('each kind takes its own fields, and the shared context where it has none', () => {
  const read = (value: unknown) => readQuestion(value, 'q', 'shared');
  assert.equal(read({ kind: 'choice', text, labels: ['a', 'b'] }), {
    kind: 'choice',
    text,
    context: 'shared',
    labels: ['a', 'b'],
  });
  assert.equal(read({ kind: 'yes_no', text, context: 'own' }), {
    kind: 'yes_no',
    text,
    context: 'own',
  });
  assert.is(read({ kind: 'yes_no', text, context: '' }).context, '');
  assert.equal(read({ kind: 'score', text, min: -3, max: 1020, future: 1 }), {
    kind: 'score',
    text,
    context: 'shared',
    min: -3,
    max: 1020,
  });
});

const many = Array.from({ length: ANSWERS_MAX + 1 }, (_, index) => `label ${index}`);
const wrong: readonly [unknown, string, RegExp][] = [
  ['Which?', 'q', /must be an object, not "Which\?"/],
  [[], 'q', /must be an object, not an array/],
  [{ text }, 'q.kind', /"choice", "yes_no" or "score", not missing/],
  [{ kind: 'rank', text }, 'q.kind', /not "rank"/],
  [{ kind: 'yes_no' }, 'q.text', /must be a string, not missing/],
  [{ kind: 'yes_no', text: '' }, 'q.text', /must not be empty/],
  [{ kind: 'yes_no', text: '\ud800' }, 'q.text', /lone surrogate/],
  [{ kind: 'yes_no', text, context: 7 }, 'q.context', /not a number/],
  [{ kind: 'yes_no', text, labels: ['a'] }, 'q.labels', /is for questions of the kind "choice"/],
  [{ kind: 'choice', text }, 'q.labels', /an array of strings, not missing/],
  [{ kind: 'choice', text, labels: [] }, 'q.labels', /a choice needs labels/],
  [{ kind: 'choice', text, labels: ['a', 1] }, 'q.labels[1]', /not a number/],
  [{ kind: 'choice', text, labels: ['a', ''] }, 'q.labels[1]', /must not be empty/],
  [{ kind: 'choice', text, labels: ['a', 'b', 'a'] }, 'q.labels[2]', /"a" is label 0 already/],
  [{ kind: 'choice', text, labels: many }, 'q.labels', /makes 1025 answers; .* at most 1024/],
  [{ kind: 'score', text, max: 2 }, 'q.min', /a whole number, not missing/],
  [{ kind: 'score', text, min: 1.5, max: 2 }, 'q.min', /a whole number, not 1\.5/],
  [{ kind: 'score', text, min: 2, max: 2 }, 'q.max', /is 2; it must be above min, which is 2/],
  [{ kind: 'score', text, min: 3, max: -3 }, 'q.max', /is -3; it must be above min/],
  [{ kind: 'score', text, min: 0, max: 1024 }, 'q.max', /makes 1025 answers/],
];

test('what is wrong is told with its field', () => {
  for (const [value, param, message] of wrong) {
    try {
      readQuestion(value, 'q', '');
    } catch (error) {
      const status = toStatus(error);
      assert.is(status.code, 'invalidArgument');
      assert.is(status.param, param);
      assert.match(status.message, message);
      continue;
    }
    assert.unreachable(`${JSON.stringify(value)} is taken`);
  }
});

test.run();
