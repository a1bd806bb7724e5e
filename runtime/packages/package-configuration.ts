/**
 * Configuration of a whole package: what its config file binds, as keys and values in the textual
 * syntax of `prepare.config`, so that it crosses threads and enters cache keys as it is.
 */
import type { TargetFacts } from '../base/target-facts.js';
import { evaluateConfigFile } from '../loom/elaborate/config-file.js';
import type { ConfigValue } from '../loom/elaborate/configuration.js';
import type { Bindings } from './artefacts.js';
import type { LoadedPackage } from './load-package.js';

export function packageBindings(
  { catalog, config }: Pick<LoadedPackage, 'catalog' | 'config'>,
  facts: TargetFacts,
): Bindings {
  if (config === null) return [];
  const { bindings } = evaluateConfigFile(catalog, config, facts);
  return [...bindings].map(([key, value]) => [key, configText(value)]);
}

/** Read back by `parseConfigValue` to the same value. */
function configText(value: ConfigValue): string {
  return String(value);
}
