/**
 * `config.loom`: exported constants whose names are those of `config.decl`s (by last segment or by
 * `use`). Their expressions may use `target.*` and the file's own constants, not the configuration
 * itself: this file is what makes it.
 */
import { LoomError } from '../diagnostics.js';
import { StatusError } from '../../base/errors.js';
import type { Catalog } from './catalog.js';
import { bindConfiguration } from './configuration.js';
import type { TargetFacts } from '../../base/target-facts.js';
import type { ConfigValue } from './configuration.js';
import { constantOf } from './constants.js';
import { openSession } from './engine.js';

export interface ConfigFileResult {
  /** By full name of the `config.decl`. */
  readonly bindings: ReadonlyMap<string, ConfigValue>;
  readonly factsRead: readonly string[];
}

/** Throws a `LoomError` or a `StatusError` that names the key. */
export function evaluateConfigFile(
  catalog: Catalog,
  file: string,
  target: TargetFacts,
): ConfigFileResult {
  const found = catalog.file(file);
  if (found === null)
    throw new StatusError('notFound', `there is no file '${file}' in the catalog`);
  const session = openSession(catalog, { target, bindings: new Map() });
  const entries: [string, ConfigValue][] = [];
  for (const declaration of found.own.values()) {
    if (declaration.decl.kind !== 'const' || !declaration.decl.exported) continue;
    try {
      const value = constantOf(session, declaration);
      if (value.kind === 'const' && typeof value.value !== 'string') {
        entries.push([keyOf(catalog, declaration.decl.name), value.value]);
      } else {
        const problem = {
          file,
          at: declaration.decl.at,
          message: `'${declaration.decl.name}' is no bool, integer or real`,
        };
        session.sink.report(problem);
      }
    } catch (error) {
      session.record(error);
    }
  }
  const diagnostics = session.sink.list();
  if (diagnostics.length > 0) throw new LoomError(diagnostics, catalog.source);
  return {
    bindings: bindConfiguration(catalog, entries),
    factsRead: [...session.factsRead].sort(),
  };
}

/** The only `config.decl` with this last segment: the constant itself has the same one. */
function keyOf(catalog: Catalog, name: string): string {
  const matches = [...catalog.exports.values()].filter(
    (entry) => entry.decl.kind === 'config' && entry.decl.name === name,
  );
  return matches.length === 1 ? (matches[0]?.name ?? name) : name;
}
