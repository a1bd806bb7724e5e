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
import { bufferFunctions } from '../modules/buffer.js';
import { DeclarationRecorder } from '../modules/declaration-recorder.js';
import { capabilityTable } from '../modules/modules.js';
import { optionsFunctions, OptionsValue } from '../modules/options.js';
import { prepareFunctions } from '../modules/prepare.js';
import { checkPrepare } from '../profiles/finite.js';
import type { FiniteCapacities } from '../profiles/finite.js';
import type { Profile } from '../profiles/profile.js';
import { findProfile } from '../profiles/profiles.js';
import { Tokenizer } from '../tokenizer/tokenizer.js';
import type { SealedState } from '../vm/heap.js';
import { HostVm } from '../vm/host-vm.js';
import type { HostLimits } from '../vm/host-vm.js';
import type {
  Bindings,
  CompileControlInput,
  CompileStageInput,
  PackageSource,
  StageDeclaration,
} from './artefacts.js';
import { DiskFiles } from './disk-files.js';
import { linkHost } from './link-host.js';
import { loadPackage } from './load-package.js';
import type { LoadedPackage } from './load-package.js';
import type { ModelDocument } from './model-document.js';
import { packageBindings } from './package-configuration.js';
import type { PackageFiles } from './package-files.js';
import { checkDeclarations } from './stage-configuration.js';

export interface PreparationPlan {
  readonly capacities: FiniteCapacities;
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
  /** Inputs of the pool's tasks. */
  readonly compileControl: CompileControlInput;
  readonly compileStage: (ordinal: number) => CompileStageInput;
}

export interface PackagePlace {
  /** Absolute folder that references start from. */
  readonly base: string;
  readonly document: ModelDocument;
  /** Folders that references may lead into; none: the folder around the package's. */
  readonly packageRoots: readonly string[];
}

/** A package in a folder, prepared for a device with these facts. */
export function preparePackage(place: PackagePlace, facts = localFacts()): PreparationPlan {
  const files = new DiskFiles(place.base, place.packageRoots);
  return prepareFiles(place.document, files, facts);
}

export function prepareFiles(
  document: ModelDocument,
  files: PackageFiles,
  facts: TargetFacts,
): PreparationPlan {
  const profile = findProfile(document.profile);
  const loaded = loadPackage(document, files);
  const bindings = packageBindings(loaded, facts);
  verifyPrograms(loaded, { bindings, facts });
  const cold = runPrepare(loaded, { profile, bindings, facts });
  checkDeclarations(loaded.catalog, { bindings, declarations: cold.stages, facts });
  const { sources } = loaded;
  return {
    capacities: limitUnits(cold.capacities, document),
    sourceName: cold.sourceName,
    state: cold.state,
    stages: cold.stages,
    tokenizer: readTokenizer(document, files, cold.tokenizer),
    sources,
    bindings,
    facts,
    limits: hostLimits(document),
    compileControl: { sources, primary: loaded.control, profile: profile.name, bindings, facts },
    compileStage: (ordinal) => {
      const declaration = cold.stages[ordinal]!;
      return { sources, declaration, bindings, facts };
    },
  };
}

/** Everything that is wrong with any file, in one error, before anything runs. */
function verifyPrograms(
  { catalog }: LoadedPackage,
  { bindings, facts }: Omit<ColdContext, 'profile'>,
): void {
  const configuration = { target: facts, bindings: bindConfiguration(catalog, bindings) };
  const diagnostics = verifyCatalog(catalog, configuration);
  if (diagnostics.length > 0) throw new LoomError(diagnostics, catalog.source);
}

interface ColdResults {
  readonly capacities: FiniteCapacities;
  readonly tokenizer: string;
  readonly sourceName: string;
  readonly state: SealedState;
  readonly stages: readonly StageDeclaration[];
}

interface ColdContext {
  readonly profile: Profile;
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
}

/** Links and runs the `prepare` entry, and checks what it returns. */
function runPrepare(loaded: LoadedPackage, context: ColdContext): ColdResults {
  const { profile, bindings, facts } = context;
  const { catalog, document } = loaded;
  const program = linkHost(catalog, {
    primary: loaded.prepare,
    entries: profile.entries.filter((entry) => entry.program === 'prepare'),
    bindings,
    facts,
  });
  const declarations = new DeclarationRecorder();
  const vm = HostVm.create({
    program,
    executor: 'interpret',
    capabilities: capabilityTable("'prepare'", {
      buffer: bufferFunctions,
      options: optionsFunctions(),
      prepare: prepareFunctions(() => declarations),
    }),
    limits: hostLimits(document),
  });
  const options = new OptionsValue(document.definition.options);
  const results = vm.call('prepare', [assetRoot, options]);
  const [batchUnits, uploadBytes, outputBytes, resultBytes, tokenizer, sourceName, state] =
    results as [bigint, bigint, bigint, bigint, string, string, object];
  if (!isSealed(state)) {
    throw new StatusError(
      'internal',
      "'prepare' of the package returned a state that is not sealed",
    );
  }
  return {
    capacities: checkPrepare({ batchUnits, uploadBytes, outputBytes, resultBytes }),
    tokenizer,
    sourceName,
    state,
    stages: declarations.stages,
  };
}

/** A package cannot learn where it lies: its references start here. */
const assetRoot = '.';

function isSealed(state: object): state is SealedState {
  return 'image' in state && 'root' in state && 'pointers' in state;
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
