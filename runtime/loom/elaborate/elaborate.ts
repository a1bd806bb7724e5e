/**
 * The elaborator's entry points: host programs of a file, its checks, and stages. A program is null
 * exactly when there are diagnostics. What was read of configuration and device facts, and what
 * declarations were reached, come along for cache keys.
 */
import type { Diagnostic } from '../diagnostics.js';
import type { BankInfo, CommandProgram, HostProgram, Kernel, Symbol } from '../typed.js';
import type { Catalog, CatalogFile, Declaration } from './catalog.js';
import { instanceOf, kernelProgram, stageBanks, stageProgram } from './commands.js';
import type { Configuration } from './configuration.js';
import { openSession } from './engine.js';
import { HostBuilder } from './host-builder.js';
import { checkFunction, drainHostFunctions, isDeviceOnly } from './host-functions.js';
import { loaderProgram, loaderShape } from './loader-programs.js';
import type { LoaderShape } from './loader-programs.js';
import { Problem } from './problem.js';
import type { Session } from './session.js';

export interface Elaborated<Program> {
  readonly program: Program | null;
  readonly diagnostics: readonly Diagnostic[];
  /** Full names of `config.decl`s and names of facts that were read. */
  readonly configRead: readonly string[];
  readonly factsRead: readonly string[];
  /** `file/name` of every declaration reached, sorted. */
  readonly closure: readonly string[];
}

/** Exported functions of one file and all that they reach. Templates have no entry. */
export function elaborateHost(
  catalog: Catalog,
  primary: string,
  configuration: Configuration,
): Elaborated<HostProgram> {
  return run(catalog, configuration, (session) => {
    const file = primaryFile(session, primary);
    const builder = new HostBuilder();
    const entries: Record<string, number> = {};
    for (const declaration of file.own.values()) {
      if (isEntry(declaration)) {
        const ref = { declaration, bindings: new Map(), key: declaration.name };
        entries[declaration.decl.name] = builder.request(ref, []);
      }
    }
    drainHostFunctions(session, builder);
    return hostProgram(session, builder, { entries, checks: [] });
  });
}

/** The checks of one file, as functions without parameters. */
export function elaborateChecks(
  catalog: Catalog,
  primary: string,
  configuration: Configuration,
): Elaborated<HostProgram> {
  return run(catalog, configuration, (session) => {
    const file = primaryFile(session, primary);
    const builder = new HostBuilder(true);
    const checks: { name: string; func: number }[] = [];
    for (const declaration of file.own.values()) {
      if (declaration.decl.kind !== 'check') continue;
      session.reach(declaration);
      const func = builder.reserve();
      builder.functions[func] = checkFunction(session, builder, declaration);
      checks.push({ name: declaration.decl.name, func });
    }
    drainHostFunctions(session, builder);
    return hostProgram(session, builder, { entries: symbolEntries(session, builder), checks });
  });
}

/** Functions that a check names by symbol (`expect_rejects(@f, …)`) are entries by full name. */
function symbolEntries(session: Session, builder: HostBuilder): Record<string, number> {
  const entries: Record<string, number> = {};
  // Bodies may name further functions, so the list grows while it is walked.
  for (let index = 0; index < builder.symbols.length; index += 1) {
    const { name, args } = builder.symbols[index] as Symbol;
    const declaration = session.catalog.find(name);
    if (declaration?.decl.kind !== 'func' || args.length > 0 || isDeviceOnly(declaration.decl))
      continue;
    entries[name] = builder.request({ declaration, bindings: new Map(), key: name }, []);
    drainHostFunctions(session, builder);
  }
  return entries;
}

/** One kernel by itself, as checks launch it. */
export function elaborateKernel(
  catalog: Catalog,
  root: Symbol,
  configuration: Configuration,
): Elaborated<Kernel> {
  return run(catalog, configuration, (session) => kernelProgram(session, root));
}

