/**
 * `POST /v1/decisions`: structured questions, answered by a distribution over their answers. Each
 * question is a member of its own, so questions of one call and of others share cohorts.
 */
import { answersOf } from '../../runtime/profiles/decisions.js';
import type { Question } from '../../runtime/profiles/decisions.js';
import type { LoomApp } from '../context.js';
import { answerFinite, type FiniteReading, type FiniteRoute } from '../finite-call.js';
import { requestHeaders } from '../request-deadline.js';
import { checkBody } from '../schemas/check.js';
import { decisionsAnswer, decisionsRequest, readQuestions } from '../schemas/decisions.js';
import type { Services } from '../services.js';
import { describe } from './describe.js';

const path = '/v1/decisions';

export const decisions: FiniteRoute = { path, read };

export function decisionsRoutes(app: LoomApp, services: Services): void {
  describe(app, {
    method: 'post',
    path,
    tag: 'inference',
    summary: 'Decides questions: a choice of labels, yes or no, a score on a scale.',
    body: decisionsRequest,
    headers: requestHeaders,
    answers: { 200: { text: 'One distribution a question, in order.', schema: decisionsAnswer } },
    errors: [400, 404, 408, 413, 415, 429, 503, 504],
  });
  app.post(path, (c) => answerFinite(c, services, decisions));
}

function read(value: unknown): FiniteReading {
  const { model, questions: given, context } = checkBody(decisionsRequest, value);
  const questions = readQuestions(given, context);
  return {
    model,
    body: { profile: 'decisions', questions },
    encode: (result) =>
      JSON.stringify({
        object: 'list',
        data: questions.map((question, index) => decisionOf(question, index, result.rows[index]!)),
        model: result.model,
        usage: { prompt_tokens: result.units, total_tokens: result.units },
      }),
  };
}

function decisionOf(question: Question, index: number, row: Float32Array) {
  const answers = answersOf(question).map((label, at) => ({ label, probability: row[at]! }));
  // The first of several that are equal.
  const best = answers.reduce((left, right) =>
    right.probability > left.probability ? right : left,
  );
  const decision = { object: 'decision', index, kind: question.kind, answers, best };
  return question.kind === 'score' ? { ...decision, mean: meanOf(question.min, row) } : decision;
}

/** The scale's values weighed by their probabilities. */
function meanOf(min: number, row: Float32Array): number {
  return row.reduce((sum, probability, at) => sum + (min + at) * probability, 0);
}
