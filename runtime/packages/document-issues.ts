/**
 * Schema issues as sentences that start with the path of the field, the way an author would look
 * for it: `definition.sources[1]: expected a string, got a number`.
 */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** One line an issue; unknown fields give one line each. */
export function issueText(issue: Issue, document: unknown): string[] {
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${pathText([...issue.path, key])}: unknown field`);
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return unionText(issue, document);
  }
  return [`${path}: ${reason(issue, valueAt(document, issue.path))}`];
}

/**
 * A union is as wrong as its nearest alternative: the one with the fewest faults is what was meant.
 * Where several are as near, all of them are told in one line.
 */
function unionText(issue: Extract<Issue, { code: 'invalid_union' }>, document: unknown): string[] {
  const alternatives = issue.errors.map((faults) =>
    faults.flatMap((fault) =>
      issueText({ ...fault, path: [...issue.path, ...fault.path] }, document),
    ),
  );
  const fewest = Math.min(...alternatives.map((lines) => lines.length));
  const nearest = alternatives.filter((lines) => lines.length === fewest);
  const told = [...new Set(nearest.map((lines) => lines.join(', ')))];
  if (told.length === 1) return nearest[0] as string[];
  return [`${pathText(issue.path)}: one of these: ${told.join(' / ')}`];
}

export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text === '' ? 'the document' : text;
}

function reason(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${kinds[issue.expected] ?? issue.expected}${butGot(value)}`;
    case 'invalid_value':
      return `expected ${oneOf(issue.values)}${butGot(value, true)}`;
    case 'too_small':
      return `expected ${sizeText(issue.origin, 'at least', Number(issue.minimum))}`;
    case 'too_big':
      return `expected ${sizeText(issue.origin, 'at most', Number(issue.maximum))}`;
    default:
      return issue.message;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

function butGot(value: unknown, show = false): string {
  if (value === undefined) return ', but it is missing';
  if (value === null) return ', got null';
  if (show && (typeof value === 'string' || typeof value === 'number')) {
    return `, got ${JSON.stringify(value).slice(0, 80)}`;
  }
  if (Array.isArray(value)) return ', got an array';
  return typeof value === 'object' ? ', got an object' : `, got a ${typeof value}`;
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value));
  return shown.length === 1 ? shown[0]! : `one of ${shown.join(', ')}`;
}

function sizeText(origin: string, relation: string, limit: number): string {
  if (origin === 'string') {
    return relation === 'at least' && limit === 1
      ? 'a string that is not empty'
      : `${relation} ${limit} characters`;
  }
  if (origin === 'array' && relation === 'at least' && limit === 1) {
    return 'an array that is not empty';
  }
  return origin === 'array' ? `${relation} ${limit} items` : `${relation} ${limit}`;
}

function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  let value = document;
  for (const part of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}
