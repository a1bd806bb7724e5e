/**
 * The messages that wait for one actor, in two lanes. Control is taken first; within a lane order
 * is kept. Only tells and asks of the data lane count against the limit: replies, `down` and timers
 * are bounded by what the actor itself started, so they always find room.
 */
import type { Message } from './envelope.js';
import { Fifo } from './fifo.js';

export class Mailbox {
  readonly limit: number;
  readonly #data = new Fifo<Message>();
  /** Made by the first control message. */
  #control: Fifo<Message> | null = null;
  /** Data messages that count against the limit. */
  #counted = 0;
  /** The message that was next when somebody looked last, and since when it is. */
  #seen: { readonly id: string; readonly atMs: number } | null = null;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** False when the data lane is full. */
  offer(message: Message): boolean {
    if (message.lane === 'control') {
      (this.#control ??= new Fifo()).push(message);
      return true;
    }
    if (isCounted(message)) {
      if (this.#counted === this.limit) return false;
      this.#counted += 1;
    }
    this.#data.push(message);
    return true;
  }

  take(): Message | undefined {
    const urgent = this.#control?.shift();
    if (urgent !== undefined) return urgent;
    const message = this.#data.shift();
    if (message !== undefined && isCounted(message)) this.#counted -= 1;
    return message;
  }

  /**
   * For how long, at least, the message that is next has waited: since it was seen in that place
   * first. Messages have no time of arrival of their own; null when none waits.
   */
  seen(nowMs: number): number | null {
    const next = this.#control?.first ?? this.#data.first;
    if (next === undefined) this.#seen = null;
    else if (this.#seen?.id !== next.id) this.#seen = { id: next.id, atMs: nowMs };
    return this.#seen === null ? null : nowMs - this.#seen.atMs;
  }

  get isEmpty(): boolean {
    return this.#data.length === 0 && this.controlDepth === 0;
  }

  get dataDepth(): number {
    return this.#data.length;
  }

  get controlDepth(): number {
    return this.#control?.length ?? 0;
  }
}

function isCounted(message: Message): boolean {
  return message.role === 'tell' || message.role === 'ask';
}
