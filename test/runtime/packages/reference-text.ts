/**
 * A package with retained rows, prepared and run without threads or devices: control programs as
 * compiled WebAssembly, stages on the reference interpreter, pages and states as plain bytes. Each
 * epoch goes through encode_epoch, its submission and publish_epoch, as in the server.
 */
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import type { BufferRange, Submission } from '../../../runtime/hal/submission.js';
import { elaborateStage } from '../../../runtime/loom/elaborate/elaborate.js';
import type { CommandProgram } from '../../../runtime/loom/typed.js';
import { compileControl } from '../../../runtime/packages/compile-control.task.js';
import { compileStage } from '../../../runtime/packages/compile-stage.task.js';
import { storageBytes } from '../../../runtime/packages/epoch-storage.js';
import { programOf } from '../../../runtime/packages/link-host.js';
import { parseSources } from '../../../runtime/packages/load-package.js';
import type { ModelDocument } from '../../../runtime/packages/model-document.js';
import type { PackageFiles } from '../../../runtime/packages/package-files.js';
import { prepareFiles } from '../../../runtime/packages/prepare-package.js';
import type { PreparationPlan, TextPlan } from '../../../runtime/packages/prepare-package.js';
import { stageConfiguration } from '../../../runtime/packages/stage-configuration.js';
import { TextControl } from '../../../runtime/packages/text-control.js';
import type { TextModel } from '../../../runtime/packages/text-control.js';
import { TextPreparer } from '../../../runtime/packages/text-preparer.js';
import type { Span, SpanResult } from '../../../runtime/profiles/text.js';
import type { Move } from '../../../runtime/text/moves.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';

export interface EpochRun {
  readonly submission: Submission;
  readonly results: readonly SpanResult[];
  readonly captured: readonly Uint8Array[];
}

const keys = { pages: 'pages', states: 'states' };

/** A plan of a package with retained rows. */
export function textPlan(plan: PreparationPlan): TextPlan {
  if (plan.contract === 'text') return plan;
  throw new Error('the package has no retained rows');
}

export class ReferenceText {
  readonly plan: TextPlan;
  readonly model: TextModel;
  readonly control: TextControl;
  readonly preparer: TextPreparer;
  /** Of all rows, by key. */
  readonly storage: Readonly<Record<string, Uint8Array>>;
  readonly #programs = new Map<string, CommandProgram>();
  #epochs = 0;

  constructor(document: ModelDocument, files: PackageFiles) {
    const plan = textPlan(prepareFiles(document, files, localFacts()));
    const { parameters, geometry } = plan;
    this.plan = plan;
    this.model = {
      ...{ id: document.id, generation: 1, document, contract: 'text' },
      ...{ geometry, templates: plan.templates, state: plan.state, limits: plan.limits },
      ...{ sources: plan.sources, bindings: plan.bindings, facts: plan.facts },
      control: compileControl(plan.compileControl),
      stages: plan.stages.map((declaration, ordinal) => {
        const executable = `cold/${ordinal}`;
        const { reflection } = compileStage(plan.compileStage(ordinal));
        this.#load(executable, ordinal);
        return { declaration, executable, reflection };
      }),
      parameters: {
        ...{ scope: 'reference', banks: [], loaders: [] },
        ...{ stageBanks: parameters.stageBanks, indexes: parameters.indexes },
      },
    };
    this.control = new TextControl(this.model);
    this.preparer = new TextPreparer(this.model, plan.tokenizer);
    const { pages, states } = storageBytes(geometry);
    this.storage = { pages: new Uint8Array(pages), states: new Uint8Array(states) };
  }

  #load(executable: string, ordinal: number): void {
    const input = this.plan.compileStage(ordinal);
    const catalog = parseSources(input.sources);
    const configuration = stageConfiguration(catalog, input);
    const elaborated = elaborateStage(catalog, input.declaration.symbol, configuration);
    this.#programs.set(executable, programOf(catalog, elaborated));
  }

  run(spans: readonly Span[], moves: readonly Move[] = []): EpochRun {
    const plan = this.control.packEpoch(spans);
    const submission = this.control.epoch(plan, `epochs/${(this.#epochs += 1)}`, keys, moves);
    const { feedback, snapshot } = this.#execute(submission);
    const results = this.control.publish(plan, feedback);
    return { submission, results, captured: this.control.captured(plan, snapshot) };
  }

  /** Fresh storage is poisoned, so that whatever was not written shows. */
  #execute({ buffers, uploads, commands, snapshot }: Submission) {
    const storage = buffers.map(({ bytes, lifetime, key }) =>
      lifetime === 'shared' ? this.storage[key!]! : new Uint8Array(bytes).fill(0xff),
    );
    const bytesOf = ({ buffer, offset, length }: BufferRange): Uint8Array =>
      storage[buffer]!.subarray(offset, offset + length);
    let feedback: Uint8Array = new Uint8Array(0);
    for (const { target, bytes } of uploads) bytesOf(target).set(bytes);
    for (const command of commands) {
      if (command.op === 'copy') bytesOf(command.target).set(bytesOf(command.source));
      if (command.op === 'fill') bytesOf(command.target).fill(command.byte);
      if (command.op === 'feedback') feedback = bytesOf(command.source).slice();
      if (command.op !== 'execute') continue;
      const program = this.#programs.get(command.executable)!;
      const roots = command.roots.map(bytesOf);
      const { faults } = interpretCommand(program, { roots, checks: true });
      if (faults.length > 0) throw new Error(`${faults[0]!.position}: ${faults[0]!.message}`);
    }
    return { feedback, snapshot: Buffer.concat(snapshot.map(bytesOf)) };
  }
}
