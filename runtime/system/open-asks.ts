/**
 * The replier's side of asks: those that an actor of this thread has received and not answered.
 * Each has one holder; the holder's death answers it. Closing an ask twice is told to the caller,
 * so no second reply leaves the thread.
 */
import { ChurnMap } from '../base/churn-map.js';
import { threadOf, type Address } from './address.js';
import type { Message } from './envelope.js';

interface OpenAsk {
  readonly ask: Message;
  holder: Address;
  /** An actor has begun to handle it. */
  isTaken: boolean;
}

export class OpenAsks {
  readonly #open = new ChurnMap<string, OpenAsk>();
  /** Most hold one ask: only who holds several has a set. */
  readonly #byHolder = new ChurnMap<Address, string | Set<string>>();

  get size(): number {
    return this.#open.size;
  }

  add(ask: Message, holder: Address): void {
    this.#open.set(ask.id, { ask, holder, isTaken: false });
    this.#index(ask.id, holder);
  }

  holderOf(id: string): Address | undefined {
    return this.#open.get(id)?.holder;
  }

  /** Its holder begins to handle it; false when it was closed while it waited. */
  take(id: string): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    open.isTaken = true;
    return true;
  }

  /** Closes and returns an ask that still waits in a mailbox; null for any other. */
  closeWaiting(id: string): Message | null {
    const open = this.#open.get(id);
    if (open === undefined || open.isTaken) return null;
    this.close(id);
    return open.ask;
  }

  /** False when it is not open (any more). */
  close(id: string): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    this.#open.delete(id);
    this.#unindex(id, open.holder);
    return true;
  }

  /** False when it is not open. */
  move(id: string, holder: Address): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    this.#unindex(id, open.holder);
    open.holder = holder;
    this.#index(id, holder);
    return true;
  }

  /** Closes and returns what the actor held, oldest first. */
  closeAllOf(holder: Address): Message[] {
    const ids = this.#byHolder.get(holder);
    if (ids === undefined) return [];
    const held = typeof ids === 'string' ? [ids] : [...ids];
    return held.map((id) => {
      const { ask } = this.#open.get(id)!;
      this.close(id);
      return ask;
    });
  }

  /** The askers of a thread are gone: their asks need no answer. */
  dropFrom(thread: string): void {
    for (const { ask } of [...this.#open.values()]) {
      if (threadOf(ask.from) === thread) this.close(ask.id);
    }
  }

  #index(id: string, holder: Address): void {
    const ids = this.#byHolder.get(holder);
    if (ids === undefined) this.#byHolder.set(holder, id);
    else if (typeof ids === 'string') this.#byHolder.set(holder, new Set([ids, id]));
    else ids.add(id);
  }

  #unindex(id: string, holder: Address): void {
    const ids = this.#byHolder.get(holder);
    if (ids === undefined) return;
    if (typeof ids === 'string') {
      if (ids === id) this.#byHolder.delete(holder);
      return;
    }
    ids.delete(id);
    if (ids.size === 0) this.#byHolder.delete(holder);
  }
}
