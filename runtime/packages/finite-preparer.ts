/**
 * The control program of a finite contract as a preparation thread uses it: `prepare_request` for
 * one input at a time, over its own copy of the frozen state and its own tokenizer.
 */
import { wasmExecutor } from '../jit/host-executor.js';
import { bufferFunctions } from '../modules/buffer.js';
import { inputFunctions } from '../modules/input.js';
import { capabilityTable } from '../modules/modules.js';
import { checkPreparedRequest, type PreparedRequest } from '../profiles/embeddings.js';
import { encodeRequest, RequestPacket, type FiniteRequest } from '../profiles/request-packet.js';
import { StatusError } from '../base/errors.js';
import { Tokenizer } from '../tokenizer/tokenizer.js';
import { FROZEN_STATE } from '../vm/host-value.js';
import { HostVm } from '../vm/host-vm.js';
import type { FiniteModel } from './finite-control.js';

export class FinitePreparer {
  readonly #model: FiniteModel;
  readonly #vm: HostVm;
  #packet: RequestPacket | null = null;

  constructor(model: FiniteModel, tokenizerBytes: Uint8Array | null) {
    this.#model = model;
    const { control, state, limits } = model;
    const tokenizer = tokenizerBytes === null ? null : new Tokenizer(tokenizerBytes, 'tokenizer');
    this.#vm = HostVm.create({
      program: control.program,
      executor: wasmExecutor(control),
      capabilities: capabilityTable("'prepare_request'", {
        buffer: bufferFunctions,
        input: inputFunctions({ packet: () => this.#packet, tokenizer }),
      }),
      state,
      limits,
    });
  }

  /** Throws what the program rejects, or what breaks the contract. */
  prepare(request: FiniteRequest): PreparedRequest {
    this.#checkAccepted(request);
    const bytes = encodeRequest(request);
    this.#packet = new RequestPacket(bytes);
    try {
      const results = this.#vm.call('prepare_request', [FROZEN_STATE, bytes]);
      const [prepared, units, tag] = results as [Uint8Array, bigint, bigint];
      const { batchUnits } = this.#model.capacities;
      return checkPreparedRequest({ bytes: prepared, units, tag }, batchUnits);
    } finally {
      this.#packet = null;
    }
  }

  #checkAccepted({ dimensions }: FiniteRequest): void {
    const { id, document } = this.#model;
    if (dimensions === 0 || document.accepts.includes('dimensions')) return;
    throw new StatusError(
      'invalidArgument',
      `model ${id} has rows of one width and does not take 'dimensions' (accepts in model.json)`,
      { param: 'dimensions' },
    );
  }
}
