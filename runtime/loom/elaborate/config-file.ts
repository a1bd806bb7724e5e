/**
 * `config.loom`: its exported constants bind the `config.decl`s whose last segment is their name,
 * for the whole package. Expressions may use `target.*` and the file's own constants, not the
 * configuration: this file is what makes it. Whatever binds nothing is an error with its place, for
 * a setting that is skipped in silence is found by nobody.
 */
import { LoomError } from '../diagnostics.js';
import { StatusError } from '../../base/errors.js';
import type { At, Decl } from '../tree.js';
import type { Catalog, CatalogFile, Declaration } from './catalog.js';
import { bindValue, checkKeyCount, configTypeOf, resolveConfigKey } from './configuration.js';
import type { TargetFacts } from '../../base/target-facts.js';
import type { ConfigValue } from './configuration.js';
import { constantOf } from './constants.js';
import { openSession } from './engine.js';
import { Problem } from './problem.js';
import type { Session } from './session.js';

export interface ConfigFileResult {
  /** By full name of the `config.decl`. */
  readonly bindings: ReadonlyMap<string, ConfigValue>;
  readonly factsRead: readonly string[];
}

type ConstDecl = Extract<Decl, { kind: 'const' }>;

interface Constant {
  readonly declaration: Declaration;
  readonly decl: ConstDecl;
}

/** Throws a `LoomError` that names place and key. */
export function evaluateConfigFile(
  catalog: Catalog,
  file: string,
  target: TargetFacts,
): ConfigFileResult {
  const found = catalog.file(file);
  if (found === null)
    throw new StatusError('notFound', `there is no file '${file}' in the catalog`);
  const session = openSession(catalog, { target, bindings: new Map() });
  const constants = constantsOf(found);
  const bindings = new Map<string, ConfigValue>();
  const attempt = (constant: Constant, action: () => void): void => {
    try {
      action();
    } catch (error) {
      session.record(placed(error, constant));
    }
  };
  for (const constant of constants.filter(({ decl }) => decl.exported)) {
    attempt(constant, () => {
      const { name, value } = bindingOf(session, constant);
      bindings.set(name, value);
      checkKeyCount(bindings.size);
    });
  }
  // Only now is known which of the others an exported one reads.
  for (const constant of constants.filter(({ decl }) => !decl.exported)) {
    attempt(constant, () => checkPrivate(session, constant));
  }
  const diagnostics = session.sink.list();
  if (diagnostics.length > 0) throw new LoomError(diagnostics, catalog.source);
  return { bindings, factsRead: [...session.factsRead].sort() };
}

function constantsOf(file: CatalogFile): readonly Constant[] {
  return [...file.own.values()].flatMap((declaration) => {
    const { decl } = declaration;
    return decl.kind === 'const' ? [{ declaration, decl }] : [];
  });
}

/** Errors about keys and values get the place of the constant. */
function placed(error: unknown, { declaration, decl }: Constant): unknown {
  if (!(error instanceof StatusError)) return error;
  return new Problem({ file: declaration.file.file, at: decl.at }, error.message);
}

function bindingOf(
  session: Session,
  { declaration, decl }: Constant,
): { readonly name: string; readonly value: ConfigValue } {
  const problem = (at: At, message: string, hint?: string): Problem =>
    new Problem({ file: declaration.file.file, at }, message, hint === undefined ? {} : { hint });
  const key = resolveConfigKey(session.catalog, decl.name, declaration);
  const type = configTypeOf(key);
  const written = decl.type?.kind === 'namedType' ? decl.type.name : null;
  if (decl.type !== null && written !== type) {
    const message = `configuration key '${key.name}' is ${type}, and this constant another type`;
    throw problem(decl.type.at, message, `write ${type}, or no type`);
  }
  const readBefore = session.configRead.size;
  const constant = constantOf(session, declaration);
  if (session.configRead.size > readBefore) {
    const read = [...session.configRead].slice(readBefore).join(', ');
    const message = `'${decl.name}' reads configuration (${read}), which this file is to bind`;
    throw problem(decl.value.at, message, 'use a constant of this file for both');
  }
  if (constant.kind !== 'const' || typeof constant.value === 'string') {
    throw problem(decl.value.at, `'${decl.name}' is no bool, integer or real`);
  }
  return { name: key.name, value: bindValue(key, decl.name, constant.value) };
}

/** A private constant serves exported ones, or it was meant to be exported. */
function checkPrivate(session: Session, { declaration, decl }: Constant): void {
  const isKey = [...session.catalog.exports.values()].some(
    (entry) => entry.decl.kind === 'config' && entry.decl.name === decl.name,
  );
  if (!isKey && session.reached.has(declaration.id)) return;
  const why = isKey ? `so it does not bind the key '${decl.name}'` : 'and no exported one reads it';
  throw new Problem(
    { file: declaration.file.file, at: decl.at },
    `'${decl.name}' is not exported, ${why}`,
    { hint: `write \`const.def export ${decl.name}\`` },
  );
}
