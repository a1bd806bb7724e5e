/** Random schemas of the subset that the server keeps; each has a text. */
import type { Chooser } from './json-texts.js';

export function makeSchema(choose: Chooser): object {
  const inner = make(choose, 3);
  return {
    $defs: {
      chain: {
        anyOf: [
          { type: 'null' },
          {
            type: 'object',
            properties: { value: make(choose, 1), next: { $ref: '#/$defs/chain' } },
            required: ['next'],
            additionalProperties: false,
          },
        ],
      },
    },
    ...inner,
  };
}

const names = ['a', 'ab', 'b', 'naïve', 'a"b', '', '1', 'long name', '__proto__', '本'];
const scalars = [null, true, false, 0, -1, 2.5, 1e21, '', 'x', 'é"\\\n', '𝄞', 'ab', [1, 'a'], {}];

function make(choose: Chooser, depth: number): object {
  const kinds = [
    () => ({ type: 'null' }),
    () => ({ type: 'boolean', description: 'yes or no' }),
    () => makeInteger(choose),
    () => makeNumber(choose),
    () => ({
      type: 'string',
      ...makeCounts(choose, 'minLength', 'maxLength', choose.of([4, 4, 30])),
    }),
    () => ({ enum: some(choose, scalars, 1) }),
    () => ({ const: choose.of(scalars) }),
    () => ({ type: ['string', 'null', 'integer'] }),
    ...(depth <= 0 ? [] : deep(choose, depth - 1)),
  ];
  return choose.of(kinds)();
}

function deep(choose: Chooser, depth: number): (() => object)[] {
  const one = (): object => make(choose, depth);
  const object = (): object => makeObject(choose, depth);
  return [
    object,
    object,
    () => makeArray(choose, depth),
    () => ({ anyOf: [one(), one(), object()] }),
    () => ({ oneOf: [{ type: 'null' }, { type: 'boolean' }, object()] }),
    () => ({ allOf: [one()] }),
    () => ({ $ref: '#/$defs/chain' }),
    () => ({ type: 'object' }),
    () => ({ type: 'array', items: one() }),
    () => ({}),
  ];
}

function makeObject(choose: Chooser, depth: number): object {
  const own = some(choose, names, 0);
  const others = choose.of([undefined, false, true, make(choose, depth)]);
  return {
    type: 'object',
    properties: Object.fromEntries(own.map((name) => [name, make(choose, depth)])),
    ...(choose.chance(3) ? {} : { required: own.filter(() => choose.chance(2)) }),
    ...(others === undefined ? {} : { additionalProperties: others }),
  };
}

function makeArray(choose: Chooser, depth: number): object {
  const places = Array.from({ length: choose.below(3) }, () => make(choose, depth));
  return {
    type: 'array',
    ...(places.length === 0 ? {} : { prefixItems: places }),
    ...(choose.chance(3) ? {} : { items: make(choose, depth) }),
    ...makeCounts(choose, 'minItems', 'maxItems', 3),
  };
}

function makeCounts(choose: Chooser, least: string, most: string, limit: number): object {
  const min = choose.below(limit);
  return {
    ...(choose.chance(2) ? { [least]: min } : {}),
    ...(choose.chance(2) ? { [most]: min + choose.below(limit) } : {}),
  };
}

const ends = [-1234, -100, -17, -1, 0, 1, 9, 10, 99, 1000, 4711, 123_456];

function makeInteger(choose: Chooser): object {
  const [low, high] = [choose.of(ends), choose.of(ends)].sort((left, right) => left - right);
  return {
    type: 'integer',
    ...(choose.chance(2) ? { minimum: low! - choose.of([0, 0.5]) } : {}),
    ...(choose.chance(3) ? { exclusiveMaximum: high! + choose.of([1, 0.5]) } : {}),
  };
}

function makeNumber(choose: Chooser): object {
  const [low, high] = [choose.of(ends), choose.of(ends)].sort((left, right) => left - right);
  return {
    type: 'number',
    ...(choose.chance(2) ? { [choose.of(['minimum', 'exclusiveMinimum'])]: low! } : {}),
    ...(choose.chance(2) ? { [choose.of(['maximum', 'exclusiveMaximum'])]: high! + 1 } : {}),
  };
}

/** A selection that keeps the order. */
function some<T>(choose: Chooser, all: readonly T[], least: number): readonly T[] {
  const kept = all.filter(() => choose.chance(4));
  return kept.length < least ? all.slice(0, least) : kept;
}
