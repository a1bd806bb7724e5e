/**
 * Runs one policy: a function of the package that looks at the indexes of its inputs and says what
 * goes where in a bank. It runs in the interpreter under the limits of host calls, on metadata
 * alone; the result is a plan, and nothing of it has happened yet.
 */
import { StatusError } from '../base/errors.js';
import type { Catalog } from '../loom/elaborate/catalog.js';
import type { Configuration } from '../loom/elaborate/configuration.js';
import { elaborateFunction, elaborateLoaderShape } from '../loom/elaborate/elaborate.js';
import type { LoaderShape } from '../loom/elaborate/loader-programs.js';
import { bufferFunctions } from '../modules/buffer.js';
import { capabilityTable } from '../modules/modules.js';
import { policyText } from '../modules/parameter-declarations.js';
import type { SymbolValue } from '../modules/signature-table.js';
import { weightsFunctions } from '../modules/weights.js';
import type { ReadableSource } from '../modules/weights.js';
import type { BankLayout } from '../parameters/bank-layout.js';
import { PlacementRecorder } from '../parameters/placement-recorder.js';
import type { LoaderUse, Placements } from '../parameters/placement-recorder.js';
import { HostVm } from '../vm/host-vm.js';
import type { HostLimits } from '../vm/host-vm.js';
import { positionOf } from '../vm/program-error.js';
import { programOf } from './link-host.js';
import { interpretedLimits } from './interpreted-limits.js';

export interface PolicyRun {
  readonly catalog: Catalog;
  readonly configuration: Configuration;
  readonly policy: SymbolValue;
  /** By local input ordinal. */
  readonly inputs: readonly ReadableSource[];
  readonly layout: BankLayout;
  readonly limits: Partial<HostLimits>;
}

export function runPolicy(run: PolicyRun): Placements {
  const { catalog, configuration, policy, inputs, layout, limits } = run;
  const program = programOf(catalog, elaborateFunction(catalog, policy, configuration));
  const placements = new PlacementRecorder(layout, loaderCheck(catalog, configuration));
  const source = (input: bigint): ReadableSource => {
    const found = input < 0n ? undefined : inputs[Number(input)];
    if (found !== undefined) return found;
    throw new StatusError(
      'invalidArgument',
      `input ${input} of policy ${policyText(policy)}; it has inputs 0 to ${inputs.length - 1}`,
    );
  };
  const vm = HostVm.create({
    program,
    executor: 'interpret',
    capabilities: capabilityTable('a policy', {
      buffer: bufferFunctions,
      weights: weightsFunctions({ source, placements }),
    }),
    limits: interpretedLimits(limits),
  });
  vm.call(policy.name, []);
  try {
    return placements.finish();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const where = positionOf(program.files, program.functions[0]!.site);
    throw new StatusError(error.code, `${policy.name} (${where}): ${error.message}`, { where });
  }
}

/** Kernels are looked at by their parameters only; each once. */
function loaderCheck(catalog: Catalog, configuration: Configuration) {
  const shapes = new Map<string, LoaderShape>();
  return (symbol: SymbolValue, use: LoaderUse): void => {
    const key = policyText(symbol);
    const shape =
      shapes.get(key) ?? programOf(catalog, elaborateLoaderShape(catalog, symbol, configuration));
    shapes.set(key, shape);
    const { kind, source, elementBytes } = shape;
    const fault = (what: string): StatusError =>
      new StatusError('invalidArgument', `field ${JSON.stringify(use.field)}: ${key} ${what}`);
    if (kind !== use.kind) {
      throw fault(
        kind === 'fill'
          ? 'takes no source; weights.fill runs it'
          : 'packs rows of a source; weights.place runs it',
      );
    }
    if (source !== use.source) {
      throw fault(`takes view<${source}>; encoding "f32" needs view<f32> and "raw" view<u8>`);
    }
    if (use.fieldBytes % elementBytes !== 0) {
      throw fault(
        `writes elements of ${elementBytes} bytes, and the field has ${use.fieldBytes} bytes`,
      );
    }
  };
}
