/**
 * The plan that `encode_epoch` gives: which bytes of its packets go where on the device. Records of
 * five u64 words, { source, source offset, target, target offset, length }, each a placement of its
 * own; binding 0 is metadata, 1 is the input, on both sides. Sources may be used again; targets are
 * in order and do not overlap. Records of no bytes stand anywhere and place nothing.
 */
import { invalidReturn } from './record-table.js';

const RECORD_BYTES = 40;
/** One epoch over many rows; a table beyond this is a mistake. */
const recordsMax = 2 ** 20;
const entry = 'encode_epoch';

export type Binding = 0 | 1;

/** Bytes from a packet to a place on the device, checked and never empty. */
export interface Transfer {
  readonly source: Binding;
  readonly sourceOffset: number;
  readonly target: Binding;
  readonly targetOffset: number;
  readonly length: number;
}

/** The plan lies at `offset` of a buffer of the program, `length` bytes long. */
export interface TransferTable {
  readonly bytes: Uint8Array;
  readonly offset: bigint;
  readonly length: bigint;
}

export interface PacketSizes {
  readonly metadataBytes: number;
  readonly inputBytes: number;
}

export function checkTransferPlan(
  { bytes, offset, length }: TransferTable,
  { metadataBytes, inputBytes }: PacketSizes,
): readonly Transfer[] {
  if (offset < 0n || length < 0n || offset + length > BigInt(bytes.length)) {
    throw invalidReturn(
      entry,
      `a transfer plan at bytes ${offset} to ${offset + length} of a buffer of ${bytes.length}`,
    );
  }
  if (length % BigInt(RECORD_BYTES) !== 0n) {
    throw invalidReturn(
      entry,
      `a transfer plan of ${length} bytes; records of ${RECORD_BYTES} bytes expected`,
    );
  }
  const count = Number(length) / RECORD_BYTES;
  if (count > recordsMax) {
    throw invalidReturn(entry, `${count} transfers; at most ${recordsMax} are possible`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + Number(offset), Number(length));
  const sizes = [metadataBytes, inputBytes];
  const transfers: Transfer[] = [];
  for (let index = 0; index < count; index += 1) {
    const transfer = checkRecord(view, index, sizes);
    if (transfer.length === 0) continue;
    const before = transfers.at(-1);
    if (before !== undefined) checkOrder(before, transfer, index);
    transfers.push(transfer);
  }
  return transfers;
}

function checkRecord(view: DataView, index: number, sizes: readonly number[]): Transfer {
  const word = (field: number, name: string): number => {
    const value = view.getBigUint64(index * RECORD_BYTES + field * 8, true);
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
    throw broken(index, `${name} = ${value}, which is far outside of any size`);
  };
  const [source, sourceOffset] = [word(0, 'source'), word(1, 'source offset')];
  const [target, targetOffset] = [word(2, 'target'), word(3, 'target offset')];
  const length = word(4, 'length');
  for (const [side, binding, offset] of [
    ['source', source, sourceOffset],
    ['target', target, targetOffset],
  ] as const) {
    const size = sizes[binding];
    if (size === undefined) {
      throw broken(index, `${side} ${binding}; 0 is metadata and 1 the input`);
    }
    if (offset + length > size) {
      const name = binding === 0 ? 'metadata' : 'input';
      throw broken(
        index,
        `bytes ${offset} to ${offset + length} of its ${side}; ${name} has ${size}`,
      );
    }
  }
  return {
    source: source as Binding,
    sourceOffset,
    target: target as Binding,
    targetOffset,
    length,
  };
}

function checkOrder(before: Transfer, after: Transfer, index: number): void {
  if (after.target > before.target) return;
  const isBehind = after.target === before.target && after.targetOffset >= before.targetOffset;
  if (!isBehind) {
    throw broken(
      index,
      `target ${after.target} at ${after.targetOffset} behind target ${before.target} at ${before.targetOffset}; transfers are ordered by target and offset`,
    );
  }
  const end = before.targetOffset + before.length;
  if (after.targetOffset >= end) return;
  throw broken(index, `a target at ${after.targetOffset}, and one before it goes on to ${end}`);
}

const broken = (index: number, what: string) =>
  invalidReturn(entry, `transfer ${index} with ${what}`);
