/**
 * Module `prepare`: declarations of a package. Cold preparation and `prepare_batch` use the same
 * table; the recorder knows which ordinals are taken already. Nothing is compiled and no payload
 * is read here: the functions note what was declared, copying every string.
 */
import { StatusError } from '../base/errors.js';
import type { DeclarationRecorder } from './declaration-recorder.js';
import type { OptionsValue } from './options.js';
import { signatureTable } from './signature-table.js';
import type { ModuleFunctions, SymbolValue } from './signature-table.js';

export const prepareSignatures = signatureTable('prepare', [
  'asset(string) -> ref',
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

/**
 * `recorder` gives that of the call in progress, and raises where nothing can be declared;
 * `readAsset` gives a JSON file of the package, and is null where no file can be read.
 */
export function prepareFunctions(
  recorder: () => DeclarationRecorder,
  readAsset: ((reference: string) => OptionsValue) | null = null,
): ModuleFunctions {
  return {
    asset(reference: string) {
      if (readAsset !== null) return [readAsset(reference)];
      throw new StatusError(
        'failedPrecondition',
        `prepare.asset of ${JSON.stringify(reference)}: files are read by the entry 'prepare' only`,
      );
    },
    ...stageFunctions(recorder),
    memory_forecast(symbol: SymbolValue) {
      recorder().forecastMemory(symbol);
      return [];
    },
    source: (directory: string, path: string) => [recorder().sources.declare({ directory, path })],
    source_append(source: bigint, directory: string, path: string) {
      recorder().sources.append(source, { directory, path });
      return [];
    },
    parameter(...args: [bigint, bigint, bigint, bigint, SymbolValue]) {
      const [stage, binding, input, source, policy] = args;
      recorder().bindParameter(stage, { binding, input }, source, policy);
      return [];
    },
  };
}

function stageFunctions(recorder: () => DeclarationRecorder): ModuleFunctions {
  return {
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
