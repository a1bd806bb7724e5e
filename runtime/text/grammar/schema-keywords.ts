/**
 * The keywords of JSON Schema that are kept, and the reading of them. What is not kept is refused
 * by name and place, never passed over: a text that is called valid is valid.
 */
import { StatusError } from '../../base/errors.js';

export type JsonKind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export const jsonKinds: readonly JsonKind[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
];

/** A schema that is an object, and where it stands. */
export interface Schema {
  readonly keywords: Readonly<Record<string, unknown>>;
  /** From the request on, as errors name it. */
  readonly path: string;
  /** It is the whole that was asked for. */
  readonly isRoot: boolean;
}

/** Keywords that constrain one kind of value. */
const ofKind: Readonly<Record<string, JsonKind>> = {
  properties: 'object',
  required: 'object',
  additionalProperties: 'object',
  items: 'array',
  prefixItems: 'array',
  minItems: 'array',
  maxItems: 'array',
  uniqueItems: 'array',
  minLength: 'string',
  maxLength: 'string',
  format: 'string',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
};

/** Keywords that say what a value is without its kind. At most one of them stands in a schema. */
export const forms = ['$ref', 'const', 'enum', 'anyOf', 'oneOf', 'allOf'] as const;
export type Form = (typeof forms)[number];

/** Keywords that constrain nothing. */
const notes = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$comment',
  '$defs',
  'definitions',
]);

export function refused({ path }: Pick<Schema, 'path'>, keyword: string, why: string): StatusError {
  const param = [path, keyword].filter((part) => part !== '').join('.');
  return new StatusError('invalidArgument', `${param}: ${why}`, { param });
}

export const has = ({ keywords }: Schema, keyword: string): boolean =>
  Object.hasOwn(keywords, keyword) && keywords[keyword] !== undefined;

export const below = (path: string, ...parts: readonly (string | number)[]): string =>
  [path, ...parts].filter((part) => part !== '').join('.');

/** The one form of a schema, or null where its kinds and their keywords say what it is. */
export function formOf(schema: Schema): Form | null {
  const keywords = Object.keys(schema.keywords).filter((keyword) => has(schema, keyword));
  for (const keyword of keywords) {
    const isRootId = keyword === '$id' && schema.isRoot;
    const isForm = forms.some((form) => form === keyword);
    if (isRootId || isForm || notes.has(keyword) || keyword === 'type') continue;
    if (Object.hasOwn(ofKind, keyword)) continue;
    const known = [...forms, 'type', ...Object.keys(ofKind)].join(', ');
    throw refused(schema, keyword, `the keyword is none of those that are kept: ${known}`);
  }
  const form = forms.find((keyword) => has(schema, keyword)) ?? null;
  if (form === null) return null;
  const mayHaveType = form === 'enum' || form === 'const';
  const other = keywords.find((keyword) => {
    const isFree = notes.has(keyword) || keyword === '$id' || (keyword === 'type' && mayHaveType);
    return keyword !== form && !isFree;
  });
  if (other === undefined) return form;
  throw refused(schema, other, `does not stand beside ${form}`);
}

/** What `type` says, or else the kinds that the keywords speak of; null: any value. */
export function kindsOf(schema: Schema): ReadonlySet<JsonKind> | null {
  const { keywords } = schema;
  if (!has(schema, 'type')) {
    const spoken = Object.keys(keywords).flatMap((keyword) =>
      has(schema, keyword) && Object.hasOwn(ofKind, keyword) ? [ofKind[keyword]!] : [],
    );
    return spoken.length === 0 ? null : new Set(spoken);
  }
  const { type } = keywords;
  const kinds: readonly unknown[] = Array.isArray(type) ? type : [type];
  const known = jsonKinds.filter((kind) => kinds.includes(kind));
  if (known.length === 0 || kinds.some((kind) => !jsonKinds.includes(kind as JsonKind))) {
    throw refused(schema, 'type', `must be of ${jsonKinds.join(', ')}, or a list of them`);
  }
  return new Set(known);
}

/** A number of parts; `absent` where it is not said. */
export function count(schema: Schema, keyword: string, absent: number): number {
  if (!has(schema, keyword)) return absent;
  const value = schema.keywords[keyword];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw refused(schema, keyword, 'must be a whole number from 0');
}

export function list(schema: Schema, keyword: string): readonly unknown[] {
  if (!has(schema, keyword)) return [];
  const value = schema.keywords[keyword];
  if (Array.isArray(value)) return value;
  throw refused(schema, keyword, 'must be a list');
}

export function record(schema: Schema, keyword: string): Readonly<Record<string, unknown>> {
  if (!has(schema, keyword)) return {};
  const value = schema.keywords[keyword];
  if (isRecord(value)) return value;
  throw refused(schema, keyword, 'must be an object');
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Both ends of a range of counts. */
export function counts(
  schema: Schema,
  least: string,
  most: string,
): { readonly min: number; readonly max: number } {
  const min = count(schema, least, 0);
  const max = count(schema, most, Infinity);
  if (min > max) throw refused(schema, least, `${min} is more than the ${max} of ${most}`);
  return { min, max };
}
