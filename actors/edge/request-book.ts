/**
 * Open requests as the threads tell of them at one moment, each with what it waits for. Pure: it
 * reads descriptions, and asks nobody.
 */
import type { Explanation, ObservedRequest } from '../../http/observing.js';
import type { ActorDescription } from '../../runtime/system/describe.js';
import type { MachineDescription } from '../../runtime/system/machine-actor.js';
import type { OpenCall } from './open-calls.js';
import { actorsOf, type ThreadView } from './thread-views.js';

export interface Look {
  readonly threads: readonly ThreadView[];
  /** Calls that were open before the threads were looked at. */
  readonly calls: readonly OpenCall[];
  readonly nowMs: number;
}

/** What an actor that answers a request tells of itself. */
interface RequestIdentity {
  readonly requestId: string | null;
  readonly model: string;
}

export class RequestBook {
  readonly #look: Look;

  constructor(look: Look) {
    this.#look = look;
  }

  requests(): readonly ObservedRequest[] {
    return this.#explanations().map(({ request, address, kind, state, ageMs, waiting }) => ({
      id: request,
      address: address ?? '',
      kind: kind ?? 'call',
      state: state ?? 'on its way',
      ageMs,
      waitingFor: waiting[0]?.text ?? null,
    }));
  }

  /** Of requests with several choices each is one: their ids have a number after a `#`. */
  explain(id: string): readonly Explanation[] {
    return this.#explanations().filter(
      ({ request }) => request === id || request.startsWith(`${id}#`),
    );
  }

  #explanations(): Explanation[] {
    return this.#look.threads.flatMap((view) =>
      actorsOf(view).flatMap((actor) => this.#explained(actor, view)),
    );
  }

  #explained(actor: ActorDescription, { thread }: ThreadView): Explanation[] {
    const machine = actor.state as Partial<MachineDescription> | null;
    const identity = machine?.details as RequestIdentity | null | undefined;
    if (identity?.requestId === undefined || identity.requestId === null) return [];
    const { requestId: request, model } = identity;
    const { address, ageMs } = actor;
    const kind = machine!.machine!;
    return [{ request, model, address, thread, kind, state: machine!.state!, ageMs, waiting: [] }];
  }
}
