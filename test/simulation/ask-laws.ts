/**
 * Law N: whoever handles an ask answers it or passes it on. An actor that ends by itself and owes
 * an answer lets the system answer `down`, which tells the asker nothing.
 */
import type { Address } from '../../runtime/system/address.js';
import type { Observation } from './observed-actor.js';
import type { Report } from './report.js';

export class AskLaws {
  readonly #report: Report;
  /** Kinds of the asks that an actor owes an answer, by their ids. */
  readonly #owed = new Map<Address, Map<string, string>>();

  constructor(report: Report) {
    this.#report = report;
  }

  observe(actor: Address, seen: Observation): void {
    // One of its name may have died with its thread.
    if (seen.type === 'started') this.#owed.delete(actor);
    else if (seen.type === 'handled' && seen.message.role === 'ask') {
      const owed = this.#owed.get(actor) ?? new Map<string, string>();
      owed.set(seen.message.id, seen.message.kind);
      this.#owed.set(actor, owed);
    } else if (seen.type === 'answered' || seen.type === 'passedOn') {
      this.#owed.get(actor)?.delete(seen.ask.id);
    } else if (seen.type === 'stopped') {
      const owed = this.#owed.get(actor);
      this.#owed.delete(actor);
      if (seen.reason.kind !== 'finished' || owed === undefined || owed.size === 0) return;
      this.#report.add('N', `${actor} ends and owes answers: ${[...owed.values()].join(', ')}`);
    }
  }
}
