/**
 * A package with retained rows, prepared and run without threads or actors: control programs as
 * compiled WebAssembly, stages by one worker of the local device or by the reference interpreter
 * with all its checks. Whoever uses it is the server: it gives pages and states to rows.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { DeviceRange } from '../../runtime/hal/buffer.js';
import { Executable } from '../../runtime/hal/executable.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import { LocalMemory } from '../../runtime/hal/local/local-memory.js';
import { OneWorker } from '../../runtime/hal/local/one-worker.js';
import type { BufferRange, Submission, SubmissionBuffer } from '../../runtime/hal/submission.js';
import { elaborateStage } from '../../runtime/loom/elaborate/elaborate.js';
import type { CommandProgram } from '../../runtime/loom/typed.js';
import type { CompileStageInput } from '../../runtime/packages/artefacts.js';
import { compileControl } from '../../runtime/packages/compile-control.task.js';
import { compileStage } from '../../runtime/packages/compile-stage.task.js';
import type { EpochPlan } from '../../runtime/packages/epoch-plan.js';
import { storageBytes } from '../../runtime/packages/epoch-storage.js';
import { programOf } from '../../runtime/packages/link-host.js';
import { parseSources } from '../../runtime/packages/load-package.js';
import { prepareFiles } from '../../runtime/packages/prepare-package.js';
import { stageConfiguration } from '../../runtime/packages/stage-configuration.js';
import { TextControl } from '../../runtime/packages/text-control.js';
import type { TextModel } from '../../runtime/packages/text-control.js';
import type { Span, SpanResult, TextGeometry } from '../../runtime/profiles/text.js';
import type { Move } from '../../runtime/text/moves.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { modelPackage } from '../runtime/packages/reference-model.js';
import { fillBanks } from './filled-banks.js';

const MEMORY_BYTES = 2 ** 28;
const ALIGNMENT = 256;
/** What storage holds that nobody has written yet. */
const STALE_BYTE = 0xa5;

type Executor = 'local' | 'interpreter';

/** A package that is none of the repository's. */
export type BenchPackage = ReturnType<typeof modelPackage>;

export interface Epoch {
  readonly plan: EpochPlan;
  readonly results: readonly SpanResult[];
  /** Of a sequence: each span's output. */
  readonly captured: readonly Uint8Array[];
  /** All of it, as the epoch left it. */
  readonly residual: Uint8Array;
}

/** Index among the buffers of an epoch's submission. */
const RESIDUAL = 4;

export class EpochBench {
  readonly model: TextModel;
  readonly control: TextControl;
  /** Tokenizer asset; null when the package has none. */
  readonly tokenizer: Uint8Array | null;
  readonly #executor: Executor;
  readonly #memory = new LocalMemory({ workers: 1, memoryBytes: MEMORY_BYTES });
  readonly #worker = new OneWorker(this.#memory);
  readonly #executables = new Map<string, Executable>();
  readonly #programs = new Map<string, CommandProgram>();
  readonly #kept: ReadonlyMap<string, DeviceRange>;
  /** Fields of each bank of each stage, by executable. */
  readonly #banks: ReadonlyMap<string, readonly (readonly DeviceRange[])[]>;
  #end = 0;

  constructor(given: string | BenchPackage, executor: Executor = 'local', change: object = {}) {
    this.#executor = executor;
    const { document, files } = typeof given === 'string' ? modelPackage(given, change) : given;
    const plan = prepareFiles(document, files, localFacts());
    if (plan.contract !== 'text') throw new Error(`${document.id} retains no rows`);
    this.tokenizer = plan.tokenizer;
    this.model = {
      id: document.id,
      generation: 1,
      document,
      contract: 'text',
      geometry: plan.geometry,
      templates: plan.templates,
      control: compileControl(plan.compileControl),
      state: plan.state,
      stages: plan.stages.map((declaration, ordinal) => {
        const executable = `cold/${ordinal}`;
        const { reflection } = this.#load(executable, plan.compileStage(ordinal));
        return { declaration, executable, reflection };
      }),
      sources: plan.sources,
      bindings: plan.bindings,
      facts: plan.facts,
      limits: plan.limits,
      parameters: { scope: 'bench', banks: [], stageBanks: [], loaders: [], indexes: [] },
    };
    this.control = new TextControl(this.model);
    const banks = fillBanks(plan, {
      memory: this.#memory,
      worker: this.#worker,
      take: (bytes) => this.#take(bytes, STALE_BYTE),
    });
    this.#banks = new Map(banks.map((bound, ordinal) => [`cold/${ordinal}`, bound]));
    const { pages, states } = storageBytes(this.geometry);
    this.#kept = new Map([
      ['pages', this.#take(pages, 0)],
      ['states', this.#take(states, 0)],
    ]);
  }

