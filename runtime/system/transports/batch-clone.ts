/**
 * Clones what a burst sends as a message port would: one structured clone with one transfer list,
 * or envelope by envelope when one of them cannot be cloned. Buffers that move are detached here
 * too, so a sender that still uses one fails in a simulation as it would on threads.
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
  const { fields, transfer } = packBatch(batch);
  const copies = transfer.every(isBuffer) ? plainClone(fields) : notPlain;
  if (copies === notPlain) {
    return unpackBatch(structuredClone(fields, { transfer: transfer as never }));
  }
  // Where they moved to is not needed: their bytes are in the copies.
  if (transfer.length > 0) structuredClone(transfer, { transfer: transfer as never });
  return unpackBatch(copies as readonly unknown[]);
}

const isBuffer = (item: unknown): boolean => item instanceof ArrayBuffer;
