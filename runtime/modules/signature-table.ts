/**
 * Signatures of capabilities as data: one sorted table a module, written in the language's own
 * spelling, so that the check of an import and the message that it failed show the same text.
 *
 * A module's functions are plain functions over host values: i64 is bigint, f64 number, bool
 * boolean, string and buffer (Uint8Array) are what they are, handles and refs are the server's own
 * objects (null for the null fence), a symbol is its name with template arguments. Each returns its
 * results as an array.
 */
import { assert, StatusError } from '../base/errors.js';
import type { StatusCode } from '../base/errors.js';
import type { PlainFunction } from '../vm/capability.js';

export interface Signature {
  readonly module: string;
  readonly name: string;
  readonly params: readonly string[];
  readonly results: readonly string[];
}

export interface SymbolValue {
  /** Full name of a function, kernel, command or policy. */
  readonly name: string;
  /** Template arguments in canonical text. */
  readonly args: readonly string[];
}

// Arguments were checked against the signature before the call, so each function may name its own.
export type CapabilityFunction = PlainFunction;

/** Functions of one module by name. */
export type ModuleFunctions = Readonly<Record<string, CapabilityFunction>>;

/** Parses lines like `stage(symbol, i64) -> i64` and `fence(work) -> hal.fence`. */
export function signatureTable(module: string, lines: readonly string[]): readonly Signature[] {
  const table = lines.map((line) => parseSignature(module, line));
  table.forEach((entry, index) => {
    const previous = table[index - 1];
    assert(!previous || previous.name < entry.name, `table of '${module}' sorted at ${entry.name}`);
  });
  return table;
}

const shape = /^(\w+)\(([^)]*)\)(?: -> (.+))?$/;

function parseSignature(module: string, line: string): Signature {
  const match = shape.exec(line);
  assert(match, `a signature instead of '${line}'`);
  return { module, name: match[1]!, params: types(match[2]!), results: types(match[3] ?? '') };
}

function types(text: string): string[] {
  const inner = text.replace(/^\((.*)\)$/, '$1').trim();
  return inner === '' ? [] : inner.split(',').map((type) => type.trim());
}

/** `runner.fence(work) -> hal.fence`. */
export function capabilityText(signature: Signature): string {
  const { module, name, params, results } = signature;
  const tail = results.length === 0 ? '' : ` -> ${results.join(', ')}`;
  return `${module}.${name}(${params.join(', ')})${results.length > 1 ? ` -> (${results.join(', ')})` : tail}`;
}

/** Raises when called: for what is not there, or not in this entry. */
export function refusing(
  signature: Signature,
  refusal: { readonly code: StatusCode; readonly why: string },
): CapabilityFunction {
  return () => {
    throw new StatusError(refusal.code, `${capabilityText(signature)}: ${refusal.why}`);
  };
}
