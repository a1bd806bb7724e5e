/**
 * Fields that requests of generated text share, as zod schemas: each says what it takes in the
 * words of an error. Clients send `null` for what they do not set, so every optional field takes
 * it.
 */
import { z } from '@hono/zod-openapi';
import { StatusError } from '../../runtime/base/errors.js';
import { typeName } from './check.js';

export interface Range {
  readonly min: number;
  readonly max: number;
  readonly about: string;
}

const wrongType = (what: string) => ({
  error: (issue: { readonly input?: unknown }) => `must be ${what}, not ${typeName(issue.input)}`,
});

export const modelField = z
  .string(wrongType('a string'))
  .min(1, 'must not be empty')
  .openapi({ description: 'The id of a deployment: see GET /v1/models.' });

export const numberField = ({ min, max, about }: Range) =>
  z
    .number(wrongType('a number'))
    .min(min, `must be from ${min} to ${max}`)
    .max(max, `must be from ${min} to ${max}`)
    .nullish()
    .openapi({ description: about });

export const wholeField = ({ min, max, about }: Range) =>
  z
    .number(wrongType('a number'))
    .int('must be a whole number')
    .min(min, `must be from ${min} to ${max}`)
    .max(max, `must be from ${min} to ${max}`)
    .nullish()
    .openapi({ description: about });

export const flagField = (about: string) =>
  z.boolean(wrongType('true or false')).nullish().openapi({ description: about });

/** Read by hand, for its forms need better words than a schema has. */
export const freeField = (shape: object) =>
  z
    .unknown()
    .optional()
    .openapi(shape as never);

export const ignoredField = (type: string) =>
  z
    .unknown()
    .optional()
    .openapi({ type: type as 'string', description: 'Ignored.' });

export function wrong(param: string, message: string): StatusError {
  return new StatusError('invalidArgument', `${param}: ${message}`, { param });
}

/** With the `u` flag only surrogates without a partner match. */
const loneSurrogate = /\p{Surrogate}/u;

/** A string that is text: it may be empty. */
export function readText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw wrong(param, `must be a string, not ${typeName(value)}`);
  if (!loneSurrogate.test(value)) return value;
  throw wrong(param, 'holds a lone surrogate (\\ud800 to \\udfff), which is no character');
}

export function readTokens(values: readonly unknown[], param: string): readonly number[] {
  for (const [index, token] of values.entries()) {
    if (typeof token === 'number' && Number.isInteger(token) && token >= 0 && token < 2 ** 31) {
      continue;
    }
    const shown = typeof token === 'number' ? String(token) : typeName(token);
    throw wrong(`${param}[${index}]`, `must be a token id (a whole number from 0), not ${shown}`);
  }
  return values as readonly number[];
}

export function readObject(value: unknown, param: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw wrong(param, `must be an object, not ${typeName(value)}`);
}

export const tokenList = {
  type: 'array',
  items: { type: 'integer', minimum: 0 },
} as const;
