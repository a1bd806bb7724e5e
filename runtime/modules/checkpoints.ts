/**
 * Modules whose signatures stand but that need checkpoints: `weights` for policies and
 * `parameters` for reads of checkpoint bytes on demand. A program that imports them links and
 * verifies; calling one raises `unimplemented`.
 */
import { refusing, signatureTable } from './signature-table.js';

export const weightsSignatures = signatureTable('weights', [
  'dim(tensor, i64) -> i64',
  'fill(string, symbol)',
  'find(i64, string) -> tensor',
  'has(i64, string) -> bool',
  'kind(i64) -> string',
  'meta_f64(i64, string, f64) -> f64',
  'meta_i64(i64, string, i64) -> i64',
  'meta_string(i64, string, string) -> string',
  'place(string, i64, tensor, i64, i64, i64, string, symbol)',
  'rank(tensor) -> i64',
  'type(tensor) -> string',
]);

export const parametersSignatures = signatureTable('parameters', [
  'gather(i64, buffer, hal.fence, hal.buffer, i64, i64, hal.buffer) -> hal.fence',
]);

const refusal = { code: 'unimplemented', why: 'this server has no checkpoints' } as const;

export const weightsFunctions = refusing(weightsSignatures, refusal);
export const parametersFunctions = refusing(parametersSignatures, refusal);