/** One command program, or a kernel as a direct stage. */
export function elaborateStage(
  catalog: Catalog,
  root: Symbol,
  configuration: Configuration,
): Elaborated<CommandProgram> {
  return run(catalog, configuration, (session) => stageProgram(session, root));
}

/** The banks that a stage binds, in order; its kernels are left alone. */
export function elaborateBanks(
  catalog: Catalog,
  root: Symbol,
  configuration: Configuration,
): Elaborated<readonly BankInfo[]> {
  return run(catalog, configuration, (session) => stageBanks(session, root));
}

/** A kernel that fills bank fields, as the program of one dispatch that activation runs. */
export function elaborateLoader(
  catalog: Catalog,
  root: Symbol,
  configuration: Configuration,
): Elaborated<CommandProgram> {
  return run(catalog, configuration, (session) => loaderProgram(session, root));
}

/** What such a kernel takes and writes, from its parameters alone. */
export function elaborateLoaderShape(
  catalog: Catalog,
  root: Symbol,
  configuration: Configuration,
): Elaborated<LoaderShape> {
  return run(catalog, configuration, (session) => loaderShape(session, root));
}

/** One exported function without parameters and results (a policy); it is the only entry. */
export function elaborateFunction(
  catalog: Catalog,
  root: Symbol,
  configuration: Configuration,
): Elaborated<HostProgram> {
  return run(catalog, configuration, (session) => {
    const declaration = procedureOf(session, root);
    const builder = new HostBuilder();
    const func = builder.request(instanceOf(session, declaration, root.args), []);
    drainHostFunctions(session, builder);
    return hostProgram(session, builder, { entries: { [root.name]: func }, checks: [] });
  });
}

function procedureOf(session: Session, root: Symbol): Declaration {
  const declaration = session.catalog.find(root.name);
  const decl = declaration?.decl;
  const fits =
    decl?.kind === 'func' && decl.exported && decl.params.length + decl.results.length === 0;
  if (declaration !== null && fits) return declaration;
  const what =
    decl === undefined
      ? 'is not defined'
      : decl.kind !== 'func'
        ? `is a ${decl.kind}`
        : decl.exported
          ? 'has parameters or results'
          : 'is private';
  const file = declaration?.file.file ?? session.catalog.files[0]?.file ?? '';
  throw new Problem(
    { file, at: decl?.at ?? 4097 },
    `'${root.name}' ${what}; a policy is \`func.def export name() { … }\``,
  );
}

function run<Program>(
  catalog: Catalog,
  configuration: Configuration,
  action: (session: Session) => Program,
): Elaborated<Program> {
  const session = openSession(catalog, configuration);
  let program: Program | null = null;
  try {
    program = action(session);
  } catch (error) {
    session.record(error);
  }
  const diagnostics = session.sink.list();
  const closure = [...session.reached.values()].map(
    (entry) => `${entry.file.file}/${entry.decl.name}`,
  );
  return {
    program: diagnostics.length > 0 ? null : program,
    diagnostics,
    configRead: [...session.configRead].sort(),
    factsRead: [...session.factsRead].sort(),
    closure: closure.sort(),
  };
}

function primaryFile(session: Session, name: string): CatalogFile {
  const file = session.catalog.file(name);
  if (file !== null) return file;
  throw new Problem({ file: name, at: 4097 }, `there is no file '${name}' in the catalog`);
}

function isEntry({ decl }: Declaration): boolean {
  return decl.kind === 'func' && decl.exported && decl.template.length === 0 && !isDeviceOnly(decl);
}

function hostProgram(
  session: Session,
  builder: HostBuilder,
  roots: Pick<HostProgram, 'entries' | 'checks'>,
): HostProgram {
  const functions = builder.functions.filter((func) => func !== null);
  const files = session.catalog.files.map((file) => file.file);
  const { imports, symbols } = builder;
  return { files, functions, imports, symbols, ...roots };
}