  get geometry(): TextGeometry {
    return this.model.geometry;
  }

  page(index: number): Uint8Array {
    const { pageBytes } = this.geometry;
    return this.#keptBytes('pages', index * pageBytes, pageBytes);
  }

  state(slot: number): Uint8Array {
    const { stateBytes } = this.geometry;
    return this.#keptBytes('states', slot * stateBytes, stateBytes);
  }

  #keptBytes(key: string, offset: number, length: number): Uint8Array {
    return this.#memory.view(this.#kept.get(key)!).slice(offset, offset + length);
  }

  #load(executable: string, input: CompileStageInput) {
    const catalog = parseSources(input.sources);
    const configuration = stageConfiguration(catalog, input);
    const elaborated = elaborateStage(catalog, input.declaration.symbol, configuration);
    this.#programs.set(executable, programOf(catalog, elaborated));
    const artefact = compileStage(input);
    const image = { info: artefact.reflection, module: artefact.module };
    this.#executables.set(executable, new Executable(executable, image, () => undefined));
    return artefact;
  }

  /** One epoch, from packing to what it means. */
  run(spans: readonly Span[], moves: readonly Move[] = []): Epoch {
    const plan = this.control.packEpoch(spans);
    const keys = { pages: 'pages', states: 'states' };
    const submission = this.control.epoch(plan, 'epoch', keys, moves);
    const { feedback, snapshot, residual } = this.#submit(submission);
    const isSequence = plan.captures.length > 0;
    return {
      plan,
      results: this.control.publish(plan, feedback),
      captured: isSequence ? this.control.captured(plan, snapshot) : [],
      residual,
    };
  }

  #submit({ buffers, uploads, commands, snapshot }: Submission) {
    const mark = this.#end;
    const ranges = buffers.map((buffer) => this.#rangeOf(buffer));
    const inside = ({ buffer, offset, length }: BufferRange): DeviceRange => {
      const range = ranges[buffer]!;
      return { slab: range.slab, offset: range.offset + offset, length };
    };
    const view = (range: BufferRange): Uint8Array => this.#memory.view(inside(range));
    for (const { target, bytes } of uploads) view(target).set(bytes);
    let feedback = new Uint8Array();
    for (const command of commands) {
      if (command.op === 'copy') view(command.target).set(view(command.source));
      if (command.op === 'fill') view(command.target).fill(command.byte);
      if (command.op === 'feedback') feedback = view(command.source).slice();
      if (command.op === 'execute') this.#execute(command.executable, command.roots.map(inside));
    }
    const bytes = Buffer.concat(snapshot.map(view));
    const residual = this.#memory.view(ranges[RESIDUAL]!).slice();
    this.#end = mark;
    return { feedback, snapshot: new Uint8Array(bytes), residual };
  }

  #rangeOf({ bytes, key }: SubmissionBuffer): DeviceRange {
    return key === undefined ? this.#take(bytes, STALE_BYTE) : this.#kept.get(key)!;
  }

  #take(length: number, byte: number): DeviceRange {
    const range = { slab: 0, offset: this.#end, length };
    this.#end = Math.ceil((this.#end + length) / ALIGNMENT) * ALIGNMENT;
    if (!this.#memory.grow(0, this.#end)) throw new Error('the bench is out of memory');
    this.#memory.view(range).fill(byte);
    return range;
  }

  #execute(name: string, roots: readonly DeviceRange[]): void {
    if (this.#executor === 'interpreter') return this.#interpret(name, roots);
    const executable = this.#executables.get(name)!;
    const workspace = this.#take(executable.info.workspaceBytes, STALE_BYTE);
    const failure = this.#worker.run({
      executable,
      roots,
      banks: this.#banks.get(name)!.flat(),
      workspace,
      part: 0,
      deployment: 'bench',
      backEdges: null,
    });
    if (failure) throw StatusError.from(failure);
  }

  #interpret(name: string, roots: readonly DeviceRange[]): void {
    const program = this.#programs.get(name)!;
    const bytes = (ranges: readonly DeviceRange[]) =>
      ranges.map((range) => this.#memory.view(range));
    const banks = this.#banks.get(name)!.map(bytes);
    const { faults } = interpretCommand(program, { roots: bytes(roots), banks, checks: true });
    if (faults.length > 0) throw new Error(`${faults[0]!.position}: ${faults[0]!.message}`);
  }
}
