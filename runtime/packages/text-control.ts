/**
 * The control program of a text or sequence package as a model's thread uses it: options of a turn,
 * one epoch packed, its submission, what its feedback means. Owns one VM instance over the frozen
 * state. Calls are synchronous; nothing here submits, waits or knows a row.
 *
 * Holds: an epoch that was packed keeps nothing of the program's memory, so the program may use it
 * again at once, and every table that a plan came from has been checked.
 */
import { assert, StatusError } from '../base/errors.js';
import type { Submission } from '../hal/submission.js';
import { wasmExecutor } from '../jit/host-executor.js';
import { bufferFunctions } from '../modules/buffer.js';
import { capabilityTable } from '../modules/modules.js';
import { parametersFunctions } from '../modules/parameters.js';
import { RunnerRecorder } from '../modules/runner-recorder.js';
import { runnerFunctions } from '../modules/runner.js';
import { checkCaptures } from '../profiles/capture-plan.js';
import { checkPublished } from '../profiles/published-spans.js';
import { exactNumber, invalidReturn } from '../profiles/record-table.js';
import { checkDefaults, checkSampling, encodeSampling } from '../profiles/sampling-options.js';
import { encodeSpans, outputsOf } from '../profiles/span-table.js';
import { captureEntry, draftEntry, answerEntry } from '../profiles/text-entries.js';
import { checkShapes } from '../profiles/text-geometry.js';
import type { SamplingOptions, Span, SpanResult, TextGeometry } from '../profiles/text.js';
import { decodeIds, encodeIds } from '../profiles/token-ids.js';
import { checkTransferPlan } from '../profiles/transfer-plan.js';
import { lookupDraft } from '../text/lookup-draft.js';
import type { Move } from '../text/moves.js';
import { FROZEN_STATE, type HostValue } from '../vm/host-value.js';
import { HostVm } from '../vm/host-vm.js';
import { ScratchBuffer } from '../vm/scratch-buffer.js';
import type { ChatTemplates } from './chat-templates.js';
import { entryAt } from './checkpoint-entries.js';
import { draftingOf, type Drafting } from './drafting.js';
import { copyUploads, type EpochPlan } from './epoch-plan.js';
import { EpochStorage, type RowTransfer, type StorageKeys } from './epoch-storage.js';
import { coldStages, type ProgramModel } from './program-model.js';

/** A prepared model of retained rows. */
export interface TextModel extends ProgramModel {
  readonly contract: 'text';
  readonly geometry: TextGeometry;
  readonly templates: ChatTemplates;
}

/** A turn's bytes for its spans, and how many of its last output ids they show. */
export interface BoundTurn {
  readonly bound: Uint8Array;
  readonly history: number;
}

export class TextControl {
  readonly defaults: SamplingOptions;
  readonly drafting: Drafting;
  readonly hasChat: boolean;
  readonly #model: TextModel;
  readonly #vm: HostVm;
  readonly #shapes: readonly number[];
  readonly #isSequence: boolean;
  readonly #metadata: ScratchBuffer;
  readonly #input: ScratchBuffer;
  readonly #storage: EpochStorage;
  #invocation: RunnerRecorder | null = null;

  constructor(model: TextModel) {
    this.#model = model;
    const { control, state, limits, geometry } = model;
    const tags = model.stages.map(({ declaration }) => declaration.tag);
    this.#shapes = checkShapes(tags, geometry.tokens);
    this.#vm = HostVm.create({
      program: control.program,
      executor: wasmExecutor(control),
      capabilities: capabilityTable("'epoch' and its kin", {
        buffer: bufferFunctions,
        parameters: parametersFunctions(() => this.#recorder()),
        runner: runnerFunctions(() => this.#recorder()),
      }),
      state,
      limits,
      memories: control.memories,
    });
    const has = ({ name }: { readonly name: string }): boolean => this.#vm.signature(name) !== null;
    this.#isSequence = has(captureEntry) && model.document.profile === 'sequence';
    this.drafting = this.#isSequence ? 'none' : draftingOf(model.document, has(draftEntry));
    this.hasChat = !this.#isSequence && has(answerEntry);
    this.#metadata = new ScratchBuffer(geometry.metadataBytes);
    this.#input = new ScratchBuffer(geometry.inputBytes);
    const [defaults] = this.#call('request_defaults', []) as [Uint8Array];
    this.defaults = checkDefaults(defaults, geometry.vocabulary);
    this.#storage = new EpochStorage(geometry, this.#emptyState());
  }

