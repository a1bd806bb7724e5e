/**
 * Checks a parsed body against a zod schema. The first issue becomes the error, with its path as
 * `param` (`input[3]`, `model`), in the words of a person who wrote the request.
 */
import type { z } from '@hono/zod-openapi';
import { StatusError } from '../../runtime/base/errors.js';

export function checkBody<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StatusError(
      'invalidArgument',
      `the body must be a JSON object, not ${typeName(value)}`,
    );
  }
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const issue = outcome.error.issues[0];
  const param = pathText(issue?.path ?? []);
  const message = issue?.message ?? 'the body does not fit the schema';
  throw new StatusError('invalidArgument', param === '' ? message : `${param}: ${message}`, {
    ...(param === '' ? {} : { param }),
  });
}

/** `['input', 3, 'x']` as `input[3].x`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The JSON word for a value's type. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (value === undefined) return 'missing';
  return `a ${typeof value}`;
}
