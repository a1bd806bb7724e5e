/**
 * The `check.def`s of every file of a package, each on the reference device in check mode, under
 * the package's configuration. A file whose checks do not elaborate is one failed item with its
 * diagnostics.
 */
import type { TargetFacts } from '../base/target-facts.js';
import type { Catalog } from '../loom/elaborate/catalog.js';
import { bindConfiguration } from '../loom/elaborate/configuration.js';
import type { Configuration } from '../loom/elaborate/configuration.js';
import { elaborateChecks, elaborateKernel, elaborateStage } from '../loom/elaborate/elaborate.js';
import { bufferFunctions } from '../modules/buffer.js';
import { capabilityTable } from '../modules/modules.js';
import type { SymbolValue } from '../vm/host-value.js';
import type { CheckTarget } from '../vm/checks/check-launch.js';
import { runChecks } from '../vm/checks/run-checks.js';
import type { Launcher } from '../vm/checks/run-checks.js';
import { failureLines, type CheckItem } from './check-item.js';
import { programOf } from './link-host.js';
import type { LoadedPackage } from './load-package.js';
import { packageBindings } from './package-configuration.js';

export interface FunctionChecks {
  readonly loaded: LoadedPackage;
  readonly facts: TargetFacts;
  /** Devices that repeat every launch. */
  readonly launchers: readonly Launcher[];
}

/** Items of one file, named `file: check`. */
export async function checkFunctions(
  file: string,
  { loaded, facts, launchers }: FunctionChecks,
): Promise<readonly CheckItem[]> {
  const { catalog } = loaded;
  try {
    const bindings = bindConfiguration(catalog, packageBindings(loaded, facts));
    const configuration = { target: facts, bindings };
    const program = programOf(catalog, elaborateChecks(catalog, file, configuration));
    const results = await runChecks({
      program,
      launchers,
      capabilities: capabilityTable('a check', { buffer: bufferFunctions }),
      resolve: (symbol) => checkTarget(catalog, symbol, configuration),
    });
    return results.map(({ name, ok, message, position }) => ({
      kind: 'function',
      name: `${file}: ${name}`,
      outcome: ok ? 'passed' : 'failed',
      details: ok ? [] : [`${position}: ${message}`],
    }));
  } catch (error) {
    return [{ kind: 'function', name: file, outcome: 'failed', details: failureLines(error) }];
  }
}

/** A command program, or a kernel that a check launches with scalars and a grid of its own. */
function checkTarget(
  catalog: Catalog,
  symbol: SymbolValue,
  configuration: Configuration,
): CheckTarget {
  if (catalog.find(symbol.name)?.decl.kind === 'kernel') {
    const kernel = programOf(catalog, elaborateKernel(catalog, symbol, configuration));
    return { kind: 'kernel', kernel, files: catalog.files.map((file) => file.file) };
  }
  const command = programOf(catalog, elaborateStage(catalog, symbol, configuration));
  return { kind: 'command', command };
}
