/**
 * Reads every program file of a package, text or bytecode by content, and parses it. All that is
 * wrong comes in one error: missing files by the path of their field, and the diagnostics of every
 * file with line and column. A file with two roles (or listed twice) is read and linked once.
 */
import { StatusError } from '../base/errors.js';
import { DiagnosticSink } from '../loom/diagnostics.js';
import { readModule } from '../loom/syntax/read-module.js';
import { Catalog } from '../loom/elaborate/catalog.js';
import type { CatalogInput } from '../loom/elaborate/catalog.js';
import type { PackageSource } from './artefacts.js';
import type { ModelDocument } from './model-document.js';
import type { PackageFiles } from './package-files.js';

export interface LoadedPackage {
  readonly document: ModelDocument;
  /** Program files in order: prepare, control, config, sources. */
  readonly sources: readonly PackageSource[];
  /** File names by role, as `sources` and the catalog have them. */
  readonly prepare: string;
  readonly control: string;
  readonly config: string | null;
  readonly catalog: Catalog;
}

export function loadPackage(document: ModelDocument, files: PackageFiles): LoadedPackage {
  const { prepare, control, config } = document.definition;
  const sources = readSources(document, files);
  return {
    document,
    sources,
    prepare: files.name(prepare),
    control: files.name(control),
    config: config === undefined ? null : files.name(config),
    catalog: parseSources(sources),
  };
}

/** Bytes of all program files of a package: what one elaboration may have to walk. */
const PROGRAM_BYTES_MAX = 8 * 1024 * 1024;

/** Parses and links files; throws one error with everything that does not parse. */
export function parseSources(sources: readonly PackageSource[]): Catalog {
  const sink = new DiagnosticSink();
  const inputs = sources.map(({ file, bytes }): CatalogInput => {
    const { module, diagnostics, source } = readModule(file, bytes);
    sink.reportAll(diagnostics);
    return { file, module, source };
  });
  const texts = new Map(inputs.map((input) => [input.file, input.source]));
  sink.throwIfAny((file) => texts.get(file));
  return new Catalog(inputs);
}

/** Told while they are read: what is beyond is not read at all. */
function checkSize(sources: ReadonlyMap<string, PackageSource>, path: string): void {
  let bytes = 0;
  for (const source of sources.values()) bytes += source.bytes.length;
  if (bytes <= PROGRAM_BYTES_MAX) return;
  throw new StatusError(
    'resourceExhausted',
    `${path}: the programs of the package have ${bytes} bytes up to here; the limit is ${PROGRAM_BYTES_MAX}`,
    { where: path },
  );
}

function readSources(document: ModelDocument, files: PackageFiles): PackageSource[] {
  const { prepare, control, config, sources } = document.definition;
  const fields: [path: string, reference: string | undefined][] = [
    ['definition.prepare', prepare],
    ['definition.control', control],
    ['definition.config', config],
    ...sources.map((reference, index): [string, string] => [
      `definition.sources[${index}]`,
      reference,
    ]),
  ];
  const found = new Map<string, PackageSource>();
  const problems: StatusError[] = [];
  for (const [path, reference] of fields) {
    if (reference === undefined) continue;
    try {
      const file = files.name(reference);
      if (!found.has(file)) found.set(file, { file, bytes: files.read(reference) });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      problems.push(new StatusError(error.code, `${path}: ${error.message}`, { where: path }));
    }
    checkSize(found, path);
  }
  const [first] = problems;
  if (first === undefined) return [...found.values()];
  throw new StatusError('invalidArgument', first.message, {
    where: first.status.where,
    details: problems.map((problem) => problem.message),
  });
}
