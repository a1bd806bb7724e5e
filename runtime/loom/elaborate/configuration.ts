/**
 * What specializes a program from outside: facts of the device (`target.*`) and bindings of
 * `config.decl`s. Bindings come as values (config.loom) or as text (`prepare.config`); a key is a
 * full name, or a last segment that only one declaration has. Reads are recorded by the session.
 */
import { StatusError } from '../../base/errors.js';
import type { TargetFacts } from '../../base/target-facts.js';
import type { Catalog, Declaration } from './catalog.js';
import { nearestName } from './catalog.js';
import { adapt, constantText } from './constant-folding.js';
import { F32 } from './types.js';

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
  subgroups: false,
  software: false,
  registers: 16,
  binding_bytes: 2 ** 31 - 1,
  shared_bytes: 16_384,
  workgroup_bytes: 65_536,
  views: 16,
  relaxed: false,
  dot8: true,
  tile_m: 4,
  tile_n: 8,
};

const configKeysMax = 256;
/** Keys that a message lists where none is like the one asked for. */
const keysShown = 8;

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

/**
 * The `config.decl` that a key names. `asking` is the constant of a config file that has the key's
 * name: it is not what it looks for.
 */
export function resolveConfigKey(
  catalog: Catalog,
  key: string,
  asking: Declaration | null = null,
): Declaration {
  const all = [...catalog.exports.values()].filter((entry) => entry.decl.kind === 'config');
  const exact = all.find((entry) => entry.name === key);
  const matches = exact ? [exact] : all.filter((entry) => entry.decl.name === key);
  if (matches.length === 1) return matches[0] as Declaration;
  if (matches.length > 1) {
    const names = matches.map((entry) => entry.name).join(', ');
    throw new StatusError('invalidArgument', `configuration key '${key}' is ambiguous: ${names}`);
  }
  const other = otherThing(catalog, key, asking);
  if (other !== null) {
    const message = `'${key}' is a ${other.decl.kind}, not a config.decl`;
    throw new StatusError('invalidArgument', message);
  }
  const near = nearestName(
    key,
    all.map((entry) => entry.name),
  );
  const hint = near === null ? knownKeys(all) : ` (did you mean '${near}'?)`;
  throw new StatusError('notFound', `there is no configuration key '${key}'${hint}`);
}

function otherThing(catalog: Catalog, key: string, asking: Declaration | null): Declaration | null {
  const own = catalog.files.flatMap((file) => file.own.get(key) ?? []);
  return [catalog.find(key), ...own].find((entry) => entry !== null && entry !== asking) ?? null;
}

function knownKeys(all: readonly Declaration[]): string {
  if (all.length === 0) return ' (no program of the package declares one)';
  const shown = all.slice(0, keysShown).map((entry) => entry.name);
  return ` (keys: ${shown.join(', ')}${all.length > keysShown ? ', …' : ''})`;
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
    bindings.set(declaration.name, bindValue(declaration, key, given));
    checkKeyCount(bindings.size);
  }
  return bindings;
}

export function checkKeyCount(count: number): void {
  if (count <= configKeysMax) return;
  throw new StatusError(
    'resourceExhausted',
    `${count} configuration keys are bound; the limit is ${configKeysMax}`,
  );
}

/** A text or a value as the type of the key; the error names the key. */
export function bindValue(
  declaration: Declaration,
  key: string,
  given: string | ConfigValue,
): ConfigValue {
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
  if (type === 'f32' && typeof given !== 'boolean') return realValue(given);
  if ((type === 'i32' || type === 'i64') && typeof given === 'bigint') {
    return checkRange(type, given);
  }
  throw new StatusError('invalidArgument', `${constantText(given)} is no ${type}`);
}

function realValue(given: bigint | number): number {
  const value = adapt({ kind: 'const', type: null, value: given }, F32);
  if (typeof value === 'number') return value;
  throw new StatusError('invalidArgument', `${constantText(given)} is no f32 value`);
}
