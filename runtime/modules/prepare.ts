/**
 * Module `prepare`: declarations of a package. Cold preparation and `prepare_batch` use the same
 * table; the recorder knows which ordinals are taken already. Nothing is compiled here: the
 * functions only note what was declared, copying every string.
 */
import { StatusError } from '../base/errors.js';
import type { DeclarationRecorder } from './declaration-recorder.js';
import { notBuilt, signatureTable } from './signature-table.js';
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

export function prepareFunctions(recorder: DeclarationRecorder): ModuleFunctions {
  return {
    ...notBuilt(
      prepareSignatures.filter((entry) => later.has(entry.name)),
      'checkpoints and memory forecasts are not built yet',
    ),
    stage: (symbol: SymbolValue, tag: bigint) => [recorder.declare('command', symbol, tag)],
    dispatch: (symbol: SymbolValue, tag: bigint) => [recorder.declare('direct', symbol, tag)],
    config(stage: bigint, key: string, value: string) {
      recorder.bind(stage, key, value);
      return [];
    },
    config_i64(stage: bigint, key: string, value: bigint) {
      recorder.bind(stage, key, String(value));
      return [];
    },
    workspace_limit(stage: bigint, bytes: bigint) {
      recorder.limitWorkspace(stage, bytes);
      return [];
    },
  };
}

/** For programs that may import `prepare` but are called where nothing can be declared. */
export function closedPrepareFunctions(entry: string): ModuleFunctions {
  const functions = prepareSignatures.map(({ name }) => {
    const refuse = (): never => {
      throw new StatusError(
        'failedPrecondition',
        `'${entry}' cannot declare: prepare.${name} is for 'prepare' and 'prepare_batch'`,
      );
    };
    return [name, refuse] as const;
  });
  return Object.fromEntries(functions);
}
