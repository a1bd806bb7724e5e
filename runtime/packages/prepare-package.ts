/**
 * The cold preparation of a package as plain synchronous functions: files are read, programs are
 * parsed, linked and verified, `prepare` runs in the interpreter, and everything that it declared
 * is checked. Nothing is compiled and no device is touched; the plan says what to compile.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import { localFacts } from '../hal/local/local-facts.js';
import { LoomError } from '../loom/diagnostics.js';
import { bindConfiguration } from '../loom/elaborate/configuration.js';
import { verifyCatalog } from '../loom/elaborate/verify.js';
import type { FiniteCapacities } from '../profiles/finite.js';
import type { SymbolValue } from '../modules/signature-table.js';
import { findProfile } from '../profiles/profiles.js';
import { checkShapes } from '../profiles/text-geometry.js';
import type { TextGeometry } from '../profiles/text.js';
import { Tokenizer } from '../tokenizer/tokenizer.js';
import type { SealedState } from '../vm/heap.js';
import type { HostLimits } from '../vm/host-vm.js';
import type {
  Bindings,
  CompileControlInput,
  CompileStageInput,
  PackageSource,
  StageDeclaration,
} from './artefacts.js';
import { readTemplates } from './chat-templates.js';
import type { ChatTemplates } from './chat-templates.js';
import { checkDrafting } from './drafting.js';
import { openPackageFiles } from './imported-files.js';
import type { FilesPlace } from './imported-files.js';
import { loadPackage } from './load-package.js';
import type { LoadedPackage } from './load-package.js';
import type { ModelDocument } from './model-document.js';
import { PackageCheckpoints } from './package-checkpoints.js';
import { packageBindings } from './package-configuration.js';
import type { PackageFiles } from './package-files.js';
import { packageIdentity } from './package-identity.js';
import { planParameters } from './parameter-plan.js';
import type { ParameterPlan } from './parameter-plan.js';
import { runPrepare } from './run-prepare.js';
import type { ColdResults } from './run-prepare.js';
import { checkDeclarations } from './stage-configuration.js';

export type PreparationPlan = FinitePlan | TextPlan;

export interface FinitePlan extends ProgramPlan {
  readonly contract: 'finite';
  readonly capacities: FiniteCapacities;
  /** Name of the control entry for memory estimates; null when `prepare` named none. */
  readonly memoryForecast: string | null;
}

export interface TextPlan extends ProgramPlan {
  readonly contract: 'text';
  readonly geometry: TextGeometry;
  readonly templates: ChatTemplates;
  readonly identity: string;
}

/** What every contract has. */
interface ProgramPlan {
  /** Name for reports that `prepare` gave. */
  readonly sourceName: string;
  readonly state: SealedState;
  readonly stages: readonly StageDeclaration[];
  /** Bytes of the tokenizer asset; null when `prepare` named none. */
  readonly tokenizer: Uint8Array | null;
  readonly sources: readonly PackageSource[];
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
  readonly limits: Partial<HostLimits>;
  /** Checkpoints, banks and what fills them. Whoever takes the plan closes the checkpoints. */
  readonly parameters: ParameterPlan;
  /** Inputs of the pool's tasks. */
  readonly compileControl: CompileControlInput;
  readonly compileStage: (ordinal: number) => CompileStageInput;
  /** By index in `parameters.loaders`. */
  readonly compileLoader: (index: number) => CompileStageInput;
}

/** A package in a folder, prepared for a device with these facts. */
export function preparePackage(place: FilesPlace, facts = localFacts()): PreparationPlan {
  return prepareFiles(place.document, openPackageFiles(place), facts);
}

export function prepareFiles(
  document: ModelDocument,
  files: PackageFiles,
  facts: TargetFacts,
): PreparationPlan {
  const checkpoints = new PackageCheckpoints(files, document.deployment.parameter_files);
  try {
    const loaded = loadPackage(document, files);
    return planPackage(loaded, { files, facts, checkpoints });
  } finally {
    // Closes nothing of a plan that was made: it took the files over.
    checkpoints.close();
  }
}

interface PlanContext {
  readonly files: PackageFiles;
  readonly facts: TargetFacts;
  readonly checkpoints: PackageCheckpoints;
}

