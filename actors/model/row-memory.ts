/**
 * The actor of the rows of one text generation, on the device thread: hosts
 * `row-memory.machine.ts`, asks for their room through the device's runner, and tells the
 * generation what becomes of them.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import type { RowSpec } from '../../runtime/memory/row-table.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Address } from '../../runtime/system/address.js';
import type { Message } from '../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../runtime/system/machine-actor.js';
import type { NameRows } from '../protocol.js';
import { machine } from './row-memory.machine.js';

export interface RowMemoryInput {
  readonly spec: RowSpec;
  /** The generation. */
  readonly owner: Address;
  readonly runner: InvocationRunner;
  /** Answers an ask for room in the name of the device: it may outlive this actor. */
  readonly answer: (ask: Message, failure: StatusRecord | null) => void;
}

/** 'rows.use' as the device queue passes it on. */
export interface UseRows {
  readonly ask: Message;
}

class RowMemoryHost {
  readonly #self: ActorSelf;
  readonly #input: RowMemoryInput;

  constructor(self: ActorSelf, input: RowMemoryInput) {
    this.#self = self;
    this.#input = input;
    input.runner.rows.register(input.spec, {
      onWanted: () => self.tell(self.address, 'rows.want', {}),
      onEvict: () => self.tell(self.address, 'rows.evict', {}),
    });
  }

  askRoom({ payload }: Message): void {
    const self = this.#self;
    const { spec, runner, answer } = this.#input;
    const { ask } = payload as UseRows;
    runner.useRows(spec.id, {
      onPlaced: () => {
        answer(ask, null);
        if (runner.rows.has(spec.id)) self.tell(self.address, 'rows.placed', {});
      },
      onFailed: (status) => {
        answer(ask, status);
        if (!runner.rows.has(spec.id)) return;
        const isThere = runner.rows.isThere(spec.id);
        self.tell(self.address, 'rows.refused', { isThere });
      },
    });
  }

  /** Too late where it has room already: whoever asked then lets it rest. */
  withdrawAsk(): void {
    this.#input.runner.cancel(this.#input.spec.id);
  }

  tell(kind: 'rows.wanted' | 'rows.evicted'): void {
    const { spec, owner } = this.#input;
    this.#self.tell(owner, kind, { id: spec.id } satisfies NameRows);
  }

  rest(): void {
    this.#input.runner.rows.rest(this.#input.spec.id);
  }

  releaseStorage(): void {
    const { spec, runner } = this.#input;
    this.#self.log('info', `the rows of ${spec.deployment} have left the device`);
    runner.rows.left(spec.id);
  }

  unregister(): void {
    const { spec, runner } = this.#input;
    runner.rows.unregister(spec.id);
    // Whoever waits for them is refused, and does not hear of it here any more.
    runner.cancel(spec.id);
  }
}

export const rowMemory = machineActor(
  machine,
  (self: ActorSelf, input: RowMemoryInput): MachineHost => {
    const host = new RowMemoryHost(self, input);
    return {
      effects: {
        askRoom: (_e, _c, message) => host.askRoom(message),
        withdrawAsk: () => host.withdrawAsk(),
        tellWanted: () => host.tell('rows.wanted'),
        restRows: () => host.rest(),
        tellEvicted: () => host.tell('rows.evicted'),
        releaseStorage: () => host.releaseStorage(),
        unregister: () => host.unregister(),
      },
    };
  },
);
