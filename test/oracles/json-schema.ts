/**
 * Whether a value is of a schema, from the words of the JSON Schema specification, for the keywords
 * that the server keeps. Knows nothing of texts or grammars.
 */
type Keywords = Readonly<Record<string, unknown>>;

export function isOfSchema(value: unknown, schema: unknown, root: unknown): boolean {
  if (typeof schema === 'boolean') return schema;
  const of = schema as Keywords;
  const all = (list: unknown): readonly unknown[] => list as readonly unknown[];
  const checks: Readonly<Record<string, (argument: never) => boolean>> = {
    $ref: (target: string) => isOfSchema(value, pointed(root, target), root),
    anyOf: (list: unknown) => all(list).some((one) => isOfSchema(value, one, root)),
    allOf: (list: unknown) => all(list).every((one) => isOfSchema(value, one, root)),
    oneOf: (list: unknown) => all(list).filter((one) => isOfSchema(value, one, root)).length === 1,
    enum: (list: unknown) => all(list).some((one) => same(one, value)),
    const: (one: unknown) => same(one, value),
    type: (type: unknown) => [type].flat().some((name) => isOfType(value, name)),
    ...stringChecks(value),
    ...numberChecks(value),
    ...arrayChecks(value, of, root),
    ...objectChecks(value, of, root),
  };
  return Object.entries(of).every(([name, argument]) => checks[name]?.(argument as never) ?? true);
}

type Checks = Readonly<Record<string, (argument: never) => boolean>>;

function stringChecks(value: unknown): Checks {
  if (typeof value !== 'string') return {};
  const { length } = Array.from(value);
  return {
    minLength: (least: number) => length >= least,
    maxLength: (most: number) => length <= most,
  };
}

function numberChecks(value: unknown): Checks {
  if (typeof value !== 'number') return {};
  return {
    minimum: (least: number) => value >= least,
    maximum: (most: number) => value <= most,
    exclusiveMinimum: (below: number) => value > below,
    exclusiveMaximum: (above: number) => value < above,
  };
}

function arrayChecks(value: unknown, of: Keywords, root: unknown): Checks {
  if (!Array.isArray(value)) return {};
  const places = (of['prefixItems'] ?? []) as readonly unknown[];
  return {
    minItems: (least: number) => value.length >= least,
    maxItems: (most: number) => value.length <= most,
    prefixItems: () =>
      value.slice(0, places.length).every((item, at) => isOfSchema(item, places[at], root)),
    items: (items: unknown) =>
      value.slice(places.length).every((item) => isOfSchema(item, items, root)),
  };
}

function objectChecks(value: unknown, of: Keywords, root: unknown): Checks {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const members = Object.entries(value);
  const declared = (of['properties'] ?? {}) as Keywords;
  return {
    required: (names: readonly string[]) => names.every((name) => Object.hasOwn(value, name)),
    properties: () =>
      members.every(
        ([name, one]) => !Object.hasOwn(declared, name) || isOfSchema(one, declared[name], root),
      ),
    additionalProperties: (others: unknown) =>
      members.every(
        ([name, one]) => Object.hasOwn(declared, name) || isOfSchema(one, others, root),
      ),
  };
}

function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

const same = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);

function pointed(root: unknown, target: string): unknown {
  return target
    .slice(1)
    .split('/')
    .slice(1)
    .reduce((place, part) => (place as Keywords)[part], root);
}
