/**
 * The form in which a batch of envelopes goes from thread to thread: the fields of all of them one
 * after another in one list. A clone spells out the name of every field of every object, which for
 * small messages costs more than what they say.
 *
 * Holds: `unpackBatch` over a clone of what `packBatch` made gives equal envelopes in their order,
 * with nothing left to transfer. Used by every transport that clones.
 */
import type { TransferListItem } from 'node:worker_threads';
import type { Envelope, Reply } from '../envelope.js';

export interface PackedBatch {
  readonly fields: readonly unknown[];
  readonly transfer: readonly TransferListItem[];
}

/** Fields of one envelope in a batch. */
const WIDTH = 13;
const nothing: readonly TransferListItem[] = [];

export function packBatch(batch: readonly Envelope[]): PackedBatch {
  const fields: unknown[] = [];
  let transfer: Set<TransferListItem> | null = null;
  for (const envelope of batch) {
    const { id, cause, from, to, kind, role, lane, deadline, seq, correlation } = envelope;
    fields.push(id, cause, from, to, kind, role, lane, deadline, seq, correlation);
    if (isPlainReply(envelope)) {
      const { outcome, value, status } = envelope.payload;
      fields.push(outcome, value, status);
    } else fields.push(null, envelope.payload, null);
    if (envelope.transfer.length === 0) continue;
    transfer ??= new Set();
    for (const item of envelope.transfer) transfer.add(item);
  }
  return { fields, transfer: transfer === null ? nothing : [...transfer] };
}

/** Fields that do not come from `packBatch` are a bug of their sender. */
export function unpackBatch(fields: readonly unknown[]): Envelope[] {
  const batch: Envelope[] = [];
  for (let at = 0; at < fields.length; at += WIDTH) {
    const correlation = fields[at + 9] as string | null;
    const outcome = fields[at + 10];
    const value = fields[at + 11];
    batch.push({
      id: fields[at],
      cause: fields[at + 1],
      from: fields[at + 2],
      to: fields[at + 3],
      kind: fields[at + 4],
      role: fields[at + 5],
      lane: fields[at + 6],
      deadline: fields[at + 7],
      seq: fields[at + 8],
      payload: outcome === null ? value : { correlation, outcome, value, status: fields[at + 12] },
      transfer: nothing,
      correlation,
    } as Envelope);
  }
  return batch;
}

/** A reply that names its ask as its envelope does, which all do that the system makes. */
function isPlainReply(envelope: Envelope): envelope is Envelope & { readonly payload: Reply } {
  if (envelope.role !== 'reply') return false;
  return (envelope.payload as Reply).correlation === envelope.correlation;
}
