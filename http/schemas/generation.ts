/**
 * What every request that generates text may say of how: length, ends, sampling, form. OpenAI's
 * fields with its bounds, and four of our own (`top_k`, `min_p`, `repetition_penalty`; token ids as
 * prompts). What is absent or null is left to the package.
 */
import type { z } from '@hono/zod-openapi';
import type { JsonGrammar, SamplingOptions } from '../../runtime/profiles/text.js';
import { typeName } from './check.js';
import {
  flagField,
  freeField,
  ignoredField,
  numberField,
  readObject,
  readText,
  wholeField,
  wrong,
} from './field.js';

export const STOPS_MAX = 4;
export const CHOICES_MAX = 128;
export const TOP_LOGPROBS_MAX = 20;
const biasMax = 100;

const stopForms = {
  oneOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: STOPS_MAX },
    { type: 'null' },
  ],
  description: `Texts that end the answer, at most ${STOPS_MAX}; they are not part of it.`,
};

const biasForms = {
  type: ['object', 'null'],
  additionalProperties: { type: 'number', minimum: -biasMax, maximum: biasMax },
  description: 'By token id: added to the logit before sampling.',
};

const formatForms = {
  oneOf: [
    { type: 'object', properties: { type: { enum: ['text', 'json_object'] } }, required: ['type'] },
    {
      type: 'object',
      properties: {
        type: { const: 'json_schema' },
        json_schema: {
          type: 'object',
          properties: { name: { type: 'string' }, schema: { type: 'object' } },
          required: ['schema'],
        },
      },
      required: ['type', 'json_schema'],
    },
    { type: 'null' },
  ],
  description: 'Constrains the answer; a schema is held to whether `strict` is set or not.',
};

const streamForms = {
  type: ['object', 'null'],
  properties: { include_usage: { type: 'boolean' } },
  description: 'include_usage: one more event before [DONE], with usage and no choices.',
};

/** Spread into the schema of a request. */
export const generationFields = {
  max_tokens: wholeField({ min: 0, max: 2 ** 31 - 1, about: 'Most tokens of an answer.' }),
  stop: freeField(stopForms),
  temperature: numberField({ min: 0, max: 2, about: '0: the likeliest token, always.' }),
  top_p: numberField({ min: 0, max: 1, about: 'Likeliest tokens that add up to this.' }),
  top_k: wholeField({ min: -1, max: 2 ** 31 - 1, about: 'Likeliest tokens; 0 or -1: all.' }),
  min_p: numberField({ min: 0, max: 1, about: 'Least share of the likeliest probability.' }),
  presence_penalty: numberField({ min: -2, max: 2, about: 'For tokens that occurred.' }),
  frequency_penalty: numberField({ min: -2, max: 2, about: 'For each time that they did.' }),
  repetition_penalty: numberField({ min: 0.01, max: 100, about: 'Divides their logits.' }),
  seed: wholeField({
    min: Number.MIN_SAFE_INTEGER,
    max: Number.MAX_SAFE_INTEGER,
    about: 'Same seed, same answer; choice i draws with seed + i.',
  }),
  logit_bias: freeField(biasForms),
  response_format: freeField(formatForms),
  stream: flagField('Answers as server-sent events.'),
  stream_options: freeField(streamForms),
  user: ignoredField('string'),
  metadata: ignoredField('object'),
};

/** The fields above, checked as far as their schemas go. */
export type GenerationFields = {
  readonly [K in keyof typeof generationFields]?: z.infer<(typeof generationFields)[K]>;
};

/** How each choice of a request is to be generated. */
export interface Generation {
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  readonly sampling: SamplingOptions;
  readonly grammar: JsonGrammar | null;
  readonly isStream: boolean;
  readonly hasUsage: boolean;
}

/** `topLogprobs` null: none are wanted. */
export function readGeneration(body: GenerationFields, topLogprobs: number | null): Generation {
  const isStream = body.stream ?? false;
  return {
    maxTokens: body.max_tokens ?? null,
    stop: readStop(body.stop),
    sampling: readSampling(body, topLogprobs),
    grammar: readGrammar(body.response_format),
    isStream,
    hasUsage: readStreamOptions(body.stream_options, isStream),
  };
}

function readStop(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const isOne = typeof value === 'string';
  if (!isOne && !Array.isArray(value)) {
    throw wrong('stop', `must be a string or an array of strings, not ${typeName(value)}`);
  }
  const stops = isOne ? [value] : (value as readonly unknown[]);
  if (stops.length > STOPS_MAX) {
    throw wrong('stop', `has ${stops.length} texts, at most ${STOPS_MAX} are taken`);
  }
  return stops.map((stop, index) => {
    const param = isOne ? 'stop' : `stop[${index}]`;
    const text = readText(stop, param);
    if (text === '') throw wrong(param, 'must not be empty');
    return text;
  });
}

function readSampling(body: GenerationFields, topLogprobs: number | null): SamplingOptions {
  const bias = readBias(body.logit_bias);
  const topK = body.top_k ?? undefined;
  const all: SamplingOptions = {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: topK === -1 ? 0 : topK,
    minP: body.min_p ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    repetitionPenalty: body.repetition_penalty ?? undefined,
    seed: body.seed ?? undefined,
    topLogprobs: topLogprobs ?? undefined,
    logitBias: bias.length === 0 ? undefined : bias,
  };
  // What is not said is absent, and not there without a value.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function readBias(value: unknown): (readonly [number, number])[] {
  if (value === undefined || value === null) return [];
  return Object.entries(readObject(value, 'logit_bias')).map(([key, bias]) => {
    const param = `logit_bias.${key}`;
    if (!/^\d{1,10}$/.test(key) || Number(key) >= 2 ** 31) {
      throw wrong(param, 'is no token id; keys must be whole numbers');
    }
    if (typeof bias !== 'number' || Math.abs(bias) > biasMax) {
      const shown = typeof bias === 'number' ? String(bias) : typeName(bias);
      throw wrong(param, `must be a number from -${biasMax} to ${biasMax}, not ${shown}`);
    }
    return [Number(key), bias];
  });
}

function readGrammar(value: unknown): JsonGrammar | null {
  if (value === undefined || value === null) return null;
  const param = 'response_format';
  const format = readObject(value, param);
  if (format['type'] === 'text') return null;
  if (format['type'] === 'json_object') return { kind: 'json' };
  if (format['type'] === 'json_schema') {
    const described = readObject(format['json_schema'], `${param}.json_schema`);
    const schema = readObject(described['schema'], `${param}.json_schema.schema`);
    return { kind: 'schema', schema };
  }
  throw wrong(`${param}.type`, 'must be "text", "json_object" or "json_schema"');
}

function readStreamOptions(value: unknown, isStream: boolean): boolean {
  const param = 'stream_options';
  if (value === undefined || value === null) return false;
  const wanted = readObject(value, param)['include_usage'] ?? false;
  if (!isStream) throw wrong(param, 'is for streams; set stream to true');
  if (typeof wanted === 'boolean') return wanted;
  throw wrong(`${param}.include_usage`, `must be true or false, not ${typeName(wanted)}`);
}
