/**
 * The banks of a device as its actor keeps them: registers those of a generation with the files
 * that they load from, spawns their actors, and ends both with their scope.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import type { Device } from '../../runtime/hal/device.js';
import type { SourceTable } from '../../runtime/parameters/source-table.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Address } from '../../runtime/system/address.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { NameBanks, RegisterBanks } from '../protocol.js';
import { bank, bankSpec } from './bank.js';

export interface DeviceBanksOptions {
  readonly device: Device;
  readonly runner: InvocationRunner;
  readonly sources: SourceTable;
}

export class DeviceBanks {
  readonly #self: ActorSelf;
  readonly #options: DeviceBanksOptions;
  /** Actors by scope. */
  readonly #scopes = new Map<
    string,
    readonly { readonly id: string; readonly address: Address }[]
  >();
  /** Of choices: their programs may be on their way, in both directions. */
  readonly #chosen = new Set<string>();
  #registered = 0;

  constructor(self: ActorSelf, options: DeviceBanksOptions) {
    this.#self = self;
    this.#options = options;
  }

  register({ scope, parent, deployment, sources, banks }: RegisterBanks): void {
    const { device, runner, sources: table } = this.#options;
    for (const each of banks) runner.banks.checkFits(bankSpec({ ...each, deployment }));
    const lease = table.register(scope, sources, parent);
    const actors = banks.map(({ id, plan, pinned }) => {
      // Names of their own: one of an earlier registration may still be on its way out.
      this.#registered += 1;
      if (parent !== undefined) this.#chosen.add(id);
      const address = this.#self.spawn(`banks/${this.#registered}`, bank, {
        id,
        deployment,
        plan,
        pinned,
        sources: lease,
        device,
        table: runner.banks,
      });
      return { id, address };
    });
    this.#scopes.set(scope, actors);
  }

  /** Whatever a scope, or one inside it, has registered; nothing where there is none. */
  unregister(scope: string): void {
    for (const [name, actors] of [...this.#scopes]) {
      if (name !== scope && !name.startsWith(`${scope}/`)) continue;
      this.#scopes.delete(name);
      for (const { id, address } of actors) {
        this.#chosen.delete(id);
        this.#options.runner.banks.retire(id);
        this.#self.tell(address, 'bank.retire', {});
      }
      this.#options.sources.release(name);
    }
  }

  /** Answers when all of them are resident, but for those of choices: cohorts fill these. */
  warm(ask: Message): void {
    const self = this.#self;
    const { ids } = ask.payload as NameBanks;
    const own = ids.filter((id) => !this.#chosen.has(id));
    const ended = (): void => self.tell(self.address, 'work.ended', {});
    this.#options.runner.activate(self.nextId('warm'), new Set(own), {
      onPlaced: () => {
        self.reply(ask, {});
        ended();
      },
      onFailed: (status) => {
        self.replyError(ask, status);
        ended();
      },
    });
  }

  /** Answers how many will leave: at once, or with their last use; pins stay. */
  deactivate(ask: Message): void {
    const { ids } = ask.payload as NameBanks;
    const { banks, rows } = this.#options.runner;
    const leaving = ids.filter((id) => banks.dismiss(id));
    this.#self.reply(ask, { leaving: leaving.length });
    rows.wantHolders(leaving);
  }

  /** Fields of a bank that a program binds must be those that the program was compiled for. */
  check(executable: string, fields: readonly number[], ids: readonly string[]): void {
    const found = ids.flatMap((id) => this.#options.runner.banks.fieldBytes(id));
    if (found.length === fields.length && found.every((bytes, at) => bytes === fields[at])) return;
    throw new StatusError(
      'internal',
      `${executable} binds ${fields.length} fields of banks; ${ids.join(', ') || 'no bank'} has ${found.length}, or of other sizes`,
    );
  }

  /** The device closes: files of whoever has not ended yet. */
  close(): void {
    this.#options.sources.releaseAll();
  }
}
