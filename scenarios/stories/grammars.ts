/** Formats that ask too much, or what cannot be: refused by name, and others are answered. */
import { at, complete } from '../acts.js';
import { ends, same } from '../expectations.js';
import { packageOf } from '../packages.js';
import type { Scenario } from '../scenario.js';

const deep = (levels: number): object => {
  let schema: object = { type: 'string' };
  for (let i = 0; i < levels; i += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
};

/** What an attacker, or a careless client, may ask. */
const hostile: Readonly<Record<string, object>> = {
  deep: deep(300),
  'long-enum': { enum: Array.from({ length: 20_000 }, (_, i) => `value ${i}`) },
  backtracking: { type: 'string', pattern: '^(a+)+$' },
  endless: { $ref: '#' },
  'long-string': { type: 'string', minLength: 1_000_000_000 },
  'many-items': { type: 'array', minItems: 1_000_000_000, items: { type: 'integer' } },
  contradiction: { type: 'integer', minimum: 2, maximum: 1 },
  'unknown-type': { type: 'anything' },
  never: { not: {} },
};
const names = Object.keys(hostile);

export const grammars: readonly Scenario[] = [
  {
    name: 'hostile-schemas',
    about: 'Schemas that are deep, endless, huge or impossible, while plain requests are answered.',
    packages: [packageOf('tiny-text')],
    acts: [
      ...names.map((name, i) =>
        complete(
          name,
          {
            prompt: 'as the schema says',
            max_tokens: 20,
            response_format: {
              type: 'json_schema',
              json_schema: { name, strict: true, schema: hostile[name] },
            },
          },
          { when: at(4 * i) },
        ),
      ),
      ...[0, 1, 2, 3, 4].map((i) =>
        complete(`plain.${i}`, { prompt: 'plain', max_tokens: 20 }, { when: at(10 * i) }),
      ),
    ],
    expects: [
      ...names.map((name) => ends(name, [200, 400, 422])),
      same('plain.0', 'plain.1', 'plain.2', 'plain.3', 'plain.4'),
    ],
  },
];
