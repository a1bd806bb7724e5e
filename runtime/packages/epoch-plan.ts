/**
 * One epoch as packed: all that its submission and its publication need. It keeps nothing of the
 * program's memory; its packets never change.
 */
import type { Capture } from '../profiles/capture-plan.js';
import type { Span } from '../profiles/text.js';
import type { Binding, Transfer } from '../profiles/transfer-plan.js';
import type { ScratchBuffer } from '../vm/scratch-buffer.js';

/** Bytes of a packet and where they go on the device. */
export interface EpochUpload {
  readonly binding: Binding;
  readonly offset: number;
  /** Owned by the plan, each in memory of its own, so that each may be handed on. */
  readonly bytes: Uint8Array;
}

export interface EpochPlan {
  readonly spans: readonly Span[];
  /** The spans as the program saw them. */
  readonly table: Uint8Array;
  /** Ordinal of the stage that it runs. */
  readonly shape: number;
  readonly outputs: number;
  readonly uploads: readonly EpochUpload[];
  /** Of all uploads together. */
  readonly uploadBytes: number;
  /** Of a sequence: by span, what of the residual is its output; empty for text. */
  readonly captures: readonly (readonly Capture[])[];
}

/** Copies what is listed out of the packets; targets that touch are one upload. */
export function copyUploads(
  transfers: readonly Transfer[],
  packets: readonly ScratchBuffer[],
): readonly EpochUpload[] {
  const runs: Transfer[][] = [];
  for (const transfer of transfers) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const touches =
      before?.target === transfer.target &&
      before.targetOffset + before.length === transfer.targetOffset;
    if (touches) run!.push(transfer);
    else runs.push([transfer]);
  }
  return runs.map((run) => {
    const [{ target: binding, targetOffset: offset }] = run as [Transfer];
    const bytes = new Uint8Array(run.reduce((sum, { length }) => sum + length, 0));
    for (const { source, sourceOffset, targetOffset, length } of run) {
      const at = targetOffset - offset;
      packets[source]!.copyTo(bytes.subarray(at, at + length), sourceOffset);
    }
    return { binding, offset, bytes };
  });
}
