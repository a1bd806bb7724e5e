/**
 * Open requests as the threads tell of them at one moment, each with what it waits for. Pure: it
 * reads descriptions, and asks nobody.
 */
import type { Explanation, ObservedRequest, Waiting } from '../../http/observing.js';
import type { DeploymentDetails } from '../model/deployment.js';
import { finiteWaits } from './explain/finite-waits.js';
import { textWaits } from './explain/text-waits.js';
import { waiting, World, type SeenActor } from './explain/world.js';
import type { OpenCall } from './open-calls.js';
import type { ThreadView } from './thread-views.js';

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

type Waits = (world: World, actor: SeenActor) => Waiting[];

/** Machines that answer requests. */
const waitsOf: Readonly<Record<string, Waits>> = {
  finiteRequest: finiteWaits,
  session: textWaits,
};

export class RequestBook {
  readonly #look: Look;
  readonly #world: World;

  constructor(look: Look) {
    this.#look = look;
    this.#world = new World(look.threads);
  }

  requests(): readonly ObservedRequest[] {
    return this.#explanations().map(({ request, address, kind, state, ageMs, waiting: waits }) => ({
      id: request,
      address: address ?? '',
      kind: kind ?? 'call',
      state: state ?? 'on its way',
      ageMs,
      waitingFor: waits[0]?.text ?? null,
    }));
  }

  /** Of requests with several choices each is one: their ids have a number after a `#`. */
  explain(id: string): readonly Explanation[] {
    return this.#explanations().filter(
      ({ request }) => request === id || request.startsWith(`${id}#`),
    );
  }

  #explanations(): Explanation[] {
    const seen = this.#world.actors.flatMap((actor) => this.#explained(actor));
    const known = new Set(seen.map(({ request }) => request));
    const others = this.#look.calls.filter(({ requestId }) => !known.has(requestId));
    return [...seen, ...others.map((call) => this.#onItsWay(call))];
  }

  #explained(actor: SeenActor): Explanation[] {
    const waits = waitsOf[actor.kind];
    const { requestId, model } = (actor.details ?? {}) as Partial<RequestIdentity>;
    if (waits === undefined || requestId === undefined || requestId === null) return [];
    const { address, thread, kind, state, ageMs } = actor;
    const told = { request: requestId, model: model!, address, thread, kind, state, ageMs };
    return [{ ...told, waiting: waits(this.#world, actor) }];
  }

  /** No actor has it: its thread does not answer, or it is between two. */
  #onItsWay({ requestId, model, sinceMs }: OpenCall): Explanation {
    const deployment = this.#world.actors.find(({ kind, details }) => {
      return kind === 'deployment' && (details as DeploymentDetails).id === model;
    });
    const generation = (deployment?.details as DeploymentDetails | undefined)?.serving ?? null;
    const silence = generation === null ? [] : this.#world.silence(generation);
    const moving = waiting('routing', {
      text: `it is on its way to model ${model}`,
      unblockedBy: 'its arrival',
      details: { model, generation },
    });
    return {
      request: requestId,
      model,
      address: null,
      thread: null,
      kind: null,
      state: null,
      ageMs: this.#look.nowMs - sinceMs,
      waiting: silence.length > 0 ? silence : [moving],
    };
  }
}
