/** The request and the answer of `POST /v1/sequences`, for checking and for /openapi.json. */
import { z } from '@hono/zod-openapi';
import type { Prompt } from '../../runtime/profiles/text.js';
import { typeName } from './check.js';
import { readInputs } from './embeddings.js';
import { freeField, modelField, tokenList, wrong } from './field.js';

const inputForms = {
  oneOf: [
    { ...tokenList, minItems: 1 },
    { type: 'array', items: { ...tokenList, minItems: 1 }, minItems: 1 },
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
  ],
  description:
    'One list of token ids, or lists of them; a text or texts where the package has a tokenizer.',
};

export const formatField = z
  .enum(['float', 'base64'], { error: 'must be "float" or "base64"' })
  .nullish()
  .openapi({
    description: 'base64 holds the bytes of the output as they are. Default: float, 32-bit.',
  });

export const sequencesRequest = z
  .object({
    model: modelField,
    input: freeField(inputForms),
    session: z
      .string({ error: (issue) => `must be a string, not ${typeName(issue.input)}` })
      .min(1, 'must not be empty')
      .nullish()
      .openapi({ description: 'A session: its one input is appended to what it holds.' }),
    encoding_format: formatField,
  })
  .openapi('SequencesRequest', { required: ['model', 'input'] });

export const outputAnswer = z
  .union([z.array(z.number()), z.string()])
  .openapi({ description: 'What the tokens gave, one after another, in the shape of the model.' });

export const sequencesAnswer = z
  .object({
    object: z.literal('list'),
    model: z.string(),
    data: z.array(
      z.object({
        object: z.literal('sequence'),
        index: z.number().int(),
        tokens: z.number().int().openapi({ description: 'Of this input.' }),
        output: outputAnswer,
      }),
    ),
    usage: z.object({ prompt_tokens: z.number().int(), total_tokens: z.number().int() }),
  })
  .openapi('SequencesAnswer');

export function readSequences({ input, session }: z.infer<typeof sequencesRequest>): Prompt[] {
  const prompts = readInputs(input).map((one): Prompt => {
    return one.kind === 'text' ? one : { kind: 'tokens', ids: one.tokens };
  });
  if (prompts.length === 1 || (session ?? null) === null) return prompts;
  throw wrong('input', `a session takes one at a time, not ${prompts.length}`);
}
