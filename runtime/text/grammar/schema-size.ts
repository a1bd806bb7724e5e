/** Bounds of a schema as a value, before anything looks into it. */
import { StatusError } from '../../base/errors.js';

const valuesMax = 10_000;
const depthMax = 64;
const charactersMax = 131_072;

/** Everything of the schema counts, also what constrains nothing. */
export function checkSize(schema: unknown, param: string): void {
  const open = [{ value: schema, depth: 1 }];
  let values = 0;
  let characters = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { value, depth } = at;
    values += 1;
    if (depth > depthMax) throw tooLarge(param, `nests deeper than ${depthMax} levels`);
    if (typeof value === 'string') characters += value.length;
    if (typeof value === 'number' && !Number.isFinite(value)) throw notFinite(param);
    if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        characters += Array.isArray(value) ? 0 : key.length;
        open.push({ value: part, depth: depth + 1 });
      }
    }
    if (values + open.length > valuesMax)
      throw tooLarge(param, `has more than ${valuesMax} values`);
    if (characters > charactersMax)
      throw tooLarge(param, `has more than ${charactersMax} characters`);
  }
}

function tooLarge(param: string, what: string): StatusError {
  return new StatusError(
    'invalidArgument',
    `the schema ${what}; share parts by $ref, or leave some out`,
    { param },
  );
}

function notFinite(param: string): StatusError {
  return new StatusError('invalidArgument', 'the schema has a number that is too large', {
    param,
  });
}
