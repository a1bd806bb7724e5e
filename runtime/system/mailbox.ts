/**
 * The messages that wait for one actor, in two lanes. Control is taken first; within a lane order
 * is kept. Only tells and asks of the data lane count against the limit: replies, `down` and timers
 * are bounded by what the actor itself started, so they always find room.
 */
import type { Message } from './envelope.js';

/** A first-in first-out list that shifts in constant time. */
class MessageQueue {
  #items: (Message | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(message: Message): void {
    this.#items.push(message);
  }

  shift(): Message | undefined {
    if (this.#head === this.#items.length) return undefined;
    const message = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head === 1024) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return message;
  }
}

export class Mailbox {
  readonly limit: number;
  readonly #data = new MessageQueue();
  readonly #control = new MessageQueue();
  /** Data messages that count against the limit. */
  #counted = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** False when the data lane is full. */
  offer(message: Message): boolean {
    if (message.lane === 'control') {
      this.#control.push(message);
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
    const urgent = this.#control.shift();
    if (urgent !== undefined) return urgent;
    const message = this.#data.shift();
    if (message !== undefined && isCounted(message)) this.#counted -= 1;
    return message;
  }

  get isEmpty(): boolean {
    return this.#data.length === 0 && this.#control.length === 0;
  }

  get dataDepth(): number {
    return this.#data.length;
  }

  get controlDepth(): number {
    return this.#control.length;
  }
}

function isCounted(message: Message): boolean {
  return message.role === 'tell' || message.role === 'ask';
}
