/**
 * The request and answer of `POST /v1/embeddings`, for checking and for /openapi.json. `input` has
 * four forms that a union would report badly, so `readInputs` tells them apart by the first element
 * and names the element at fault. Fields that OpenAI knows and this server has no use for are let
 * through and ignored.
 */
import { z } from '@hono/zod-openapi';
import { StatusError } from '../../runtime/base/errors.js';
import type { EmbeddingInput } from '../../runtime/profiles/embeddings.js';
import { typeName } from './check.js';

const inputForms = {
  oneOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 },
    {
      type: 'array',
      items: { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 },
      minItems: 1,
    },
  ],
  description: 'A text, texts, one list of token ids, or lists of token ids.',
} as const;

export const embeddingsRequest = z
  .object({
    model: z
      .string({ error: (issue) => `must be a string, not ${typeName(issue.input)}` })
      .min(1, 'must not be empty')
      .openapi({ description: 'The id of a deployment: see GET /v1/models.' }),
    input: z
      .unknown()
      .optional()
      .openapi({ ...inputForms, oneOf: [...inputForms.oneOf] } as never),
    encoding_format: z
      .enum(['float', 'base64'], { error: 'must be "float" or "base64"' })
      .optional()
      .openapi({ description: 'base64 holds little-endian 32-bit floats. Default: float.' }),
    dimensions: z
      .number({ error: (issue) => `must be a number, not ${typeName(issue.input)}` })
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(2 ** 31 - 1, 'is too large')
      .optional()
      .openapi({ description: 'Passed to the package; one that does not support it answers 400.' }),
    user: z.unknown().optional().openapi({ type: 'string', description: 'Ignored.' }),
  })
  .openapi('EmbeddingsRequest', { required: ['model', 'input'] });

export const embeddingsAnswer = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.number().int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.number().int(), total_tokens: z.number().int() }),
  })
  .openapi('EmbeddingsAnswer');

/** With the `u` flag only surrogates without a partner match. */
const loneSurrogate = /\p{Surrogate}/u;

/** The four forms of `input` as a list of inputs; how many there are was checked before. */
export function readInputs(input: unknown): EmbeddingInput[] {
  if (typeof input === 'string') return [textInput(input, 'input')];
  if (!Array.isArray(input)) {
    throw wrong('input', `must be a string or an array, not ${typeName(input)}`);
  }
  const elements = input as readonly unknown[];
  if (elements.length === 0) throw wrong('input', 'must not be empty');
  if (typeof elements[0] === 'number') return [tokensInput(elements, 'input')];
  const isText = typeof elements[0] === 'string';
  return elements.map((element, index) => {
    const param = `input[${index}]`;
    if (isText) return textInput(element, param);
    if (Array.isArray(element)) return tokensInput(element, param);
    throw wrong(
      param,
      `must be ${index === 0 ? 'a string, a number or an array' : 'an array of token ids like the first element'}, not ${typeName(element)}`,
    );
  });
}

function textInput(value: unknown, param: string): EmbeddingInput {
  if (typeof value !== 'string') {
    throw wrong(param, `must be a string like the first element, not ${typeName(value)}`);
  }
  if (value.length === 0) throw wrong(param, 'must not be empty');
  if (loneSurrogate.test(value)) {
    throw wrong(param, 'holds a lone surrogate (\\ud800 to \\udfff), which is no character');
  }
  return { kind: 'text', text: value };
}

function tokensInput(values: readonly unknown[], param: string): EmbeddingInput {
  if (values.length === 0) throw wrong(param, 'must not be empty');
  for (const [index, token] of values.entries()) {
    if (typeof token === 'number' && Number.isInteger(token) && token >= 0 && token < 2 ** 31) {
      continue;
    }
    const shown = typeof token === 'number' ? String(token) : typeName(token);
    throw wrong(`${param}[${index}]`, `must be a token id (a whole number from 0), not ${shown}`);
  }
  return { kind: 'tokens', tokens: values as readonly number[] };
}

function wrong(param: string, message: string): StatusError {
  return new StatusError('invalidArgument', `${param}: ${message}`, { param });
}
