/**
 * The request and answer of `POST /v1/decisions`, for checking and for /openapi.json. What a
 * question must hold depends on its kind; runtime/profiles/question-body.ts reads one and names the
 * field at fault.
 */
import { z } from '@hono/zod-openapi';
import { StatusError } from '../../runtime/base/errors.js';
import type { Question } from '../../runtime/profiles/decisions.js';
import { ANSWERS_MAX, readContext, readQuestion } from '../../runtime/profiles/question-body.js';
import { typeName } from './check.js';

const asked = {
  text: { type: 'string', minLength: 1, description: 'The question.' },
  context: {
    type: 'string',
    description: 'What it is about. Default: the context of the request.',
  },
} as const;

const label = { type: 'string', minLength: 1 } as const;
const scaleEnd = { type: 'integer' } as const;

const questionForms = {
  oneOf: [
    {
      type: 'object',
      description: 'A choice of one of the labels, which must differ.',
      properties: {
        kind: { const: 'choice' },
        ...asked,
        labels: { type: 'array', items: label, minItems: 1, maxItems: ANSWERS_MAX },
      },
      required: ['kind', 'text', 'labels'],
    },
    {
      type: 'object',
      description: 'The answers are `yes` and `no`.',
      properties: { kind: { const: 'yes_no' }, ...asked },
      required: ['kind', 'text'],
    },
    {
      type: 'object',
      description: `The answers are the whole numbers from min to max, at most ${ANSWERS_MAX}.`,
      properties: { kind: { const: 'score' }, ...asked, min: scaleEnd, max: scaleEnd },
      required: ['kind', 'text', 'min', 'max'],
    },
  ],
} as const;

const questionsForms = {
  oneOf: [...questionForms.oneOf, { type: 'array', items: questionForms, minItems: 1 }],
  description: 'One question, or several that are answered each by itself.',
};

export const decisionsRequest = z
  .object({
    model: z
      .string({ error: (issue) => `must be a string, not ${typeName(issue.input)}` })
      .min(1, 'must not be empty')
      .openapi({ description: 'The id of a deployment: see GET /v1/models.' }),
    questions: z
      .unknown()
      .optional()
      .openapi(questionsForms as never),
    context: z
      .unknown()
      .optional()
      .openapi({ type: 'string', description: 'For every question that has none of its own.' }),
    user: z.unknown().optional().openapi({ type: 'string', description: 'Ignored.' }),
  })
  .openapi('DecisionsRequest', { required: ['model', 'questions'] });

const answer = z.object({ label: z.string(), probability: z.number() });

export const decisionsAnswer = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('decision'),
        index: z.number().int(),
        kind: z.enum(['choice', 'yes_no', 'score']),
        answers: z
          .array(answer)
          .openapi({ description: 'In the order asked; probabilities add up to 1 within 1e-6.' }),
        best: answer.openapi({ description: 'The first of the most probable answers.' }),
        mean: z
          .number()
          .optional()
          .openapi({ description: 'Of a score: its values weighed by their probabilities.' }),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.number().int(), total_tokens: z.number().int() }),
  })
  .openapi('DecisionsAnswer');

/** One question or an array of them; `shared` is the context of those without one. */
export function readQuestions(value: unknown, shared: unknown): Question[] {
  const context = readContext(shared, 'context') ?? '';
  if (!Array.isArray(value)) return [readQuestion(value, 'questions', context)];
  if (value.length === 0) throw wrong('must not be empty');
  return value.map((one, index) => readQuestion(one, `questions[${index}]`, context));
}

function wrong(message: string): StatusError {
  return new StatusError('invalidArgument', `questions: ${message}`, { param: 'questions' });
}
