/**
 * The control program of a text package as a preparation thread uses it: prompts become ids, ids
 * become text, over its own copy of the frozen state, its own tokenizer and its chat templates.
 */
import { StatusError } from '../base/errors.js';
import { wasmExecutor } from '../jit/host-executor.js';
import { bufferFunctions } from '../modules/buffer.js';
import { chatFunctions } from '../modules/chat.js';
import { ChatRenderer } from '../modules/chat-renderer.js';
import { inputFunctions } from '../modules/input.js';
import { capabilityTable } from '../modules/modules.js';
import { encodePacket, RequestPacket, type PacketRecord } from '../profiles/request-packet.js';
import { checkCallForm } from '../profiles/call-form.js';
import { answerEntry, callFormEntry, promptEntry } from '../profiles/text-entries.js';
import { CONTEXT_EXCEEDED, type CallForm, type Prompt } from '../profiles/text.js';
import { decodeIds } from '../profiles/token-ids.js';
import { ADD_SPECIAL_TOKENS, Tokenizer } from '../tokenizer/tokenizer.js';
import { FROZEN_STATE } from '../vm/host-value.js';
import { HostVm } from '../vm/host-vm.js';
import { ProgramError } from '../vm/program-error.js';
import type { TextModel } from './text-control.js';

export class TextPreparer {
  readonly #model: TextModel;
  readonly #vm: HostVm;
  readonly #tokenizer: Tokenizer | null;
  #packet: RequestPacket | null = null;
  #callForm: CallForm | null = null;

  constructor(model: TextModel, tokenizerBytes: Uint8Array | null) {
    this.#model = model;
    const { control, state, limits, templates } = model;
    this.#tokenizer = tokenizerBytes === null ? null : new Tokenizer(tokenizerBytes, 'tokenizer');
    this.#vm = HostVm.create({
      program: control.program,
      executor: wasmExecutor(control),
      capabilities: capabilityTable("'prompt_ids'", {
        buffer: bufferFunctions,
        chat: chatFunctions(new ChatRenderer(templates)),
        input: inputFunctions({ packet: () => this.#packet, tokenizer: this.#tokenizer }),
      }),
      state,
      limits,
      memories: control.memories,
    });
  }

  /**
   * The ids that a turn appends to its row, which holds `held` tokens already. What the program
   * rejects is its caller's mistake.
   */
  promptIds(prompt: Prompt, held = 0): number[] {
    const { name } = promptEntry;
    this.#checkSize(prompt);
    if (this.#model.document.profile === 'sequence') return this.#knownIds(prompt);
    const packet = encodePacket([recordOf(prompt), { kind: 'number', number: held }]);
    this.#packet = new RequestPacket(packet);
    try {
      const [ids] = this.#vm.call(name, [FROZEN_STATE, packet]) as [Uint8Array];
      const count = Math.floor(ids.length / 4);
      // A program that is given too much need not read to the end of it.
      const isCut = count === this.#model.geometry.context + 1;
      this.#checkCount('prompt', count, isCut ? 'at least ' : '');
      return decodeIds(ids, name, this.#model.geometry.vocabulary);
    } catch (error) {
      throw rejected(error);
    } finally {
      this.#packet = null;
    }
  }

  /** How calls of functions are written; null where the package does not say or read it. */
  callForm(): CallForm | null {
    const { name } = callFormEntry;
    const isKnown = [name, answerEntry.name].every((entry) => this.#vm.signature(entry) !== null);
    if (!isKnown) return null;
    this.#callForm ??= checkCallForm((this.#vm.call(name, [FROZEN_STATE]) as [Uint8Array])[0]);
    return this.#callForm;
  }

  /** The ids of a prompt for whoever counts them: those that a turn would append. */
  tokenize(prompt: Prompt): number[] {
    return this.promptIds(prompt);
  }

  /** The text that ids stand for, special tokens and all. */
  detokenize(ids: readonly number[]): string {
    this.#checkCount('tokens', ids.length);
    if (this.#tokenizer !== null)
      return this.#tokenizer.text(Int32Array.from(this.#checked(ids, 'tokens')));
    throw new StatusError(
      'failedPrecondition',
      `model ${this.#model.id} has no tokenizer: 'prepare' returned no tokenizer asset`,
    );
  }

  /** A sequence is given as ids, or as text that the tokenizer alone makes ids of. */
  #knownIds(prompt: Prompt): number[] {
    if (prompt.kind === 'tokens') return [...this.#checked(prompt.ids, 'prompt')];
    if (prompt.kind === 'text' && this.#tokenizer !== null) {
      const capacity = this.#model.geometry.context + 1;
      const { ids, count } = this.#tokenizer.encode(prompt.text, ADD_SPECIAL_TOKENS, capacity);
      this.#checkCount('prompt', count, 'at least ');
      return [...this.#checked([...ids.subarray(0, count)], 'prompt')];
    }
    const without = prompt.kind === 'text' ? ' and has no tokenizer' : '';
    throw new StatusError(
      'invalidArgument',
      `model ${this.#model.id} takes token ids${without}; it was given ${prompt.kind === 'text' ? 'text' : 'a chat'}`,
    );
  }

  /**
   * What no row can hold is refused before it costs anything. The text of a chat is not known yet:
   * its ids are counted when they are there.
   */
  #checkSize(prompt: Prompt): void {
    if (prompt.kind === 'tokens') return this.#checkCount('prompt', prompt.ids.length);
    if (prompt.kind !== 'text' || this.#tokenizer === null) return;
    const { id, geometry } = this.#model;
    const most = geometry.context * this.#tokenizer.textBytesMax;
    const bytes = Buffer.byteLength(prompt.text);
    if (bytes <= most) return;
    throw new StatusError(
      'outOfRange',
      `the prompt has ${bytes} bytes of text; a row of model ${id} holds ${geometry.context} tokens, which are ${most} bytes at most`,
      tooLong,
    );
  }

  #checkCount(param: string, count: number, about = ''): void {
    const { id, geometry } = this.#model;
    if (count <= geometry.context) return;
    const what = param === 'prompt' ? 'the prompt has' : 'there are';
    throw new StatusError(
      'outOfRange',
      `${what} ${about}${count} tokens; a row of model ${id} holds ${geometry.context}`,
      param === 'prompt' ? tooLong : { param },
    );
  }

  #checked(ids: readonly number[], param: string): readonly number[] {
    const { vocabulary } = this.#model.geometry;
    const wrong = ids.findIndex((id) => !(Number.isInteger(id) && id >= 0 && id < vocabulary));
    if (wrong < 0) return ids;
    throw new StatusError(
      'invalidArgument',
      `token ${wrong} is ${ids[wrong]}; ids of model ${this.#model.id} are 0 to ${vocabulary - 1}`,
      { param },
    );
  }
}

const tooLong = { param: 'prompt', reason: CONTEXT_EXCEEDED } as const;

/** Its caller cannot look into the program: a rejection is what it says, and no place in there. */
function rejected(error: unknown): unknown {
  const isRejection = error instanceof ProgramError && error.code === 'invalidArgument';
  if (!isRejection) return error;
  return new StatusError('invalidArgument', error.reason, {
    param: error.status.param ?? 'prompt',
  });
}

const recordOf = (prompt: Prompt): PacketRecord =>
  prompt.kind === 'tokens' ? { kind: 'tokens', tokens: prompt.ids } : prompt;
