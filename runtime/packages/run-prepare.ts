/**
 * Runs the cold entry `prepare` of a package in the interpreter and checks what it returns, by the
 * contract of its profile. Files
 * that it declares are opened while it runs; the caller owns them, also when it raises.
 */
import { StatusError } from '../base/errors.js';
import type { TargetFacts } from '../base/target-facts.js';
import { bufferFunctions } from '../modules/buffer.js';
import { DeclarationRecorder } from '../modules/declaration-recorder.js';
import { capabilityTable } from '../modules/modules.js';
import { optionsFunctions, OptionsValue } from '../modules/options.js';
import { prepareFunctions } from '../modules/prepare.js';
import type { SymbolValue } from '../modules/signature-table.js';
import { weightsFunctions } from '../modules/weights.js';
import { checkPrepare } from '../profiles/finite.js';
import type { FiniteCapacities } from '../profiles/finite.js';
import type { Profile } from '../profiles/profile.js';
import { checkTextPrepare } from '../profiles/text-geometry.js';
import type { TextGeometry } from '../profiles/text.js';
import type { SealedState } from '../vm/heap.js';
import type { HostValue } from '../vm/host-value.js';
import { HostVm } from '../vm/host-vm.js';
import type { HostLimits } from '../vm/host-vm.js';
import type { Bindings, StageDeclaration } from './artefacts.js';
import { interpretedLimits } from './interpreted-limits.js';
import { linkHost } from './link-host.js';
import type { LoadedPackage } from './load-package.js';
import { parseJson } from './model-document.js';
import type { PackageCheckpoints } from './package-checkpoints.js';
import type { PackageFiles } from './package-files.js';

/** What `prepare` said of sizes. */
export type ColdSizes =
  | { readonly contract: 'finite'; readonly capacities: FiniteCapacities }
  | { readonly contract: 'text'; readonly geometry: TextGeometry };

export interface ColdResults {
  readonly sizes: ColdSizes;
  readonly tokenizer: string;
  /** For reports; without one, the package's own name. */
  readonly sourceName: string;
  readonly state: SealedState;
  readonly stages: readonly StageDeclaration[];
  /** Control entry for memory estimates; null when none was named. */
  readonly memoryForecast: SymbolValue | null;
}

export interface ColdContext {
  readonly profile: Profile;
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
  readonly limits: Partial<HostLimits>;
  readonly files: PackageFiles;
  readonly checkpoints: PackageCheckpoints;
}

/** A package cannot learn where it lies: its references start here. */
const assetRoot = '.';

export function runPrepare(loaded: LoadedPackage, context: ColdContext): ColdResults {
  const { profile, bindings, facts } = context;
  const program = linkHost(loaded.catalog, {
    primary: loaded.prepare,
    entries: profile.entries.filter((entry) => entry.program === 'prepare'),
    bindings,
    facts,
  });
  const { checkpoints, limits } = context;
  const declarations = new DeclarationRecorder(0, 0, checkpoints);
  const vm = HostVm.create({
    program,
    executor: 'interpret',
    capabilities: capabilities(declarations, context),
    limits: interpretedLimits(limits),
  });
  const options = new OptionsValue(loaded.document.definition.options);
  const results = vm.call('prepare', [assetRoot, options]);
  const { state, ...given } =
    profile.contract === 'finite' ? finiteResults(results) : textResults(results, loaded);
  if (!isSealed(state)) {
    throw new StatusError(
      'internal',
      "'prepare' of the package returned a state that is not sealed",
    );
  }
  const { stages, memoryForecast } = declarations;
  return { ...given, state, stages, memoryForecast };
}

interface Returned extends Pick<ColdResults, 'sizes' | 'tokenizer' | 'sourceName'> {
  readonly state: object;
}

function finiteResults(results: readonly HostValue[]): Returned {
  const [batchUnits, uploadBytes, outputBytes, resultBytes, tokenizer, sourceName, state] =
    results as [bigint, bigint, bigint, bigint, string, string, object];
  const capacities = checkPrepare({ batchUnits, uploadBytes, outputBytes, resultBytes });
  return { sizes: { contract: 'finite', capacities }, tokenizer, sourceName, state };
}

function textResults(returned: readonly HostValue[], { document }: LoadedPackage): Returned {
  const [rows, tokens, spans, context, ...tables] = returned as [bigint, bigint, bigint, bigint];
  const [storage, packets, terminal, tokenizer, state] = tables as unknown as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    string,
    object,
  ];
  const counts = { rows, tokens, spans, context };
  const results = { ...counts, storage, packets, terminal };
  const geometry = checkTextPrepare(results, document.profile === 'text' ? 1 : 0);
  return { sizes: { contract: 'text', geometry }, tokenizer, sourceName: document.id, state };
}

function capabilities(declarations: DeclarationRecorder, { files, checkpoints }: ColdContext) {
  const source = (input: bigint) => {
    const ordinal = declarations.sources.resolve(input, 'weights');
    return { ordinal, index: checkpoints.index(ordinal) };
  };
  return capabilityTable("'prepare'", {
    buffer: bufferFunctions,
    options: optionsFunctions(),
    prepare: prepareFunctions(
      () => declarations,
      (reference) =>
        new OptionsValue(parseJson(files.read(reference), reference), files.name(reference)),
    ),
    weights: weightsFunctions({ source, placements: null }),
  });
}

function isSealed(state: object): state is SealedState {
  return 'image' in state && 'root' in state && 'pointers' in state;
}