  /** Bytes that the state of a row without tokens begins with; zeros follow. */
  emptyState(): Uint8Array {
    return this.#storage.emptyState.slice();
  }

  /** The smallest stage that is enough for so many tokens. */
  shapeOf(tokens: number): number {
    let found = -1;
    this.#shapes.forEach((shape, ordinal) => {
      const isEnough = shape >= tokens;
      if (isEnough && (found < 0 || shape < this.#shapes[found]!)) found = ordinal;
    });
    assert(found >= 0, `at most ${this.#model.geometry.tokens} tokens in an epoch`);
    return found;
  }

  /** Once a turn. What the caller does not say is what the package prefers. */
  bind(options: SamplingOptions): BoundTurn {
    const { vocabulary, context } = this.#model.geometry;
    checkSampling(options, vocabulary);
    const table = encodeSampling(options, this.defaults);
    const [checked] = this.#call('request_options', [table]) as [Uint8Array];
    const [bound, word] = this.#call('bind_request', [checked]) as [Uint8Array, bigint];
    const history = exactNumber(word, 'bind_request', 'history');
    if (history >= 0 && history <= context) return { bound, history };
    throw invalidReturn('bind_request', `history = ${history}; 0 to ${context} expected`);
  }

  /** Packs one epoch: at most as many tokens, spans and outputs as `prepare` said. */
  packEpoch(spans: readonly Span[]): EpochPlan {
    const { geometry } = this.#model;
    const chosen = spans.findIndex(({ selects, drafts }) => selects || drafts > 0);
    assert(!this.#isSequence || chosen < 0, `span ${chosen} of a sequence to select nothing`);
    const shape = this.shapeOf(spans.reduce((sum, { ids }) => sum + ids.length, 0));
    const tables = encodeSpans(spans);
    const results = this.#call('encode_epoch', [
      BigInt(shape),
      tables.spans,
      tables.ids,
      tables.pages,
      tables.bound,
      tables.masks,
      this.#metadata,
      this.#input,
    ]);
    const [outputs, bytes, offset, length] = results as [bigint, Uint8Array, bigint, bigint];
    const transfers = checkTransferPlan({ bytes, offset, length }, geometry);
    const uploads = copyUploads(transfers, [this.#metadata, this.#input]);
    return {
      spans,
      table: tables.spans,
      shape,
      outputs: this.#checkOutputs(outputs, spans),
      uploads,
      uploadBytes: uploads.reduce((sum, upload) => sum + upload.bytes.length, 0),
      captures: this.#isSequence ? this.#captures(shape, tables.spans, spans.length) : [],
    };
  }

  #checkOutputs(word: bigint, spans: readonly Span[]): number {
    const { outputs: most } = this.#model.geometry;
    const outputs = exactNumber(word, 'encode_epoch', 'outputs');
    const wanted = spans.reduce((sum, span) => sum + outputsOf(span), 0);
    if (outputs >= wanted && outputs <= most) return outputs;
    throw invalidReturn(
      'encode_epoch',
      `${outputs} outputs; the spans want ${wanted}, and ${most} are possible`,
    );
  }

