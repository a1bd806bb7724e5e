/**
 * Clones what a burst sends as a message port would: payloads that are plain by hand, others in
 * one structured clone with one transfer list, or envelope by envelope when one cannot be cloned.
 * Buffers that move are detached here too, so a sender that still uses one fails in a simulation as
 * it would on threads.
 */
import type { Envelope } from '../envelope.js';
import { packBatch, unpackBatch } from './envelope-batch.js';
import { notPlain, plainClone } from './plain-clone.js';

export type Undeliverable = (envelope: Envelope, detail: string) => void;

export function cloneBatch(batch: readonly Envelope[], refuse: Undeliverable): Envelope[] {
  try {
    return clone(batch);
  } catch {
    return batch.flatMap((envelope) => {
      try {
        return clone([envelope]);
      } catch (error) {
        refuse(envelope, error instanceof Error ? error.message : String(error));
        return [];
      }
    });
  }
}

function clone(batch: readonly Envelope[]): Envelope[] {
  const copies = plainCopies(batch);
  if (copies === null) {
    const { fields, transfer } = packBatch(batch);
    return unpackBatch(structuredClone(fields, { transfer: transfer as never }));
  }
  // Where they moved to is not needed: their bytes are in the copies.
  const moved = movedOf(batch);
  if (moved.length > 0) structuredClone(moved, { transfer: moved as never });
  return copies;
}

/** Null when one of them holds what only a structured clone copies. */
function plainCopies(batch: readonly Envelope[]): Envelope[] | null {
  const copies: Envelope[] = [];
  for (const envelope of batch) {
    const payload = plainClone(envelope.payload);
    if (payload === notPlain || !envelope.transfer.every(isBuffer)) return null;
    const { id, cause, from, to, kind, role, lane, deadline, seq, correlation } = envelope;
    copies.push({
      id,
      cause,
      from,
      to,
      kind,
      role,
      lane,
      deadline,
      seq,
      payload,
      transfer: nothing,
      correlation,
    });
  }
  return copies;
}

const nothing: Envelope['transfer'] = [];
const isBuffer = (item: unknown): boolean => item instanceof ArrayBuffer;

function movedOf(batch: readonly Envelope[]): Envelope['transfer'] {
  if (batch.every(({ transfer }) => transfer.length === 0)) return nothing;
  return [...new Set(batch.flatMap(({ transfer }) => transfer))];
}
