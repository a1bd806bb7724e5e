/**
 * What turns have said and nobody was told yet. Owned by the generation: one message an epoch, sent
 * before any session hears that its turn is over, so nothing is said after an answer.
 */
import type { TextDelta } from '../../http/text-serving.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import { STREAMS, type TextDeltas } from '../protocol.js';
import type { Emitted, Turn } from './turn.js';

export class SaidDeltas {
  readonly #self: ActorSelf;
  #deltas: { stream: number; delta: TextDelta }[] = [];

  constructor(self: ActorSelf) {
    this.#self = self;
  }

  publish(turn: Turn, { delta }: Emitted): void {
    const { stream } = turn.input;
    if (delta === null || stream === null) return;
    this.#deltas.push({ stream, delta });
    turn.sent += 1;
  }

  flush(): void {
    if (this.#deltas.length === 0) return;
    this.#self.tell(STREAMS, 'text.deltas', { deltas: this.#deltas } satisfies TextDeltas);
    this.#deltas = [];
  }
}
