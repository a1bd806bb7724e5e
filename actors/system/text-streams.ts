/**
 * The actor through which what turns say reaches whoever reads along, on the main thread: hands
 * each delta to its reader in order, and tells the generation when it was taken, so that a reader
 * that does not read stops its own turn and no other.
 */
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { TextDelta } from '../../http/text-serving.js';
import type { DeltasTaken, TextDeltas } from '../protocol.js';

/** Readers by stream. Takes one delta; true: taken, else `taken` is called when it is. */
export interface StreamReaders {
  give(stream: number, delta: TextDelta, taken: () => void): boolean;
}

export const textStreams = (_self: ActorSelf, readers: StreamReaders): Behaviour => ({
  receive(self: ActorSelf, { kind, payload, from }: Message): void {
    if (kind !== 'text.deltas') return;
    const { deltas } = payload as TextDeltas;
    const tell = (streams: readonly number[]): void => {
      if (streams.length > 0) self.tell(from, 'text.taken', { streams } satisfies DeltasTaken);
    };
    const taken = deltas.filter(({ stream, delta }) => {
      return readers.give(stream, delta, () => tell([stream]));
    });
    tell(taken.map(({ stream }) => stream));
  },
});
