/**
 * Everything that can be told about a catalog without roots: each declaration that is no template
 * is elaborated under the given configuration, template bodies are checked generically. Used when a
 * package is registered and by the command line.
 */
import type { Diagnostic } from '../diagnostics.js';
import type { FuncDef } from '../tree.js';
import { bankOf } from './banks.js';
import type { Catalog, CatalogFile, Declaration } from './catalog.js';
import { verifyStage } from './commands.js';
import type { Configuration } from './configuration.js';
import { constantOf } from './constants.js';
import { constantFrame } from './declaration-frame.js';
import { verifyDeviceFunction } from './device-verification.js';
import { openSession } from './engine.js';
import { HostBuilder } from './host-builder.js';
import { checkFunction, drainHostFunctions, isDeviceOnly } from './host-functions.js';
import { layoutOf } from './layouts.js';
import { recordOf } from './records.js';
import type { Session } from './session.js';
import { checkTemplateBody } from './template-bodies.js';
import { checkTemplateNames } from './template-names.js';
import { resolveType } from './type-resolution.js';
import type { FunctionRef } from './value.js';

export function verifyCatalog(
  catalog: Catalog,
  configuration: Configuration,
): readonly Diagnostic[] {
  return verifyFiles(catalog, catalog.files, configuration);
}

/** One file; what it uses of others is elaborated too, as far as it is reached. */
export function verifyFile(
  catalog: Catalog,
  file: string,
  configuration: Configuration,
): readonly Diagnostic[] {
  const found = catalog.file(file);
  return verifyFiles(catalog, found === null ? [] : [found], configuration);
}

function verifyFiles(
  catalog: Catalog,
  files: readonly CatalogFile[],
  configuration: Configuration,
): readonly Diagnostic[] {
  const session = openSession(catalog, configuration);
  const builder = new HostBuilder(true);
  for (const file of files) {
    for (const declaration of file.own.values()) {
      try {
        verify(session, builder, declaration);
      } catch (error) {
        session.record(error);
      }
    }
  }
  drainHostFunctions(session, builder);
  return session.sink.list();
}

function verify(session: Session, builder: HostBuilder, declaration: Declaration): void {
  const { decl } = declaration;
  if (decl.template.length > 0) {
    if (decl.kind === 'func' || decl.kind === 'kernel' || decl.kind === 'command') {
      const before = session.sink.count;
      checkTemplateNames(session, declaration);
      const isNamed = session.sink.count === before;
      if (isNamed && decl.kind !== 'command') checkTemplateBody(session, declaration);
      return;
    }
    throw constantFrame(session, declaration.file).problem(
      decl.at,
      `a ${decl.kind} is no template`,
    );
  }
  const ref: FunctionRef = { declaration, bindings: new Map(), key: declaration.name };
  switch (decl.kind) {
    case 'const':
    case 'config':
      return void constantOf(session, declaration);
    case 'layout':
      return void layoutOf(session, declaration);
    case 'record':
      return void recordOf(session, declaration);
    case 'bank':
      return void bankOf(session, declaration);
    case 'import': {
      const frame = constantFrame(session, declaration.file);
      for (const param of decl.params) if (param.type !== null) resolveType(frame, param.type);
      for (const result of decl.results) resolveType(frame, result);
      return;
    }
    case 'func':
      if (isDeviceOnly(decl as FuncDef)) return verifyDeviceFunction(session, ref);
      return void builder.request(ref, []);
    case 'kernel':
    case 'command':
      return verifyStage(session, declaration);
    case 'check':
      builder.functions[builder.reserve()] = checkFunction(session, builder, declaration);
  }
}
