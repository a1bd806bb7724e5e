/** Arrays: items of fixed places first, then as many more as the schema takes. */
import { END } from './grammar-program.js';
import { below, counts, has, list, refused } from './schema-keywords.js';
import type { Schema } from './schema-keywords.js';
import type { SchemaRules } from './schema-rules.js';

const placesMax = 512;

export function arrayRule(rules: SchemaRules, schema: Schema): number {
  const { builder } = rules;
  const { min, max } = counts(schema, 'minItems', 'maxItems');
  checkUnique(schema);
  const { path, keywords } = schema;
  if (Array.isArray(keywords['items'])) {
    throw refused(schema, 'items', 'a list of schemas is written as prefixItems');
  }
  const items = rules.rule(has(schema, 'items') ? keywords['items'] : true, below(path, 'items'));
  const fixed = list(schema, 'prefixItems');
  if (fixed.length > placesMax) {
    throw refused(schema, 'prefixItems', `has ${fixed.length} places; ${placesMax} are possible`);
  }
  const places = fixed.map((place, index) => rules.rule(place, below(path, 'prefixItems', index)));
  // The first item has no comma before it, so it is a place of its own.
  if (places.length === 0) places.push(items);
  const close = builder.text(']', END);
  const more = builder.text(',', builder.space(items));
  let next = builder.space(close);
  if (max > places.length) {
    next = builder.repeat({
      entry: more,
      min: Math.max(0, min - places.length),
      max: max - places.length,
      next,
    });
  }
  for (let index = places.length - 1; index >= 0; index -= 1) {
    const item = builder.call(places[index]!, next);
    const ways: number[] = [];
    if (max > index) ways.push(index === 0 ? item : builder.text(',', builder.space(item)));
    if (min <= index) ways.push(index === 0 ? close : builder.space(close));
    next = builder.split(ways);
  }
  return builder.text('[', builder.space(next));
}

function checkUnique(schema: Schema): void {
  if (!has(schema, 'uniqueItems') || schema.keywords['uniqueItems'] === false) return;
  throw refused(schema, 'uniqueItems', 'is kept as false only');
}
