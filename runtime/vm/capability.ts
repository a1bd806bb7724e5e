/**
 * Binding of capability imports. Modules bring tables of functions over host values; when a program
 * is loaded, each of its imports is looked up by module and name and must have the signature of the
 * table. What is not in the table does not exist for the program.
 */
import type { CapabilityImport, Type } from '../loom/typed.js';
import { StatusError } from '../base/errors.js';
import type { BoundCapability, RawValue } from './executor.js';
import { fromHostValue, toHostValue, type HostValue, type ValueContext } from './host-value.js';
import { IMPORT_COST } from './memory-map.js';
import { positionOf } from './program-error.js';
import { typeText } from './type-text.js';

/** What a capability may use beside its arguments. Valid during the call only. */
export interface CallContext extends ValueContext {
  /** Fuel for work that grows with its input, in bytes (a sixteenth of a unit each). */
  chargeBytes(byteCount: number): void;
  /** Calls a function of the running program by its full name, with its own errors. */
  invoke(name: string, args: readonly HostValue[]): readonly HostValue[];
}

export interface Capability {
  /** Types in the language's spelling, `hal.buffer`, `list<i64>`. */
  readonly params: readonly string[];
  readonly results: readonly string[];
  /** Arguments fit the signature, so an implementation may name its own types for them. */
  run(context: CallContext, ...args: HostValue[]): readonly HostValue[];
}

/** By `module.name`. What is looked up may be made then: a program imports few of many. */
export interface CapabilityTable {
  get(name: string): Capability | undefined;
  keys(): Iterable<string>;
}

/** A row of a module's signature table. */
export interface CapabilitySignature {
  readonly module: string;
  readonly name: string;
  readonly params: readonly string[];
  readonly results: readonly string[];
}

/** As `run` above, for functions that need no context. */
export type PlainFunction = { run(...args: HostValue[]): readonly HostValue[] }['run'];

/** An entry for a table, from its signature and a function that needs no context. */
export function capabilityOf(
  { module, name, params, results }: CapabilitySignature,
  run: PlainFunction | undefined,
): Capability {
  if (!run) throw new Error(`expected a function for ${module}.${name}. This is a bug.`);
  return { params, results, run: (_, ...args) => run(...args) };
}

/** Looks up every import; an error names the place of the import and the expected signature. */
export function bindCapabilities(
  imports: readonly CapabilityImport[],
  table: CapabilityTable,
  files: readonly string[],
): readonly Capability[] {
  return imports.map((declared) => {
    const name = `${declared.module}.${declared.name}`;
    const capability = table.get(name);
    if (!capability) throw unresolved(declared, table, positionOf(files, declared.site));
    const { params, results } = capability;
    if (hasTypes(params, declared.params) && hasTypes(results, declared.results)) return capability;
    const where = positionOf(files, declared.site);
    const found = textOf(declared.params.map(typeText), declared.results.map(typeText));
    throw new StatusError(
      'invalidArgument',
      `${where}: import ${name}${found}, but the server has ${name}${textOf(params, results)}`,
      { where },
    );
  });
}

function hasTypes(texts: readonly string[], types: readonly Type[]): boolean {
  return texts.length === types.length && texts.every((text, i) => text === typeText(types[i]!));
}

function unresolved(
  declared: CapabilityImport,
  table: CapabilityTable,
  where: string,
): StatusError {
  const prefix = `${declared.module}.`;
  const names = [...table.keys()].filter((name) => name.startsWith(prefix));
  const hint =
    names.length > 0
      ? `the module has ${names.map((name) => name.slice(prefix.length)).join(', ')}`
      : `there is no module '${declared.module}' here`;
  return new StatusError(
    'invalidArgument',
    `${where}: import ${prefix}${declared.name} does not exist; ${hint}`,
    { where },
  );
}

function textOf(params: readonly string[], results: readonly string[]): string {
  const tail =
    results.length === 0
      ? ''
      : results.length === 1
        ? ` -> ${results[0]}`
        : ` -> (${results.join(', ')})`;
  return `(${params.join(', ')})${tail}`;
}

/** A capability on raw values, as executors call it. */
export function bindRaw(
  declared: CapabilityImport,
  capability: Capability,
  context: CallContext,
): BoundCapability {
  const { params, results } = declared;
  return {
    declared,
    run(args: readonly RawValue[]): readonly RawValue[] {
      context.heap.charge(IMPORT_COST);
      const values = params.map((type, i) => inward(context, type, args[i]!));
      const given = capability.run(context, ...values);
      return results.map((type, i) => fromHostValue(context, type, given[i]!));
    },
  };
}

/** Bytes that go to the server are paid like bytes that are copied inside. */
function inward(context: CallContext, type: Type, raw: RawValue): HostValue {
  const value = toHostValue(context, type, raw);
  if (value instanceof Uint8Array || typeof value === 'string') context.chargeBytes(value.length);
  return value;
}
