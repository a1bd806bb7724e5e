/**
 * The rows of text generations on a device as its actor keeps them: registers them, spawns their
 * actors, passes on what generations ask of them, and ends them with their scope.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import { StorageTable } from '../../runtime/memory/storage-table.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Address } from '../../runtime/system/address.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { NameRows, RegisterRows } from '../protocol.js';
import { rowMemory, type RowMemoryInput, type UseRows } from './row-memory.js';

export class DeviceRows {
  readonly #self: ActorSelf;
  readonly #runner: InvocationRunner;
  /** Actors by the id of their rows. */
  readonly #actors = new Map<string, Address>();
  #registered = 0;

  constructor(self: ActorSelf, runner: InvocationRunner) {
    this.#self = self;
    this.#runner = runner;
  }

  /** Throws where they can never be there. */
  register(
    { id, deployment, storages, banks, epochBuffers, pinned }: RegisterRows,
    owner: Address,
  ): void {
    const epochBytes = StorageTable.bytesFor(epochBuffers.map((bytes) => ({ bytes })));
    const spec = { id, deployment, storages, banks, epochBytes, pinned };
    this.#runner.rows.checkFits(spec);
    this.#registered += 1;
    const input: RowMemoryInput = {
      spec,
      owner,
      runner: this.#runner,
      answer: (ask, failure) => {
        if (failure === null) this.#self.reply(ask, {});
        else this.#self.replyError(ask, failure);
        this.#ended();
      },
    };
    // Names of their own: one of an earlier registration may still be on its way out.
    this.#actors.set(id, this.#self.spawn(`rows/${this.#registered}`, rowMemory, input));
  }

  /** Counted as a submission until it is answered. */
  use(ask: Message): void {
    const { id } = ask.payload as NameRows;
    const actor = this.#actors.get(id);
    if (actor !== undefined) return this.#self.tell(actor, 'rows.use', { ask } satisfies UseRows);
    this.#self.replyError(ask, new StatusError('notFound', `no rows '${id}'`).status);
    this.#ended();
  }

  pass(kind: 'rows.rest' | 'rows.withdraw', { id }: NameRows): void {
    const actor = this.#actors.get(id);
    if (actor !== undefined) this.#self.tell(actor, kind, {});
  }

  /** Whatever a scope has registered; nothing where there is none. */
  unregister(scope: string): void {
    for (const [id, actor] of [...this.#actors]) {
      if (!id.startsWith(scope)) continue;
      this.#actors.delete(id);
      this.#self.tell(actor, 'rows.retire', {});
    }
  }

  #ended(): void {
    this.#self.tell(this.#self.address, 'work.ended', {});
  }
}
