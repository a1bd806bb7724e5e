/**
 * Module `options`: typed reads of JSON by a path like `head.layers.0.width`: the package's own
 * settings (`definition.options`), and its JSON files, which `prepare.asset` opens. A path that is
 * not there, or is null, gives the default; a value of another type is an error that names the
 * path, because a silent default would hide a misspelt setting's type.
 */
import { StatusError } from '../base/errors.js';
import { signatureTable } from './signature-table.js';
import type { ModuleFunctions } from './signature-table.js';

export const optionsSignatures = signatureTable('options', [
  'count(ref, string) -> i64',
  'get_bool(ref, string, bool) -> bool',
  'get_f64(ref, string, f64) -> f64',
  'get_i64(ref, string, i64) -> i64',
  'get_string(ref, string, string) -> string',
  'has(ref, string) -> bool',
  'join_path(string, string) -> string',
]);

/** The value of the server behind an `options` ref that a program is given. */
export class OptionsValue {
  readonly values: unknown;
  /** What paths are paths of, in messages. */
  readonly label: string;

  constructor(values: unknown, label = 'definition.options') {
    this.values = values;
    this.label = label;
  }
}

export function optionsFunctions(): ModuleFunctions {
  const optionsOf = (ref: unknown, path: string): OptionsValue => {
    if (ref instanceof OptionsValue) return ref;
    throw new StatusError(
      'internal',
      `options read at '${path}' of a ref that is no options object`,
    );
  };
  const at = (ref: unknown, path: string): unknown => valueAt(optionsOf(ref, path).values, path);
  const mistyped = (ref: unknown, path: string, what: string): StatusError =>
    new StatusError('invalidArgument', `${optionsOf(ref, path).label}.${path}: ${what}`);
  function typed<Value>(read: TypedRead<Value>) {
    return (ref: unknown, path: string, otherwise: Value): readonly Value[] => {
      const value = at(ref, path);
      if (value === undefined) return [otherwise];
      const result = read.accept(value);
      if (result !== undefined) return [result];
      const found = JSON.stringify(value)?.slice(0, 80);
      throw mistyped(ref, path, `expected ${read.expected}, got ${found}`);
    };
  }
  return {
    has: (ref: unknown, path: string) => [at(ref, path) !== undefined],
    count(ref: unknown, path: string) {
      const value = at(ref, path);
      if (value === undefined) return [0n];
      if (Array.isArray(value)) return [BigInt(value.length)];
      throw mistyped(ref, path, 'expected an array');
    },
    get_bool: typed({
      expected: 'true or false',
      accept: (value) => (typeof value === 'boolean' ? value : undefined),
    }),
    get_i64: typed({
      expected: 'an integer',
      accept: (value) =>
        typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined,
    }),
    get_f64: typed({
      expected: 'a number',
      accept: (value) => (typeof value === 'number' ? value : undefined),
    }),
    get_string: typed({
      expected: 'a string',
      accept: (value) => (typeof value === 'string' ? value : undefined),
    }),
    join_path: (left: string, right: string) => [left === '' ? right : `${left}.${right}`],
  };
}

interface TypedRead<Value> {
  readonly expected: string;
  /** Undefined when the JSON value is of another type. */
  readonly accept: (value: unknown) => Value | undefined;
}

function valueAt(options: unknown, path: string): unknown {
  let value = options;
  for (const part of path === '' ? [] : path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value ?? undefined;
}
