/**
 * The payload of a shard is its tensors and nothing else: none reaches beyond the file, no two
 * share a byte, and no bytes lie between, before or behind them, except for padding where a format
 * has it.
 */
import { checkpointFault, tensorPlace } from './checkpoint-fault.js';
import type { TensorEntry } from './checkpoint-index.js';
import type { ParameterFile } from './parameter-file.js';

export interface Payload {
  /** Offset of its first byte in the file; it ends where the file ends. */
  readonly begin: number;
  /** Fewer bytes than this may lie unused in one place: 1 means none. */
  readonly alignment: number;
}

export function requireCover(
  file: ParameterFile,
  tensors: readonly TensorEntry[],
  payload: Payload,
): void {
  for (const tensor of tensors) requireInside(file, tensor);
  const ordered = [...tensors].sort(
    (left, right) => left.offset - right.offset || left.bytes - right.bytes,
  );
  let end = payload.begin;
  let previous: TensorEntry | null = null;
  for (const tensor of ordered) {
    const { name, offset, bytes } = tensor;
    if (offset < end) {
      throw checkpointFault(file.name, {
        place: tensorPlace(name),
        expected: `bytes of its own from ${end} on`,
        found: `offset ${offset}, inside ${placeOf(previous)}`,
      });
    }
    requireNoHole(file.name, { begin: end, end: offset, previous }, payload.alignment);
    end = offset + bytes;
    previous = tensor;
  }
  requireNoHole(file.name, { begin: end, end: file.bytes, previous }, payload.alignment);
}

function requireInside(file: ParameterFile, { name, offset, bytes }: TensorEntry): void {
  if (offset + bytes <= file.bytes) return;
  throw checkpointFault(file.name, {
    place: tensorPlace(name),
    expected: `bytes ${offset} to ${offset + bytes}`,
    found: `a file that ends at ${file.bytes}`,
  });
}

interface Gap {
  readonly begin: number;
  readonly end: number;
  /** The tensor before it; null stands for the header. */
  readonly previous: TensorEntry | null;
}

function requireNoHole(file: string, { begin, end, previous }: Gap, alignment: number): void {
  const bytes = end - begin;
  if (bytes < alignment) return;
  throw checkpointFault(file, {
    place: `after ${placeOf(previous)}`,
    expected: alignment === 1 ? 'no unused bytes' : `fewer than ${alignment} bytes of padding`,
    found: `${bytes} bytes from ${begin} on that belong to no tensor`,
  });
}

const placeOf = (tensor: TensorEntry | null): string =>
  tensor === null ? 'header' : tensorPlace(tensor.name);
