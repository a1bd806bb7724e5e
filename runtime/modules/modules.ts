/**
 * Every capability module by name: the one place that lists them. Adding a module is a table, its
 * functions, and a line here.
 */
import { bufferSignatures } from './buffer.js';
import { inputSignatures } from './input.js';
import { parametersSignatures, weightsSignatures } from './not-built.js';
import { optionsSignatures } from './options.js';
import { prepareSignatures } from './prepare.js';
import { runnerSignatures } from './runner.js';
import type { Signature } from './signature-table.js';

export const moduleTables: Readonly<Record<string, readonly Signature[]>> = {
  buffer: bufferSignatures,
  input: inputSignatures,
  options: optionsSignatures,
  parameters: parametersSignatures,
  prepare: prepareSignatures,
  runner: runnerSignatures,
  weights: weightsSignatures,
};

export function findSignature(module: string, name: string): Signature | null {
  return moduleTables[module]?.find((entry) => entry.name === name) ?? null;
}
