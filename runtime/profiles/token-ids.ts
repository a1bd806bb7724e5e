/** Token ids as programs give and take them: little-endian i32, one after another. */
import { invalidReturn } from './record-table.js';

export function encodeIds(ids: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(ids.length * 4));
  ids.forEach((id, index) => view.setInt32(index * 4, id, true));
  return new Uint8Array(view.buffer);
}

/** Ids that `entry` returned, each of the vocabulary. */
export function decodeIds(bytes: Uint8Array, entry: string, vocabulary: number): number[] {
  if (bytes.length % 4 !== 0) {
    throw invalidReturn(entry, `${bytes.length} bytes of ids; ids are i32`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 4 }, (_, index) => {
    const id = view.getInt32(index * 4, true);
    if (id >= 0 && id < vocabulary) return id;
    throw invalidReturn(entry, `id ${id} at ${index}; ids are 0 to ${vocabulary - 1}`);
  });
}
