/**
 * The request and the answers of `POST /v1/chat/completions`, for checking and for /openapi.json.
 * Unknown fields are ignored, as OpenAI's clients send more of them with every release; those that
 * ask for something which this server does not have are refused by name.
 */
import { z } from '@hono/zod-openapi';
import { flagField, freeField, ignoredField, modelField, wholeField, wrong } from './field.js';
import { CHOICES_MAX, generationFields, TOP_LOGPROBS_MAX } from './generation.js';
import { timingsAnswer, usageAnswer } from './usage.js';

const messageForms = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: {
      role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
      content: {
        oneOf: [
          { type: 'string' },
          {
            type: 'array',
            items: {
              type: 'object',
              properties: { type: { const: 'text' }, text: { type: 'string' } },
              required: ['type', 'text'],
            },
          },
          { type: 'null' },
        ],
        description: 'Parts are joined with line breaks; an assistant may have none.',
      },
      tool_calls: { type: 'array', items: { type: 'object' } },
      tool_call_id: { type: 'string' },
    },
    required: ['role'],
  },
};

const toolForms = {
  type: ['array', 'null'],
  items: {
    type: 'object',
    properties: {
      type: { const: 'function' },
      function: {
        type: 'object',
        properties: {
          name: { type: 'string', pattern: '^[\\w-]{1,64}$' },
          description: { type: 'string' },
          parameters: { type: 'object' },
        },
        required: ['name'],
      },
    },
    required: ['type', 'function'],
  },
  description: 'Shown to the model by the template; the package reads calls out of the answer.',
};

const choiceForms = {
  oneOf: [
    { enum: ['none', 'auto', 'required'] },
    {
      type: 'object',
      properties: {
        type: { const: 'function' },
        function: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      required: ['type', 'function'],
    },
    { type: 'null' },
  ],
  description:
    'none: tools are not shown. auto: the model decides. required, or a function: the answer is ' +
    'calls of the tools, or one of that function, held to their parameters.',
};

export const chatFields = {
  messages: freeField(messageForms),
  tools: freeField(toolForms),
  tool_choice: freeField(choiceForms),
  parallel_tool_calls: flagField('false: of several calls the first one is kept.'),
  logprobs: flagField('Says how likely each token of the answer was.'),
  top_logprobs: wholeField({
    min: 0,
    max: TOP_LOGPROBS_MAX,
    about: 'Likeliest tokens beside each; needs logprobs.',
  }),
  max_completion_tokens: wholeField({
    min: 0,
    max: 2 ** 31 - 1,
    about: 'As max_tokens, and goes before it.',
  }),
};

export const chatRequest = z
  .object({
    model: modelField,
    ...chatFields,
    ...generationFields,
    n: wholeField({ min: 1, max: CHOICES_MAX, about: 'Answers to generate. Default: 1.' }),
    store: ignoredField('boolean'),
  })
  .loose()
  .openapi('ChatRequest', { required: ['model', 'messages'] });

const refusedFields: Readonly<Record<string, string>> = {
  functions: 'is the form before tools; send tools',
  function_call: 'is the form before tools; send tool_choice',
  audio: 'answers are text only',
  web_search_options: 'there is no web search here',
};

/** Silence about these would be taken for consent. */
export function refuseFields(body: object): void {
  for (const [name, value] of Object.entries(body)) {
    const why = refusedFields[name];
    if (why !== undefined && value !== null) throw wrong(name, why);
  }
}

/** Null: none are wanted. */
export function chatLogprobs(body: {
  readonly logprobs?: boolean | null;
  readonly top_logprobs?: number | null;
}): number | null {
  const top = body.top_logprobs ?? null;
  if (body.logprobs === true) return top ?? 0;
  if (top === null) return null;
  throw wrong('top_logprobs', 'needs logprobs to be true');
}

const likelihood = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.number().int()).nullable(),
};

const logprobsAnswer = z
  .object({
    content: z.array(z.object({ ...likelihood, top_logprobs: z.array(z.object(likelihood)) })),
    refusal: z.null(),
  })
  .nullable();

const callAnswer = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

export const chatAnswer = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.number().int(),
    model: z.string(),
    system_fingerprint: z.string(),
    choices: z.array(
      z.object({
        index: z.number().int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          tool_calls: z.array(callAnswer).optional(),
        }),
        logprobs: logprobsAnswer,
        finish_reason: z.enum(['stop', 'length', 'tool_calls']),
      }),
    ),
    usage: usageAnswer,
    timings: timingsAnswer,
  })
  .openapi('ChatAnswer');
