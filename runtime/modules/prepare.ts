/**
 * Module `prepare`: declarations of a package. Cold preparation and `prepare_batch` use the same
 * table; the recorder knows which ordinals are taken already. Nothing is compiled here: the
 * functions only note what was declared, copying every string.
 */
import type { DeclarationRecorder } from './declaration-recorder.js';
import { refusing, signatureTable } from './signature-table.js';
import type { ModuleFunctions, SymbolValue } from './signature-table.js';

export const prepareSignatures = signatureTable('prepare', [
  'config(i64, string, string)',
  'config_i64(i64, string, i64)',
  'dispatch(symbol, i64) -> i64',
  'memory_forecast(symbol)',
  'parameter(i64, i64, i64, i64, symbol)',
  'source(string, string) -> i64',
  'source_append(i64, string, string)',
  'stage(symbol, i64) -> i64',
  'workspace_limit(i64, i64)',
]);

const later = new Set(['memory_forecast', 'parameter', 'source', 'source_append']);

/** `recorder` gives that of the call in progress, and raises where nothing can be declared. */
export function prepareFunctions(recorder: () => DeclarationRecorder): ModuleFunctions {
  return {
    ...refusing(
      prepareSignatures.filter((entry) => later.has(entry.name)),
      { code: 'unimplemented', why: 'this server has no checkpoints and no memory forecasts' },
    ),
    stage: (symbol: SymbolValue, tag: bigint) => [recorder().declare('command', symbol, tag)],
    dispatch: (symbol: SymbolValue, tag: bigint) => [recorder().declare('direct', symbol, tag)],
    config(stage: bigint, key: string, value: string) {
      recorder().bind(stage, key, value);
      return [];
    },
    config_i64(stage: bigint, key: string, value: bigint) {
      recorder().bind(stage, key, String(value));
      return [];
    },
    workspace_limit(stage: bigint, bytes: bigint) {
      recorder().limitWorkspace(stage, bytes);
      return [];
    },
  };
}
