/**
 * A schema as rules of a program: each schema in it is one rule, made once, however often it is
 * referred to. Schemas wait in a list until their turn comes, so nothing recurses with the depth of
 * a schema or the length of its references.
 */
import { arrayRule } from './array-rule.js';
import { END } from './grammar-program.js';
import type { JsonText } from './json-text.js';
import { literals } from './literal-tree.js';
import { NumberBounds } from './number-bounds.js';
import { objectRule } from './object-rule.js';
import type { ProgramBuilder } from './program-builder.js';
import { below, counts, formOf, isRecord, kindsOf, list, refused } from './schema-keywords.js';
import { formatRule } from './string-formats.js';
import type { Form, JsonKind, Schema } from './schema-keywords.js';
import { jsonKinds } from './schema-keywords.js';

interface Waiting {
  readonly schema: Schema;
  readonly reserved: number;
}

export class SchemaRules {
  readonly builder: ProgramBuilder;
  readonly text: JsonText;
  readonly #numbers: NumberBounds;
  readonly #root: unknown;
  readonly #place: string;
  readonly #known = new Map<unknown, number>();
  readonly #waiting: Waiting[] = [];

  /** `place`: where the root stands in its request. */
  constructor(text: JsonText, root: unknown, place: string) {
    this.builder = text.builder;
    this.text = text;
    this.#numbers = new NumberBounds(this.builder, text);
    this.#root = root;
    this.#place = place;
  }

  /** The rule of the whole schema, with everything that it refers to. */
  compile(): number {
    const start = this.rule(this.#root, this.#place);
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.builder.settle(next.reserved, this.#bodyOf(next.schema));
    }
    return start;
  }

  /** The rule of a schema within the root; `path` is for errors. */
  rule(schema: unknown, path: string): number {
    if (schema === true) return this.text.value;
    if (schema === false) return this.builder.nothing;
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (!isRecord(schema)) throw refused({ path }, '', 'must be an object, true or false');
    const reserved = this.builder.reserve();
    this.#known.set(schema, reserved);
    const isRoot = schema === this.#root;
    this.#waiting.push({ schema: { keywords: schema, path, isRoot }, reserved });
    return reserved;
  }

  #bodyOf(schema: Schema): number {
    const form = formOf(schema);
    if (form !== null) return this.#formOf(schema, form);
    const kinds = kindsOf(schema);
    if (kinds === null) return this.text.value;
    // Whole numbers are numbers.
    const wanted = jsonKinds.filter(
      (kind) => kinds.has(kind) && !(kind === 'integer' && kinds.has('number')),
    );
    return this.builder.split(wanted.map((kind) => this.#kind(schema, kind)));
  }

  #kind(schema: Schema, kind: JsonKind): number {
    const { builder, text } = this;
    switch (kind) {
      case 'null':
        return builder.text('null', END);
      case 'boolean':
        return builder.split([builder.text('true', END), builder.text('false', END)]);
      case 'integer':
        return this.#numbers.integer(schema, END);
      case 'number':
        return this.#numbers.number(schema, END);
      case 'string':
        return (
          formatRule(builder, schema) ?? text.string(counts(schema, 'minLength', 'maxLength'), END)
        );
      case 'array':
        return arrayRule(this, schema);
      case 'object':
        return objectRule(this, schema);
    }
  }

  #formOf(schema: Schema, form: Form): number {
    const { keywords, path } = schema;
    if (form === '$ref') return this.#reference(schema);
    if (form === 'const') return this.#values(schema, [keywords['const']]);
    const parts = list(schema, form);
    if (parts.length === 0) throw refused(schema, form, 'must not be empty');
    if (form === 'enum') return this.#values(schema, parts);
    if (form === 'allOf' && parts.length > 1) {
      throw refused(schema, form, `has ${parts.length} schemas; one is possible`);
    }
    const rules = parts.map((part, index) => this.rule(part, below(path, form, index)));
    return this.builder.split([...new Set(rules)]);
  }

  /** Values as JSON.stringify writes them; those that `type` excludes are left out. */
  #values(schema: Schema, values: readonly unknown[]): number {
    const kinds = Object.hasOwn(schema.keywords, 'type') ? kindsOf(schema) : null;
    const fitting = values.filter((value) => kinds === null || isOneOf(value, kinds));
    return literals(
      this.builder,
      fitting.map((value) => ({ text: JSON.stringify(value), next: END })),
    );
  }

  #reference(schema: Schema): number {
    const { $ref: target } = schema.keywords;
    if (typeof target !== 'string' || !/^#(\/|$)/.test(target)) {
      throw refused(schema, '$ref', 'must lead to a place in this schema, as in #/$defs/name');
    }
    let found: unknown = this.#root;
    const parts = target.split('/').slice(1).map(decodePart);
    for (const part of parts) {
      const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, part);
      if (!isThere) throw refused(schema, '$ref', `'${target}' leads nowhere`);
      found = (found as Readonly<Record<string, unknown>>)[part];
    }
    return this.rule(found, below(this.#place, ...parts));
  }
}

/** A part of a JSON pointer in a URI; one that is no URI stays as it is. */
function decodePart(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // A stray percent sign.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isOneOf(value: unknown, kinds: ReadonlySet<JsonKind>): boolean {
  if (value === null) return kinds.has('null');
  if (Array.isArray(value)) return kinds.has('array');
  if (typeof value === 'number' && Number.isInteger(value) && kinds.has('integer')) return true;
  return kinds.has(typeof value as JsonKind);
}
