/**
 * Who exists and in which state at one moment: what the tree and the charts show. Records move it
 * forward one at a time; `apply` gives what it replaced, and `restore` takes that back, so stepping
 * backward is exact. Actors are values: a change makes a new one.
 */
import type { Tree, WireRecord } from './wire.js';

export interface Actor {
  readonly address: string;
  readonly parent: string | null;
  readonly thread: string;
  /** Empty while only its address is known. */
  readonly kind: string;
  readonly state: string | null;
  readonly mailbox: number;
  readonly oldestMs: number | null;
  /** Of the last transition that was seen, not of the last look at the tree. */
  readonly movedMs: number;
}

/** What stood at an address before a record. */
export interface Before {
  readonly address: string;
  readonly actor: Actor | undefined;
}

export class Picture {
  readonly actors = new Map<string, Actor>();
  /** Grows with every change, so that a view knows when to draw. */
  version = 0;

  apply(record: WireRecord): Before | null {
    if (record.type === 'spawn') {
      const { actor: address, parent, kind, atMs } = record;
      const fresh = { ...blank(address), parent, kind: kind ?? '', movedMs: atMs };
      return this.#put(address, fresh);
    }
    if (record.type === 'stop') return this.#put(record.actor, undefined);
    if (record.type === 'transition') {
      const { actor: address, to, atMs } = record;
      const known = this.actors.get(address) ?? blank(address);
      return this.#put(address, { ...known, state: to, movedMs: atMs });
    }
    // A recording may begin after an actor did: its first turn shows that it is there.
    if (record.type === 'message' && !this.actors.has(record.to)) {
      return this.#put(record.to, blank(record.to));
    }
    return null;
  }

  restore({ address, actor }: Before): void {
    this.#put(address, actor);
  }

  /** A look at the whole tree; what moved after it was taken stays as it is. */
  look(tree: Tree): void {
    const seen = new Set<string>();
    for (const actor of tree.actors) {
      seen.add(actor.address);
      const known = this.actors.get(actor.address);
      const movedMs = known?.movedMs ?? 0;
      const state = movedMs > tree.nowMs ? known!.state : actor.state;
      this.actors.set(actor.address, { ...actor, state, movedMs });
    }
    for (const { address, movedMs } of this.actors.values()) {
      if (!seen.has(address) && movedMs <= tree.nowMs) this.actors.delete(address);
    }
    this.version += 1;
  }

  #put(address: string, actor: Actor | undefined): Before {
    const before = { address, actor: this.actors.get(address) };
    if (actor === undefined) this.actors.delete(address);
    else this.actors.set(address, actor);
    this.version += 1;
    return before;
  }
}

export const threadOf = (address: string): string => address.slice(0, address.indexOf(':'));
export const pathOf = (address: string): string => address.slice(address.indexOf(':') + 1);

function blank(address: string): Actor {
  const thread = threadOf(address);
  return {
    address,
    parent: `${thread}:/`,
    thread,
    kind: '',
    state: null,
    mailbox: 0,
    oldestMs: null,
    movedMs: 0,
  };
}
