/**
 * Every capability module by name: the one place that lists them. Adding a module is a table, its
 * functions, and a line here.
 */
import { capabilityOf } from '../vm/capability.js';
import type { CapabilityTable } from '../vm/capability.js';
import { bufferSignatures } from './buffer.js';
import { chatSignatures } from './chat.js';
import { inputSignatures } from './input.js';
import { optionsSignatures } from './options.js';
import { parametersSignatures } from './parameters.js';
import { prepareSignatures } from './prepare.js';
import { runnerSignatures } from './runner.js';
import { refusing } from './signature-table.js';
import type { ModuleFunctions, Signature } from './signature-table.js';
import { weightsSignatures } from './weights.js';

export const moduleTables: Readonly<Record<string, readonly Signature[]>> = {
  buffer: bufferSignatures,
  chat: chatSignatures,
  input: inputSignatures,
  options: optionsSignatures,
  parameters: parametersSignatures,
  prepare: prepareSignatures,
  runner: runnerSignatures,
  weights: weightsSignatures,
};

/** Of all modules, by `module.name`. */
const signatures: ReadonlyMap<string, Signature> = new Map(
  Object.values(moduleTables).flatMap((rows) =>
    rows.map((row) => [`${row.module}.${row.name}`, row] as const),
  ),
);

export function findSignature(module: string, name: string): Signature | null {
  return signatures.get(`${module}.${name}`) ?? null;
}

/**
 * What a program may import, with the functions that are there for the entries to be called. Every
 * module links in every program, because one file may export several entries; a function of a
 * module that has no place in `entries` raises when it is called.
 */
export function capabilityTable(
  entries: string,
  given: Readonly<Partial<Record<string, ModuleFunctions>>>,
): CapabilityTable {
  const refusal = {
    code: 'failedPrecondition',
    why: `this cannot be called in ${entries}`,
  } as const;
  return {
    get: (name) => {
      const signature = signatures.get(name);
      if (signature === undefined) return undefined;
      const functions = given[signature.module];
      const run =
        functions === undefined ? refusing(signature, refusal) : functions[signature.name];
      return capabilityOf(signature, run);
    },
    keys: () => signatures.keys(),
  };
}
