/**
 * The control program of a finite contract as a preparation thread uses it: `prepare_request` for
 * one member at a time, over its own copy of the frozen state and its own tokenizer.
 */
import { wasmExecutor } from '../jit/host-executor.js';
import { bufferFunctions } from '../modules/buffer.js';
import { inputFunctions } from '../modules/input.js';
import { capabilityTable } from '../modules/modules.js';
import { checkPreparedRequest, type PreparedRequest } from '../profiles/finite.js';
import { fieldsUsed, frameOf, memberCount } from '../profiles/finite-request.js';
import { locateMember, type FiniteBody } from '../profiles/finite-request.js';
import { wrongProfile } from '../profiles/profiles.js';
import { encodePacket, RequestPacket, type Frame } from '../profiles/request-packet.js';
import { StatusError, toStatus } from '../base/errors.js';
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
      memories: control.memories,
    });
  }

  /** Throws what the program rejects, or what breaks the contract, and says for which member. */
  prepare(body: FiniteBody): PreparedRequest[] {
    this.#checkProfile(body);
    this.#checkAccepted(body);
    return Array.from({ length: memberCount(body) }, (_, member) => {
      try {
        return this.#prepare(frameOf(body, member));
      } catch (error) {
        throw StatusError.from(locateMember(toStatus(error), body, member));
      }
    });
  }

  #prepare({ records, values }: Frame): PreparedRequest {
    const bytes = encodePacket(records);
    this.#packet = new RequestPacket(bytes);
    try {
      const results = this.#vm.call('prepare_request', [FROZEN_STATE, bytes]);
      const [prepared, units, tag] = results as [Uint8Array, bigint, bigint];
      const { batchUnits } = this.#model.capacities;
      return checkPreparedRequest({ bytes: prepared, units, tag }, { batchUnits, values });
    } finally {
      this.#packet = null;
    }
  }

  #checkProfile({ profile }: FiniteBody): void {
    const { id, document } = this.#model;
    if (profile === document.profile) return;
    throw wrongProfile(id, document.profile, profile);
  }

  #checkAccepted(body: FiniteBody): void {
    const { id, document } = this.#model;
    const accepts: readonly string[] = document.accepts;
    const refused = fieldsUsed(body).find((field) => !accepts.includes(field));
    if (refused === undefined) return;
    throw new StatusError(
      'invalidArgument',
      `model ${id} does not take '${refused}' (accepts in model.json)`,
      { param: refused },
    );
  }
}
