/**
 * Objects: declared properties in the order of their declaration, then others where the schema
 * says so. No key comes twice among the declared ones, and no other key is one of them.
 */
import { END } from './grammar-program.js';
import { otherKey } from './other-key.js';
import { below, has, list, record, refused } from './schema-keywords.js';
import type { Schema } from './schema-keywords.js';
import type { SchemaRules } from './schema-rules.js';

/** Optional ones in a row are open at once. */
const propertiesMax = 256;

interface Property {
  readonly key: string;
  readonly rule: number;
  readonly isRequired: boolean;
}

export function objectRule(rules: SchemaRules, schema: Schema): number {
  const { builder } = rules;
  const properties = propertiesOf(rules, schema);
  const others = othersOf(rules, schema);
  if (properties.length === 0 && others === rules.text.value) return rules.text.object(END);
  const close = builder.text('}', END);
  const lastRequired = properties.findLastIndex(({ isRequired }) => isRequired);
  /** Keys from a place on, and what follows when those before it are there. */
  let keys = builder.nothing;
  let more = builder.space(close);
  if (others !== null) {
    const again = builder.reserve();
    const names = properties.map(({ key }) => key);
    keys = otherKey(builder, names, rules.text.afterKey(builder.call(others, again)));
    more = builder.split([more, builder.text(',', builder.space(keys))]);
    builder.settle(again, more);
  }
  for (let index = properties.length - 1; index >= 0; index -= 1) {
    const { key, rule, isRequired } = properties[index]!;
    const value = rules.text.afterKey(builder.call(rule, more));
    const own = builder.text(JSON.stringify(key), value);
    keys = isRequired ? own : builder.split([own, keys]);
    const comma = builder.text(',', builder.space(keys));
    more = index > lastRequired ? builder.split([builder.space(close), comma]) : comma;
  }
  const first = lastRequired < 0 ? builder.split([keys, close]) : keys;
  return builder.text('{', builder.space(first));
}

function propertiesOf(rules: SchemaRules, schema: Schema): readonly Property[] {
  const { path } = schema;
  const declared = record(schema, 'properties');
  const required = new Set(list(schema, 'required'));
  const properties = Object.entries(declared).map(([key, value]) => ({
    key,
    rule: rules.rule(value, below(path, 'properties', key)),
    isRequired: required.has(key),
  }));
  const { additionalProperties: others } = schema.keywords;
  for (const key of required) {
    if (typeof key !== 'string') throw refused(schema, 'required', 'must be a list of names');
    if (Object.hasOwn(declared, key)) continue;
    if (others === false) {
      throw refused(schema, 'required', `'${key}' is neither declared nor allowed besides`);
    }
    const rule = rules.rule(others ?? true, below(path, 'additionalProperties'));
    properties.push({ key, rule, isRequired: true });
  }
  if (properties.length <= propertiesMax) return properties;
  throw refused(
    schema,
    'properties',
    `has ${properties.length} names with the required ones; ${propertiesMax} are possible`,
  );
}

/** The rule of values whose key is not declared; null: there are none. */
function othersOf(rules: SchemaRules, schema: Schema): number | null {
  const { additionalProperties: others } = schema.keywords;
  if (others === false) return null;
  if (has(schema, 'additionalProperties')) {
    return rules.rule(others, below(schema.path, 'additionalProperties'));
  }
  return has(schema, 'properties') ? null : rules.text.value;
}