  #captures(shape: number, table: Uint8Array, spans: number) {
    const args = [BigInt(shape), BigInt(spans), table];
    const [triples] = this.#call('capture_epoch', args) as [Uint8Array];
    return checkCaptures(triples, { spans, residualBytes: this.#model.geometry.residualBytes });
  }

  /** The submission of a packed epoch; its moves come before what the program records. */
  epoch(
    plan: EpochPlan,
    invocation: string,
    keys: StorageKeys,
    moves: readonly Move[],
  ): Submission {
    const { id, geometry, parameters } = this.#model;
    const recorder = new RunnerRecorder({
      stages: coldStages(this.#model),
      slots: [plan.outputs * geometry.feedbackBytes],
      entry: (source, key) => entryAt(parameters.indexes, source, key),
    });
    const placed = this.#storage.place(recorder, keys, moves);
    this.#invocation = recorder;
    try {
      this.#vm.call('epoch', [BigInt(plan.shape), BigInt(plan.outputs), ...placed.roots]);
    } finally {
      this.#invocation = null;
    }
    if (!recorder.commands.some((command) => command.op === 'execute')) {
      throw new StatusError('internal', "'epoch' executed no stage", { where: 'epoch' });
    }
    return {
      invocation,
      owner: { kind: 'invocation', deployment: id, id: invocation },
      buffers: recorder.buffers,
      uploads: [...plan.uploads.map(placed.upload), ...placed.uploads],
      commands: [...placed.commands, ...recorder.commands],
      snapshot: plan.captures.flat().map(placed.capture),
      sources: parameters.scope,
    };
  }

  /** The submission of what a row keeps outside, or takes from there; its moves come first. */
  transfer(
    transfer: RowTransfer,
    invocation: string,
    keys: StorageKeys,
    moves: readonly Move[],
  ): Submission {
    const owner = { kind: 'invocation', deployment: this.#model.id, id: invocation } as const;
    return { invocation, owner, ...this.#storage.transfer(keys, moves, transfer) };
  }

  /** What an epoch that retired means for its spans. `feedback` is what slot 0 holds. */
  publish({ shape, table, spans }: EpochPlan, feedback: Uint8Array): SpanResult[] {
    const results = this.#call('publish_epoch', [BigInt(shape), table, feedback]);
    const [published, details] = results as [Uint8Array, Uint8Array];
    return checkPublished({ table: published, details }, spans, this.#model.geometry);
  }

  /** Of a sequence: each span's output, cut from the snapshot of its epoch. */
  captured({ captures }: EpochPlan, snapshot: Uint8Array): Uint8Array[] {
    let end = 0;
    return captures.map((pieces) => {
      const start = end;
      end += pieces.reduce((sum, { length }) => sum + length, 0);
      return snapshot.slice(start, end);
    });
  }

  /** At most `count` proposals for what follows `ids`. */
  draft(ids: readonly number[], count: number): number[] {
    if (this.drafting === 'none' || count === 0) return [];
    if (this.drafting === 'lookup') return [...lookupDraft(ids, count)];
    const [bytes] = this.#call('draft', [encodeIds(ids), BigInt(count)]) as [Uint8Array];
    const proposals = decodeIds(bytes, 'draft', this.#model.geometry.vocabulary);
    if (proposals.length <= count) return proposals;
    throw invalidReturn('draft', `${proposals.length} proposals; at most ${count} were asked`);
  }

  /** JSON of what the text of a finished turn says, tool calls and all. */
  answerChat(text: string): string {
    const [bytes] = this.#call('answer_chat', [new TextEncoder().encode(text)]) as [Uint8Array];
    return checkAnswer(bytes);
  }

  #call(entry: string, args: readonly HostValue[]): HostValue[] {
    return this.#vm.call(entry, [FROZEN_STATE, ...args]);
  }

  #emptyState(): Uint8Array {
    const { stateBytes } = this.#model.geometry;
    const [bytes] = this.#call('encode_state', []) as [Uint8Array];
    if (bytes.length <= stateBytes) return bytes;
    throw invalidReturn('encode_state', `${bytes.length} bytes; a state has ${stateBytes}`);
  }

  #recorder(): RunnerRecorder {
    if (this.#invocation !== null) return this.#invocation;
    throw new StatusError('internal', "runner capabilities are for 'epoch' only");
  }
}

function checkAnswer(bytes: Uint8Array): string {
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(json);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return json;
  } catch {
    // Told below: what it is instead does not matter.
  }
  throw invalidReturn('answer_chat', `${bytes.length} bytes that are no JSON object`);
}
