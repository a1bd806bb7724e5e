/** Descriptors of a gather as a program writes them. */

/** Entry-relative byte, byte of the target, bytes. */
export type Descriptor = readonly [from: bigint, to: bigint, length: bigint];

export function descriptorBytes(rows: readonly Descriptor[]): Uint8Array {
  const words = BigUint64Array.from(rows.flat());
  return new Uint8Array(words.buffer);
}
