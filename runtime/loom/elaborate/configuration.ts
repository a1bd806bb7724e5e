/**
 * What specializes a program from outside: facts of the device (`target.*`) and bindings of
 * `config.decl`s. Bindings come as values (config.loom) or as text (`prepare.config`); a key is a
 * full name, or a last segment that only one declaration has. Reads are recorded by the session.
 */
import { StatusError } from '../../base/errors.js';
import type { TargetFacts } from '../../base/target-facts.js';
import type { Catalog, Declaration } from './catalog.js';
import { nearestName } from './catalog.js';

export type ConfigValue = bigint | number | boolean;
export type ConfigType = 'bool' | 'i32' | 'i64' | 'f32';

export interface Configuration {
  readonly target: TargetFacts;
  /** By full name of the `config.decl` (see `bindConfiguration`). */
  readonly bindings: ReadonlyMap<string, ConfigValue>;
}

/** Facts to elaborate with where no device is at hand: those of the local device. */
export const defaultTarget: TargetFacts = {
  simt: false,
  lanes: 4,
  registers: 16,
  binding_bytes: 2 ** 31 - 1,
  shared_bytes: 16_384,
  views: 16,
  relaxed: false,
  dot8: true,
  tile_m: 4,
  tile_n: 8,
};

export const configKeysMax = 256;

/** A value in the textual syntax of `prepare.config`: `true`, `-12`, `0x10`, `1.5`, `1e-5`. */
export function parseConfigValue(type: ConfigType, text: string): ConfigValue {
  const source = text.trim();
  const bad = (why: string): StatusError => new StatusError('invalidArgument', `'${text}' ${why}`);
  if (type === 'bool') {
    if (source === 'true' || source === 'false') return source === 'true';
    throw bad('is not a bool; write true or false');
  }
  if (type === 'f32') {
    if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(source)) throw bad('is not an f32');
    const value = Math.fround(Number(source));
    if (!Number.isFinite(value)) throw bad('is outside the range of f32');
    return value;
  }
  const match = /^([+-]?)(0[xX][0-9a-fA-F]+|\d+)$/.exec(source);
  if (match === null) throw bad(`is not an ${type}`);
  const magnitude = BigInt(match[2] as string);
  return checkRange(type, match[1] === '-' ? -magnitude : magnitude);
}

function checkRange(type: 'i32' | 'i64', value: bigint): bigint {
  const bits = type === 'i32' ? 32 : 64;
  if (BigInt.asIntN(bits, value) === value) return value;
  throw new StatusError('invalidArgument', `${value} is outside the range of ${type}`);
}

/** The `config.decl` that a key names. */
export function resolveConfigKey(catalog: Catalog, key: string): Declaration {
  const exact = catalog.find(key);
  if (exact !== null) {
    if (exact.decl.kind === 'config') return exact;
    throw new StatusError('invalidArgument', `'${key}' is a ${exact.decl.kind}, not a config.decl`);
  }
  const all = [...catalog.exports.values()].filter((entry) => entry.decl.kind === 'config');
  const matches = all.filter((entry) => entry.decl.name === key);
  if (matches.length === 1) return matches[0] as Declaration;
  if (matches.length > 1) {
    const names = matches.map((entry) => entry.name).join(', ');
    throw new StatusError('invalidArgument', `configuration key '${key}' is ambiguous: ${names}`);
  }
  const hidden = catalog.files.some((file) => file.own.has(key));
  if (hidden) throw new StatusError('invalidArgument', `'${key}' is not a config.decl`);
  const near = nearestName(
    key,
    all.map((entry) => entry.name),
  );
  const hint = near === null ? '' : ` (did you mean '${near}'?)`;
  throw new StatusError('notFound', `there is no configuration key '${key}'${hint}`);
}

export function configTypeOf(declaration: Declaration): ConfigType {
  const { decl } = declaration;
  const name = decl.kind === 'config' && decl.type.kind === 'namedType' ? decl.type.name : '';
  if (name === 'bool' || name === 'i32' || name === 'i64' || name === 'f32') return name;
  throw new StatusError('invalidArgument', `'${declaration.name}' must be bool, i32, i64 or f32`);
}

/**
 * Checks keys and values and returns bindings by full name. Values may be text (parsed by the type
 * of the key) or values already. Errors name the key.
 */
export function bindConfiguration(
  catalog: Catalog,
  entries: Iterable<readonly [string, string | ConfigValue]>,
): ReadonlyMap<string, ConfigValue> {
  const bindings = new Map<string, ConfigValue>();
  for (const [key, given] of entries) {
    const declaration = resolveConfigKey(catalog, key);
    if (bindings.has(declaration.name)) {
      throw new StatusError('invalidArgument', `configuration key '${key}' is bound twice`);
    }
    bindings.set(declaration.name, bindOne(declaration, key, given));
    if (bindings.size > configKeysMax) {
      throw new StatusError('resourceExhausted', `more than ${configKeysMax} configuration keys`);
    }
  }
  return bindings;
}

function bindOne(declaration: Declaration, key: string, given: string | ConfigValue): ConfigValue {
  try {
    return convertConfig(configTypeOf(declaration), given);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StatusError('invalidArgument', `configuration key '${key}': ${message}`);
  }
}

function convertConfig(type: ConfigType, given: string | ConfigValue): ConfigValue {
  if (typeof given === 'string') return parseConfigValue(type, given);
  if (type === 'bool' && typeof given === 'boolean') return given;
  if (type === 'f32' && typeof given !== 'boolean') return Math.fround(Number(given));
  if ((type === 'i32' || type === 'i64') && typeof given !== 'boolean') {
    if (typeof given === 'bigint') return checkRange(type, given);
    if (Number.isInteger(given)) return checkRange(type, BigInt(given));
  }
  throw new StatusError('invalidArgument', `a ${typeof given} does not fit ${type}`);
}