function planPackage(loaded: LoadedPackage, context: PlanContext): PreparationPlan {
  const { files, facts, checkpoints } = context;
  const { document, catalog, sources } = loaded;
  const profile = findProfile(document.profile);
  const bindings = packageBindings(loaded, facts);
  const limits = hostLimits(document);
  verifyPrograms(loaded, { bindings, facts });
  const cold = runPrepare(loaded, { profile, bindings, facts, limits, files, checkpoints });
  const { stages } = cold;
  const memoryForecast = forecastName(loaded, cold.memoryForecast);
  checkContract(cold, document);
  checkDeclarations(catalog, { bindings, declarations: stages, facts });
  checkNamedCheckpoints(document, files);
  const indexes = checkpoints.indexes();
  const planned = planParameters({ catalog, bindings, facts, limits }, { stages, indexes });
  const tokenizer = readTokenizer(document, files, cold.tokenizer);
  const input = (declaration: StageDeclaration): CompileStageInput => {
    return { sources, declaration, bindings, facts };
  };
  const plan: ProgramPlan = {
    sourceName: cold.sourceName,
    state: cold.state,
    stages,
    tokenizer,
    sources,
    bindings,
    facts,
    limits,
    parameters: { ...planned, sources: checkpoints.handOver() },
    compileControl: {
      sources,
      primary: loaded.control,
      profile: profile.name,
      forecast: memoryForecast,
      bindings,
      facts,
    },
    compileStage: (ordinal) => input(stages[ordinal]!),
    compileLoader: (index) => input(planned.loaders[index]!.declaration),
  };
  const { sizes } = cold;
  if (sizes.contract === 'text') {
    const identity = packageIdentity({ document, sources, bindings, tokenizer, indexes });
    return { ...plan, ...sizes, templates: readTemplates(document, files), identity };
  }
  const capacities = limitUnits(sizes.capacities, document);
  return { ...plan, contract: 'finite', capacities, memoryForecast };
}

/** What only one of the contracts knows. */
function checkContract(
  { sizes, stages, memoryForecast }: ColdResults,
  { profile, deployment }: ModelDocument,
): void {
  checkDrafting(profile, deployment.drafting);
  if (sizes.contract === 'finite') return;
  const tags = stages.map(({ tag }) => tag);
  checkShapes(tags, sizes.geometry.tokens);
  const unknown =
    memoryForecast !== null
      ? 'memory_forecast'
      : deployment.capacity.batch_units !== undefined
        ? 'deployment.capacity.batch_units'
        : null;
  if (unknown === null) return;
  throw new StatusError(
    'invalidArgument',
    `${unknown} is for profiles with cohorts; a package of profile ${profile} says in its options how much it takes`,
    { where: 'prepare' },
  );
}

/** The entry as the control program exports it; its signature is checked when that is linked. */
function forecastName(loaded: LoadedPackage, symbol: SymbolValue | null): string | null {
  if (symbol === null) return null;
  const found = loaded.catalog.find(symbol.name);
  const isThere = found?.decl.kind === 'func' && found.file.file === loaded.control;
  if (isThere && symbol.args.length === 0) return found.decl.name;
  throw new StatusError(
    'invalidArgument',
    `memory_forecast takes an exported function of ${loaded.control}; ${symbol.name} is none`,
    { where: 'prepare' },
  );
}

/** What the document lists for its readers must be there; `prepare.source` says what is read. */
function checkNamedCheckpoints({ assets }: ModelDocument, files: PackageFiles): void {
  assets.checkpoint?.forEach((reference, index) => {
    if (files.has(reference)) return;
    const where = `assets.checkpoint[${index}]`;
    throw new StatusError('notFound', `${where}: no file ${JSON.stringify(reference)}`, { where });
  });
}

/** Everything that is wrong with any file, in one error, before anything runs. */
function verifyPrograms(
  { catalog }: LoadedPackage,
  { bindings, facts }: { readonly bindings: Bindings; readonly facts: TargetFacts },
): void {
  const configuration = { target: facts, bindings: bindConfiguration(catalog, bindings) };
  const diagnostics = verifyCatalog(catalog, configuration);
  if (diagnostics.length > 0) throw new LoomError(diagnostics, catalog.source);
}

function limitUnits(capacities: FiniteCapacities, document: ModelDocument): FiniteCapacities {
  const { batch_units: asked } = document.deployment.capacity;
  if (asked === undefined) return capacities;
  return { ...capacities, batchUnits: Math.min(asked, capacities.batchUnits) };
}

function readTokenizer(
  document: ModelDocument,
  files: PackageFiles,
  name: string,
): Uint8Array | null {
  if (name === '') return null;
  const reference = name === 'tokenizer' ? document.assets.tokenizer : undefined;
  if (reference === undefined) {
    const known = Object.keys(document.assets).join(', ') || 'none';
    throw new StatusError(
      'invalidArgument',
      `'prepare' of the package names the tokenizer asset '${name}'; assets in model.json: ${known}`,
      { where: 'prepare' },
    );
  }
  const bytes = files.read(reference);
  // Made and dropped: a broken file is found now and not by the first request.
  new Tokenizer(bytes, reference);
  return bytes;
}

/** Limits of host calls that the deployment chose; the others have their defaults. */
export function hostLimits({ deployment }: ModelDocument): Partial<HostLimits> {
  const { fuel } = deployment.capacity;
  const { arena_bytes: arenaBytes } = deployment.memory;
  return {
    ...(fuel === undefined ? {} : { fuel }),
    ...(arenaBytes === undefined ? {} : { arenaBytes }),
  };
}
