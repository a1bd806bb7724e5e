/**
 * The actor that runs `prepare_request` for one generation, on a preparation thread: it holds the
 * control program over its own copy of the frozen state, so a slow text stalls no model's cohorts.
 * What invocations declare with parameters or sources of their own it prepares, too: it opens the
 * files and gives them, with the banks that they fill, to the device.
 */
import { toStatus } from '../../runtime/base/errors.js';
import { FinitePreparer } from '../../runtime/packages/finite-preparer.js';
import { openPackageFiles } from '../../runtime/packages/imported-files.js';
import {
  prepareChoice,
  type Choice,
  type ChoicePlan,
} from '../../runtime/packages/prepare-choice.js';
import { filesOf } from '../../runtime/parameters/source-table.js';
import type { ActorSelf, AskOptions, Behaviour } from '../../runtime/system/actor.js';
import type { Message, Reply } from '../../runtime/system/envelope.js';
import {
  FILES,
  type KeepFiles,
  type PrepareChoice,
  type PreparedFinite,
  type PreparedMember,
  type PrepareMembers,
  type RegisterBanks,
  type ResolvedChoice,
} from '../protocol.js';

/** The device only notes what it is given: longer is a fault. */
const REGISTER_DEADLINE_MS = 30_000;

/** What its generation asks for. */
export interface PreparerOrder {
  readonly prepared: PreparedFinite;
  readonly device: string;
}

export interface PreparerInput extends PreparerOrder {
  /** Opens the files of a choice and plans its banks. */
  readonly resolve: (prepared: PreparedFinite, choice: Choice) => ChoicePlan;
}

/** From the folder of the package. */
export function resolveChoice(prepared: PreparedFinite, choice: Choice): ChoicePlan {
  const { document, place, parameters } = prepared;
  const { stageBanks, indexes } = parameters;
  const files = openPackageFiles({ ...place, document });
  return prepareChoice({ ...prepared, stageBanks, indexes }, choice, files);
}

interface Resolved {
  readonly ask: Message;
  readonly choice: ResolvedChoice;
  readonly register: RegisterBanks;
}

class PreparerHost {
  readonly #input: PreparerInput;
  readonly #program: FinitePreparer;
  /** Choices whose files are to be kept, or that the device is asked to take, by ask. */
  readonly #asked = new Map<string, Resolved>();

  constructor(input: PreparerInput) {
    this.#input = input;
    this.#program = new FinitePreparer(input.prepared, input.prepared.tokenizer);
  }

  prepareMembers(self: ActorSelf, ask: Message): void {
    const { body } = ask.payload as PrepareMembers;
    try {
      const members: readonly PreparedMember[] = this.#program.prepare(body);
      const transfer = members.map((member) => member.bytes.buffer as ArrayBuffer);
      self.reply(ask, members, { transfer });
    } catch (error) {
      self.replyError(ask, toStatus(error));
    }
  }

  prepareChoice(self: ActorSelf, ask: Message): void {
    const { choice, scope } = ask.payload as PrepareChoice;
    const { prepared, device, resolve } = this.#input;
    try {
      const plan = resolve(prepared, choice);
      const resolved = resolvedOf(plan, prepared, scope);
      if (resolved.sources === null) return self.reply(ask, resolved);
      const register = registrationOf(plan, prepared, scope);
      const keep: KeepFiles = { device, scope, files: filesOf(plan.sources) };
      const asked = self.ask(FILES, 'files.keep', keep, this.#options(self, 'kept'));
      this.#asked.set(asked, { ask, choice: resolved, register });
    } catch (error) {
      self.replyError(ask, toStatus(error));
    }
  }

  /** Somebody closes the files whatever happens: now the device may have them. */
  kept(self: ActorSelf, reply: Reply): void {
    const resolved = this.#take(reply);
    if (reply.status !== null) return self.replyError(resolved.ask, reply.status);
    const { device } = this.#input;
    const options = this.#options(self, 'registered');
    this.#asked.set(self.ask(device, 'banks.register', resolved.register, options), resolved);
  }

  registered(self: ActorSelf, reply: Reply): void {
    const { ask, choice } = this.#take(reply);
    if (reply.status === null) self.reply(ask, choice);
    else self.replyError(ask, reply.status);
  }

  #take({ correlation }: Reply): Resolved {
    const resolved = this.#asked.get(correlation)!;
    this.#asked.delete(correlation);
    return resolved;
  }

  #options(self: ActorSelf, as: string): AskOptions {
    return { deadlineMs: self.now() + REGISTER_DEADLINE_MS, as };
  }
}

const bankId = (scope: string, { key }: ChoicePlan['banks'][number]): string =>
  `${scope}/bank/${key}`;
const loaderId = (scope: string, id: string): string => `${scope}/load/${id}`;

function resolvedOf(plan: ChoicePlan, prepared: PreparedFinite, scope: string): ResolvedChoice {
  const banks = [...prepared.parameters.banks, ...plan.banks.map((bank) => bankId(scope, bank))];
  const isOwn = plan.sources.length > 0 || plan.banks.length > 0;
  return {
    stageBanks: plan.stageBanks.map((row) => row.map((bank) => banks[bank]!)),
    loaders: plan.loaders.map(({ id, declaration }) => {
      return { executable: loaderId(scope, id), declaration };
    }),
    sources: isOwn ? { scope, indexes: plan.indexes } : null,
  };
}

/** Its banks leave like any others: only those of the generation can be pinned. */
function registrationOf(plan: ChoicePlan, prepared: PreparedFinite, scope: string): RegisterBanks {
  const banks = plan.banks.map((bank) => {
    const loaders = bank.loaders.map((id) => loaderId(scope, id));
    return { id: bankId(scope, bank), plan: { ...bank, loaders }, pinned: false };
  });
  const { id: deployment, parameters } = prepared;
  return { scope, parent: parameters.scope, deployment, sources: plan.sources, banks };
}

export const preparer = (_self: ActorSelf, input: PreparerInput): Behaviour => {
  const host = new PreparerHost(input);
  return {
    receive(self, message) {
      const { kind } = message;
      if (kind === 'members.prepare') host.prepareMembers(self, message);
      else if (kind === 'choice.prepare') host.prepareChoice(self, message);
      else if (kind === 'kept') host.kept(self, message.payload as Reply);
      else if (kind === 'registered') host.registered(self, message.payload as Reply);
      else if (kind === 'preparer.retire') self.stop();
    },
  };
};
