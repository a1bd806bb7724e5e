/** Module `parameters`: reads of checkpoint bytes on demand, in the warm programs of a package. */
import { StatusError } from '../base/errors.js';
import type { RunnerRecorder } from './runner-recorder.js';
import { signatureTable } from './signature-table.js';
import type { ModuleFunctions } from './signature-table.js';

export const parametersSignatures = signatureTable('parameters', [
  'gather(i64, buffer, hal.fence, hal.buffer, i64, i64, hal.buffer) -> hal.fence',
]);

type GatherArguments = [bigint, Uint8Array, unknown, unknown, bigint, bigint, unknown];

/** `recorder` gives the invocation of the call in progress, and raises when there is none. */
export function parametersFunctions(recorder: () => RunnerRecorder): ModuleFunctions {
  return {
    gather(...values: GatherArguments) {
      const [source, name, wait, descriptors, offset, count, target] = values;
      const key = keyText(name);
      return [recorder().gather({ source, key, wait, descriptors, offset, count, target })];
    },
  };
}

function keyText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new StatusError('invalidArgument', 'gather: the key of the entry is not UTF-8');
  }
}
