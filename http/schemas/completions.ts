/**
 * The request and the answer of `POST /v1/completions`, for checking and for /openapi.json, and how
 * the four forms of `prompt` are read.
 */
import { z } from '@hono/zod-openapi';
import type { Prompt } from '../../runtime/profiles/text.js';
import { typeName } from './check.js';
import {
  flagField,
  freeField,
  modelField,
  readText,
  readTokens,
  tokenList,
  wholeField,
  wrong,
} from './field.js';
import { CHOICES_MAX, generationFields, TOP_LOGPROBS_MAX } from './generation.js';
import { timingsAnswer, usageAnswer } from './usage.js';

/** OpenAI's; a client that says nothing expects it. */
export const COMPLETION_TOKENS = 16;

const promptForms = {
  oneOf: [
    { type: 'string' },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    { ...tokenList, minItems: 1 },
    { type: 'array', items: { ...tokenList, minItems: 1 }, minItems: 1 },
  ],
  description: 'A text, texts, one list of token ids, or lists of token ids.',
};

export const completionsRequest = z
  .object({
    model: modelField,
    prompt: freeField(promptForms),
    ...generationFields,
    max_tokens: wholeField({
      min: 0,
      max: 2 ** 31 - 1,
      about: `Most tokens of an answer. Default: ${COMPLETION_TOKENS}.`,
    }),
    n: wholeField({ min: 1, max: CHOICES_MAX, about: 'Answers for each prompt. Default: 1.' }),
    best_of: wholeField({ min: 1, max: CHOICES_MAX, about: 'Only as n says.' }),
    echo: flagField('Answers begin with their prompt.'),
    logprobs: wholeField({
      min: 0,
      max: TOP_LOGPROBS_MAX,
      about: 'Likeliest tokens beside each one of the answer, and of a prompt that is echoed.',
    }),
    suffix: freeField({ type: ['string', 'null'], description: 'Refused unless empty.' }),
  })
  .openapi('CompletionsRequest', { required: ['model', 'prompt'] });

export type CompletionsBody = z.infer<typeof completionsRequest>;

export const completionsAnswer = z
  .object({
    id: z.string(),
    object: z.literal('text_completion'),
    created: z.number().int(),
    model: z.string(),
    system_fingerprint: z.string(),
    choices: z.array(
      z.object({
        index: z.number().int(),
        text: z.string(),
        logprobs: z
          .object({
            tokens: z.array(z.string()),
            token_logprobs: z.array(z.number().nullable()),
            top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
            text_offset: z.array(z.number().int()),
          })
          .nullable(),
        finish_reason: z.enum(['stop', 'length']),
      }),
    ),
    usage: usageAnswer,
    timings: timingsAnswer,
  })
  .openapi('CompletionsAnswer');

/** What OpenAI's route once did and this one does not. */
export function refuseCompletion({ suffix, best_of, n }: CompletionsBody): void {
  if (suffix !== undefined && suffix !== null && suffix !== '') {
    throw wrong('suffix', 'text cannot be inserted before a suffix; leave it out');
  }
  const choices = n ?? 1;
  if (best_of !== undefined && best_of !== null && best_of !== choices) {
    throw wrong('best_of', `must be what n is (${choices}): all answers are returned`);
  }
}

/** The four forms of `prompt` as a list; how many there are was checked before. */
export function readPrompts(value: unknown): Prompt[] {
  if (!Array.isArray(value)) return [readPrompt(value, 'prompt')];
  if (value.length === 0) throw wrong('prompt', 'must not be empty');
  if (typeof value[0] === 'number') return [readPrompt(value, 'prompt')];
  const isText = typeof value[0] === 'string';
  return value.map((element: unknown, index) => {
    const param = `prompt[${index}]`;
    if (isText === (typeof element === 'string')) return readPrompt(element, param);
    throw wrong(param, `must be of the kind of the first element, not ${typeName(element)}`);
  });
}

/** One prompt: a text, or token ids. */
export function readPrompt(value: unknown, param: string): Prompt {
  if (typeof value === 'string') return { kind: 'text', text: readText(value, param) };
  if (!Array.isArray(value)) {
    throw wrong(param, `must be a string or an array of token ids, not ${typeName(value)}`);
  }
  if (value.length === 0) throw wrong(param, 'must not be empty');
  return { kind: 'tokens', ids: readTokens(value, param) };
}
