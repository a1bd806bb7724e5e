/**
 * The kinds of actors that a thread can start by name, for itself and for other threads. A factory
 * closes over what its thread owns (a device, a task pool), so inputs stay plain data.
 */
import { assert, StatusError } from '../base/errors.js';
import type { ActorFactory } from './actor.js';

export class ActorKinds {
  readonly #factories = new Map<string, ActorFactory>();

  register<Input>(kind: string, factory: ActorFactory<Input>): this {
    assert(!this.#factories.has(kind), `kind ${kind} to be registered once`);
    this.#factories.set(kind, factory);
    return this;
  }

  find(kind: string): ActorFactory {
    const factory = this.#factories.get(kind);
    if (factory !== undefined) return factory;
    const known = [...this.#factories.keys()].join(', ') || 'none';
    throw new StatusError('notFound', `no actor kind "${kind}" in this thread; it has ${known}`);
  }
}
